import type { Kysely, Selectable, Transaction } from "kysely";
import { outlineOf } from "../text/outline.ts";
import type { StoredDocument } from "../types.ts";
import type { FilePut } from "./document-records.ts";
import { prepareRows } from "./prepared.ts";
import type { Database } from "./schema.ts";

/** Inserts of what files hold: their statements are built once for a store. */
export interface DocumentRows {
  /** @param documents with the path of the file that holds each */
  insertDocuments(
    trx: Transaction<Database>,
    documents: readonly { readonly document: StoredDocument; readonly file: string }[],
    at: string,
  ): Promise<void>;
  /** Enters files, or what is new about them, each once. */
  putFiles(trx: Transaction<Database>, files: readonly FilePut[], at: string): Promise<void>;
}

export function createDocumentRows(db: Kysely<Database>): DocumentRows {
  const insertDocuments = prepareRows((rows: readonly Selectable<Database["documents"]>[]) => db.insertInto("documents").values(rows));
  const insertChunks = prepareRows((rows: readonly Selectable<Database["chunks"]>[]) => db.insertInto("chunks").values(rows));
  const putFiles = prepareRows((rows: readonly Selectable<Database["files"]>[]) =>
    db
      .insertInto("files")
      .values(rows)
      .onConflict((c) =>
        c.columns(["domain", "tenant", "source", "path"]).doUpdateSet((eb) => ({
          access: eb.ref("excluded.access"),
          original_hash: eb.ref("excluded.original_hash"),
          settings: eb.ref("excluded.settings"),
          status: eb.ref("excluded.status"),
          reason: eb.ref("excluded.reason"),
          updated_at: eb.ref("excluded.updated_at"),
        })),
      ),
  );
  return {
    async insertDocuments(trx, documents, at) {
      await insertDocuments(
        trx,
        documents.map(({ document, file }) => documentRow(document, file, at)),
      );
      await insertChunks(
        trx,
        documents.flatMap(({ document }) => chunkRows(document)),
      );
    },
    async putFiles(trx, files, at) {
      await putFiles(
        trx,
        files.map((file) => fileRow(file, at)),
      );
    },
  };
}

function fileRow({ place: { domain, tenant, source, path }, content }: FilePut, at: string): Selectable<Database["files"]> {
  return {
    ...{ domain, tenant: tenant ?? "", source, path },
    access: content.access,
    original_hash: content.originalHash,
    settings: content.settings,
    status: content.failure === null ? "ok" : "failed",
    reason: content.failure,
    updated_at: at,
  };
}

function documentRow(doc: StoredDocument, file: string, at: string): Selectable<Database["documents"]> {
  return {
    id: doc.id,
    domain: doc.domain,
    tenant: doc.tenant ?? "",
    access: doc.access,
    source: doc.source,
    file,
    path: doc.path,
    title: doc.title,
    description: doc.description,
    url: doc.url,
    as_of: doc.asOf,
    authority: doc.authority,
    topic: doc.topic,
    subtopic: doc.subtopic,
    type: doc.type,
    original_hash: doc.originalHash,
    version: doc.version,
    normaliser: doc.normaliser,
    text: doc.text,
    blocks: JSON.stringify(
      doc.blocks.map(({ start, end, type, level, header, runIn, sectionEnd }) => [
        start,
        end,
        type,
        level,
        header,
        ...(sectionEnd !== undefined ? [runIn ?? null, sectionEnd] : runIn !== undefined ? [runIn] : []),
      ]),
    ),
    units: JSON.stringify(doc.units.map(({ start, end, type, block }) => [start, end, type, block])),
    source_map: JSON.stringify(doc.sourceMap),
    outline: JSON.stringify(outlineOf(doc.text, doc.blocks).map(({ start, level, text }) => [start, level, text])),
    pages: doc.pages === undefined || doc.pages === null ? null : JSON.stringify(doc.pages),
    reading: doc.reading === undefined ? null : JSON.stringify(doc.reading),
    updated_at: at,
  };
}

function chunkRows(doc: StoredDocument): Selectable<Database["chunks"]>[] {
  return doc.chunks.map((chunk) => ({
    id: chunk.id,
    document_id: doc.id,
    ordinal: chunk.ordinal,
    start: chunk.start,
    end: chunk.end,
    tokens: chunk.tokens,
    heading_path: JSON.stringify(chunk.headingPath),
    windows: JSON.stringify(chunk.windows.map(({ start, end, tokens }) => [start, end, tokens])),
  }));
}
