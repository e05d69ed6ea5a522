import type { ExpressionBuilder, Kysely, Selectable, Transaction } from "kysely";
import { outlineOf } from "../text/outline.ts";
import type { Block, BlockType, Chunk, Reading, StoredDocument, Unit, Window } from "../types.ts";
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
          originalHash: eb.ref("excluded.originalHash"),
          settings: eb.ref("excluded.settings"),
          status: eb.ref("excluded.status"),
          reason: eb.ref("excluded.reason"),
          updatedAt: eb.ref("excluded.updatedAt"),
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
    originalHash: content.originalHash,
    settings: content.settings,
    status: content.failure === null ? "ok" : "failed",
    reason: content.failure,
    updatedAt: at,
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
    asOf: doc.asOf,
    authority: doc.authority,
    topic: doc.topic,
    subtopic: doc.subtopic,
    type: doc.type,
    originalHash: doc.originalHash,
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
    sourceMap: JSON.stringify(doc.sourceMap),
    outline: JSON.stringify(outlineOf(doc.text, doc.blocks).map(({ start, level, text }) => [start, level, text])),
    pages: doc.pages === undefined || doc.pages === null ? null : JSON.stringify(doc.pages),
    reading: doc.reading === undefined ? null : JSON.stringify(doc.reading),
    updatedAt: at,
  };
}

function chunkRows(doc: StoredDocument): Selectable<Database["chunks"]>[] {
  return doc.chunks.map((chunk) => ({
    id: chunk.id,
    documentId: doc.id,
    ordinal: chunk.ordinal,
    start: chunk.start,
    end: chunk.end,
    tokens: chunk.tokens,
    headingPath: JSON.stringify(chunk.headingPath),
    windows: JSON.stringify(chunk.windows.map(({ start, end, tokens }) => [start, end, tokens])),
  }));
}

/** Documents as they stand in their rows, with the file of each, whoever may see them. */
export async function readDocumentRows(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<{ readonly file: string; readonly document: StoredDocument }[]> {
  const rows = await db.selectFrom("documents").selectAll().where("id", "in", ids).execute();
  const chunks = await loadChunks(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    file: row.file,
    document: {
      id: row.id,
      domain: row.domain,
      tenant: row.tenant === "" ? null : row.tenant,
      access: row.access,
      source: row.source,
      path: row.path,
      title: row.title,
      description: row.description,
      url: row.url,
      asOf: row.asOf,
      authority: row.authority as StoredDocument["authority"],
      topic: row.topic,
      subtopic: row.subtopic,
      type: row.type as StoredDocument["type"],
      originalHash: row.originalHash,
      version: row.version,
      normaliser: row.normaliser,
      text: row.text,
      blocks: (JSON.parse(row.blocks) as [number, number, BlockType, number, number, (number | null)?, number?][]).map(
        ([start, end, type, level, header, runIn = null, sectionEnd]): Block => ({
          start,
          end,
          type,
          level,
          header,
          ...(runIn === null ? {} : { runIn }),
          ...(sectionEnd === undefined ? {} : { sectionEnd }),
        }),
      ),
      units: (JSON.parse(row.units) as [number, number, BlockType, number][]).map(
        ([start, end, type, block]): Unit => ({ start, end, type, block }),
      ),
      sourceMap: JSON.parse(row.sourceMap) as number[],
      pages: row.pages === null ? null : (JSON.parse(row.pages) as number[]),
      ...(row.reading === null ? {} : { reading: JSON.parse(row.reading) as Reading }),
      chunks: chunks.get(row.id) ?? [],
    },
  }));
}

/** Chunks by their document. */
export async function loadChunks(db: Kysely<Database>, documentIds: readonly string[]): Promise<Map<string, Chunk[]>> {
  const rows = await db
    .selectFrom("chunks")
    .selectAll()
    .where("documentId", "in", documentIds)
    .orderBy("documentId")
    .orderBy("ordinal")
    .execute();
  const byDocument = new Map<string, Chunk[]>();
  for (const row of rows) {
    const windows = (JSON.parse(row.windows) as [number, number, number][]).map(([start, end, tokens]): Window => ({ start, end, tokens }));
    const chunk: Chunk = {
      id: row.id,
      documentId: row.documentId,
      ordinal: row.ordinal,
      start: row.start,
      end: row.end,
      tokens: row.tokens,
      headingPath: JSON.parse(row.headingPath) as string[],
      windows,
    };
    const list = byDocument.get(row.documentId);
    if (list === undefined) byDocument.set(row.documentId, [chunk]);
    else list.push(chunk);
  }
  return byDocument;
}

/** The documents of a file. */
export function documentsOfFile(eb: ExpressionBuilder<Database, "files">) {
  return eb
    .selectFrom("documents")
    .select("documents.id")
    .whereRef("documents.domain", "=", "files.domain")
    .whereRef("documents.tenant", "=", "files.tenant")
    .whereRef("documents.source", "=", "files.source")
    .whereRef("documents.file", "=", "files.path");
}

/** Of a file: when the last of the documents that it holds was read; null where it holds none. */
export function lastReadAt(eb: ExpressionBuilder<Database, "files">) {
  return documentsOfFile(eb)
    .clearSelect()
    .select(({ fn }) => fn.max("documents.updatedAt").as("read_at"));
}
