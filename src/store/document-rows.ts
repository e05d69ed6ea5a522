import type { ExpressionBuilder, Kysely, Selectable, Transaction } from "kysely";
import type { AsOfRange, Block, BlockType, Chunk, Heading, Reading, Scope, StoredDocument, Unit, Window } from "../shared/types.ts";
import { outlineOf } from "../text/units.ts";
import { prepareRows } from "./dialect.ts";
import type { Database } from "./schema.ts";

export interface SourcePlace {
  readonly domain: string;
  readonly tenant: string | null;
  readonly source: string;
}

/** Returns the columns that identify a source. A missing tenant is `""`. */
export function placeOf({ domain, tenant, source }: SourcePlace) {
  return { domain, tenant: tenant ?? "", source };
}

export interface FilePlace extends SourcePlace {
  /** Path of the file, relative to the source. */
  readonly path: string;
}

export interface FileRecord
  extends Readonly<Pick<Database["files"], "path" | "originalHash" | "settings" | "status" | "reason" | "access" | "updatedAt">> {
  /**
   * Time at which the file's newest document was stored (ISO 8601); `null` without documents. A file that failed to
   * parse keeps the documents of its last readable version.
   */
  readonly readAt: string | null;
}

/** Identity of a stored document. */
export interface KnownDocument {
  readonly id: string;
  /** Path of the file, relative to the source. */
  readonly file: string;
  /** Path of the document: the path of its file, with `#entry` added if the document is one entry of the file. */
  readonly path: string;
}

/** Documents of a file, or the reason why it could not be parsed. */
export interface FileContent {
  readonly originalHash: string;
  /** Hash of what determines the documents besides the bytes: normaliser, chunking, access, addresses. */
  readonly settings: string;
  /** Access label given for the ingest. Only callers with this label see a failed file. */
  readonly access: string;
  /** `null`: the stored documents are not replaced. */
  readonly documents: readonly StoredDocument[] | null;
  readonly failure: string | null;
}

export interface FilePut {
  readonly place: FilePlace;
  readonly content: FileContent;
  /** Previous path of a renamed file. Its documents keep their ids. */
  readonly renamedFrom?: string;
}

/** Numbers of a file's documents that were added, changed, unchanged and deleted when the file was stored. */
export type PutOutcome = Readonly<Record<"added" | "changed" | "unchanged" | "deleted", number>>;

/** The data of a document that an index needs, without offsets into the original file and sentences. */
export type IndexedDocument = Pick<
  StoredDocument,
  "id" | "version" | "tenant" | "access" | "path" | "title" | "description" | "text" | "chunks"
>;

/** Current version, visibility, path and title of a document. */
export type DocumentHead = Pick<IndexedDocument, "version" | "tenant" | "access" | "path" | "title" | "description">;

/** Names, headings and pages of a document, for filters. */
export interface DocumentOutline extends Pick<StoredDocument, "id" | "version" | "path" | "title"> {
  readonly headings: readonly Heading[];
  readonly pages: readonly number[] | null;
}

export interface CorpusCounts {
  readonly documents: number;
  readonly chunks: number;
  readonly revision: number;
  readonly asOf: AsOfRange;
  /** Paths of files that failed to parse and have no earlier version. */
  readonly unreadable: readonly string[];
}

export function createDocumentRows(db: Kysely<Database>) {
  const insertDocuments = prepareRows((rows: readonly Selectable<Database["documents"]>[]) => db.insertInto("documents").values(rows));
  const insertChunks = prepareRows((rows: readonly Selectable<Database["chunks"]>[]) => db.insertInto("chunks").values(rows));
  const putFiles = prepareRows((rows: readonly Selectable<Database["files"]>[]) => {
    const changes = ["access", "originalHash", "settings", "status", "reason", "updatedAt"] as const;
    const insert = db.insertInto("files").values(rows);
    return insert.onConflict((c) => {
      const stored = c.columns(["domain", "tenant", "source", "path"]);
      return stored.doUpdateSet((eb) => Object.fromEntries(changes.map((name) => [name, eb.ref(`excluded.${name}`)])));
    });
  });
  return {
    /** @param documents each with the path of its file */
    async insertDocuments(
      trx: Transaction<Database>,
      documents: readonly { readonly document: StoredDocument; readonly file: string }[],
      at: string,
    ): Promise<void> {
      const rows = documents.map(({ document, file }) => documentRow(document, file, at));
      const chunks = documents.flatMap(({ document }) => chunkRows(document));
      await insertDocuments(trx, rows);
      await insertChunks(trx, chunks);
    },
    /** Inserts or updates files. Each path may occur only once. */
    async putFiles(trx: Transaction<Database>, files: readonly FilePut[], at: string): Promise<void> {
      const rows = files.map((file) => fileRow(file, at));
      await putFiles(trx, rows);
    },
  };
}

/** Writers of files and documents. Their statements are built once per store. */
export type DocumentRows = ReturnType<typeof createDocumentRows>;

function fileRow({ place, content }: FilePut, updatedAt: string): Selectable<Database["files"]> {
  const { access, originalHash, settings, failure: reason } = content;
  const status = reason === null ? "ok" : "failed";
  return { ...placeOf(place), path: place.path, access, originalHash, settings, status, reason, updatedAt };
}

function documentRow(doc: StoredDocument, file: string, updatedAt: string): Selectable<Database["documents"]> {
  const { id, domain, access, source, path, title, description, url, asOf, authority, topic, subtopic, type } = doc;
  const { originalHash, version, normaliser, text, pages = null, reading } = doc;
  return {
    ...{ id, domain, access, source, path, title, description, url, asOf, authority, topic, subtopic, type },
    ...{ originalHash, version, normaliser, text, file, updatedAt },
    tenant: doc.tenant ?? "",
    blocks: JSON.stringify(doc.blocks.map(blockToList)),
    units: JSON.stringify(doc.units.map(({ start, end, type, block }) => [start, end, type, block])),
    sourceMap: JSON.stringify(doc.sourceMap),
    outline: JSON.stringify(outlineOf(doc.text, doc.blocks).map(({ start, level, text }) => [start, level, text])),
    pages: pages === null ? null : JSON.stringify(pages),
    reading: reading === undefined ? null : JSON.stringify(reading),
  };
}

/** A block as stored. Trailing members that are absent are omitted. */
type BlockList = [number, number, BlockType, number, number, (number | null)?, number?];

function blockToList({ start, end, type, level, header, runIn, sectionEnd }: Block): BlockList {
  if (sectionEnd !== undefined) return [start, end, type, level, header, runIn ?? null, sectionEnd];
  return runIn === undefined ? [start, end, type, level, header] : [start, end, type, level, header, runIn];
}

function blockOfList([start, end, type, level, header, runIn = null, sectionEnd]: BlockList): Block {
  return {
    ...{ start, end, type, level, header },
    ...(runIn === null ? {} : { runIn }),
    ...(sectionEnd === undefined ? {} : { sectionEnd }),
  };
}

function chunkRows(doc: StoredDocument): Selectable<Database["chunks"]>[] {
  return doc.chunks.map(({ id, ordinal, start, end, tokens, headingPath, windows }) => ({
    ...{ id, documentId: doc.id, ordinal, start, end, tokens },
    headingPath: JSON.stringify(headingPath),
    windows: JSON.stringify(windows.map(({ start, end, tokens }) => [start, end, tokens])),
  }));
}

/** Loads documents, each with the path of its file, without access checks. */
export async function readDocumentRows(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<{ readonly file: string; readonly document: StoredDocument }[]> {
  const rows = await db.selectFrom("documents").selectAll().where("id", "in", ids).execute();
  const held = rows.map(({ id }) => id);
  const chunks = await loadChunks(db, held);
  return rows.map(({ file, tenant, authority, type, blocks, units, sourceMap, pages, reading, outline: _, updatedAt: __, ...row }) => {
    const places = JSON.parse(units) as [number, number, BlockType, number][];
    const document = {
      ...row,
      tenant: tenant || null,
      ...({ authority, type } as Pick<StoredDocument, "authority" | "type">),
      blocks: (JSON.parse(blocks) as BlockList[]).map(blockOfList),
      units: places.map(([start, end, type, block]): Unit => ({ start, end, type, block })),
      sourceMap: JSON.parse(sourceMap) as number[],
      pages: pages === null ? null : (JSON.parse(pages) as number[]),
      ...(reading === null ? {} : { reading: JSON.parse(reading) as Reading }),
      chunks: chunks.get(row.id) ?? [],
    };
    return { file, document };
  });
}

export async function loadChunks(db: Kysely<Database>, documentIds: readonly string[]): Promise<Map<string, Chunk[]>> {
  const all = db.selectFrom("chunks").selectAll().where("documentId", "in", documentIds);
  const rows = await all.orderBy("documentId").orderBy("ordinal").execute();
  const chunks = rows.map(({ headingPath, windows, ...row }): Chunk => {
    const places = JSON.parse(windows) as [number, number, number][];
    return {
      ...row,
      headingPath: JSON.parse(headingPath) as string[],
      windows: places.map(([start, end, tokens]): Window => ({ start, end, tokens })),
    };
  });
  return Map.groupBy(chunks, ({ documentId }) => documentId);
}

export function documentsOfFile(eb: ExpressionBuilder<Database, "files">) {
  return eb
    .selectFrom("documents")
    .select("documents.id")
    .whereRef("documents.domain", "=", "files.domain")
    .whereRef("documents.tenant", "=", "files.tenant")
    .whereRef("documents.source", "=", "files.source")
    .whereRef("documents.file", "=", "files.path");
}

/** Selects the time of the newest document of a file; null without documents. */
export function lastReadAt(eb: ExpressionBuilder<Database, "files">) {
  const documents = documentsOfFile(eb).clearSelect();
  return documents.select(({ fn }) => fn.max("documents.updatedAt").as("readAt"));
}

/** Selects the documents that a scope may see. */
export function documentsSeen(db: Kysely<Database>, scope: Scope) {
  return db
    .selectFrom("documents")
    .where("documents.domain", "=", scope.domain)
    .where("documents.tenant", "in", tenantsOf(scope))
    .where("documents.access", "in", scope.access);
}

/** Returns the tenants whose documents a scope may see: `""` (no tenant), and its own. */
export function tenantsOf(scope: Scope): string[] {
  return scope.tenant === null ? [""] : ["", scope.tenant];
}
