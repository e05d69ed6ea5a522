import { type Kysely, sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Area, Reading, Scope, StoredDocument } from "../shared/types.ts";
import { ALL_ROWS, equal, inParts, jsonRows, prepareList, transact } from "./dialect.ts";
import type { CorpusCounts, DocumentHead, DocumentOutline, FilePut, IndexedDocument, PutOutcome, SourcePlace } from "./document-rows.ts";
import {
  createDocumentRows,
  documentsOfFile,
  documentsSeen,
  lastReadAt,
  loadChunks,
  placeOf,
  readDocumentRows,
  tenantsOf,
} from "./document-rows.ts";
import type { Database } from "./schema.ts";
import { removeFiles, replaceFiles } from "./write-documents.ts";

/** Maximum number of characters of cached documents. With sentences and offsets they take about three times as many bytes. */
const CACHED_CHARACTERS = 32_000_000;

/**
 * Documents by id. Callers must check that an entry has the current version and is visible. Content and access label
 * cannot be outdated then, because the version is a hash of both.
 */
type DocumentCache = LRUCache<string, StoredDocument>;

/** Maximum number of scopes whose counts are cached, because counting reads every chunk. */
const MAX_COUNTED_SCOPES = 64;

type Counted = Omit<CorpusCounts, "unreadable">;

export function createDocumentStore(db: Kysely<Database>, now: () => Date) {
  const rows = createDocumentRows(db);
  const putFiles = (files: readonly FilePut[]) => transact(db, (trx) => replaceFiles(trx, files, { rows, at: now().toISOString() }));
  const sizeCalculation = ({ text }: StoredDocument) => Math.max(1, text.length);
  const cache: DocumentCache = new LRUCache({ maxSize: CACHED_CHARACTERS, sizeCalculation });
  const visibleVersions = createVersionReader(db);
  const versionsOf = async (scope: Scope, ids: readonly string[]): Promise<Map<string, string>> => {
    const versions = new Map<string, string>();
    for (const part of inParts(ids)) for (const { id, version } of await visibleVersions(scope, part)) versions.set(id, version);
    return versions;
  };
  const counted = new LRUCache<string, Counted>({ max: MAX_COUNTED_SCOPES });
  const countOnce = async (scope: Scope): Promise<Counted> => {
    const key = JSON.stringify([scope.domain, scope.tenant, [...scope.access].sort()]);
    const known = counted.get(key);
    if (known !== undefined && known.revision === (await revisionOf(db, scope.domain))) return known;
    const fresh = await countCorpus(db, scope);
    counted.set(key, fresh);
    return fresh;
  };
  return {
    /** Replaces the documents of a file in one transaction, and deletes cached answers that depend on them. */
    async putFile(place: FilePut["place"], content: FilePut["content"]): Promise<PutOutcome> {
      const [outcome] = await putFiles([{ place, content }]);
      return outcome as PutOutcome;
    },
    /** Replaces the documents of many files, all or none, in one transaction. Returns an outcome per file, in order. */
    putFiles,
    /** Deletes files with their documents and everything that depends on them. Returns the number of deleted documents. */
    deleteFiles: (place: SourcePlace, paths: readonly string[]): Promise<number> =>
      transact(db, (trx) => removeFiles(trx, place, paths, now().toISOString())),
    listFiles(place: SourcePlace) {
      const files = db.selectFrom("files").select((eb) => lastReadAt(eb).as("readAt"));
      const rows = files.select(["path", "originalHash", "settings", "status", "reason", "access", "updatedAt"]);
      return rows
        .where(equal(placeOf(place)))
        .orderBy("path")
        .execute();
    },
    listIdentities: (place: SourcePlace) =>
      db
        .selectFrom("documents")
        .select(["id", "file", "path"])
        .where(equal(placeOf(place)))
        .execute(),
    /** Lists files and documents that `scope` may see, by path, without their texts. */
    describe: (scope: Scope) => describeFiles(db, scope),
    /** Returns the access labels of the domain's files and documents. */
    async labels(domain: string): Promise<string[]> {
      const of = (table: "files" | "documents") => db.selectFrom(table).select("access").where("domain", "=", domain);
      const rows = await of("files").union(of("documents")).execute();
      return rows.map(({ access }) => access).sort();
    },
    /** Returns the revision of a domain, which every change of its documents raises; 0: it never had a document. */
    revision: (domain: string): Promise<number> => revisionOf(db, domain),
    /**
     * Returns the head of every document of a domain, by id, without access checks. For building an index, for
     * which every start waits. Reads one JSON row instead of many rows: five times as fast for 10,000 documents.
     */
    async heads(domain: string): Promise<Map<string, DocumentHead>> {
      const rows = jsonRows(db, ["id", "version", "tenant", "access", "path", "title", "description"]).as("rows");
      const all = await db.selectFrom("documents").select(rows).where("domain", "=", domain).executeTakeFirstOrThrow();
      const heads = new Map<string, DocumentHead>();
      type Head = [string, string, string, string, string, string, string | null];
      for (const [id, version, tenant, access, path, title, description] of JSON.parse(all.rows) as Head[])
        heads.set(id, { version, tenant: tenant || null, access, path, title, description });
      return heads;
    },
    /** Returns the documents added, changed or deleted after a revision, each with the revision of its last change, oldest first. */
    async changedSince(domain: string, revision: number): Promise<DocumentChange[]> {
      const changes = db.selectFrom("corpus_log").select(["documentId as id", ({ fn }) => fn.max("revision").as("revision")]);
      const newer = changes.where("domain", "=", domain).where("revision", ">", revision).groupBy("documentId");
      return newer.orderBy("revision").orderBy("documentId").execute();
    },
    async loadForIndex(domain: string, ids: readonly string[]): Promise<IndexedDocument[]> {
      const documents: IndexedDocument[] = [];
      for (const part of inParts(ids)) {
        const all = db.selectFrom("documents").select(["id", "version", "tenant", "access", "path", "title", "description", "text"]);
        const rows = await all.where("domain", "=", domain).where("id", "in", part).orderBy("path").orderBy("id").execute();
        const chunks = await loadChunks(db, part);
        for (const row of rows) documents.push({ ...row, tenant: row.tenant || null, chunks: chunks.get(row.id) ?? [] });
      }
      return documents;
    },
    /** Returns documents by id. Unknown, deleted and invisible ones are absent. */
    load: (scope: Scope, ids: readonly string[]): Promise<Map<string, StoredDocument>> =>
      loadDocuments(db, scope, ids, { cache, visibleVersions }),
    /** Returns the ids that `load` would return, without loading texts. */
    visible: async (scope: Scope, ids: readonly string[]): Promise<Set<string>> => new Set((await versionsOf(scope, ids)).keys()),
    /** Returns the current versions of visible documents by id. */
    versions: versionsOf,
    /**
     * Returns ids of visible documents that contain `text` byte for byte, by path. Reads every text, so use it only
     * when all other searches found nothing.
     */
    async holding(scope: Scope, text: string, limit: number): Promise<string[]> {
      const found = documentsSeen(db, scope).where((eb) => eb(eb.fn<number>("instr", ["text", eb.val(text)]), ">", 0));
      const rows = await found.select("id").orderBy("path").orderBy("id").limit(limit).execute();
      return rows.map(({ id }) => id);
    },
    /** Returns names, headings and pages of visible documents, ordered by path. */
    async outlines(scope: Scope, limit: number = ALL_ROWS): Promise<DocumentOutline[]> {
      const seen = documentsSeen(db, scope).select(["id", "version", "path", "title", "outline", "pages"]);
      const rows = await seen.orderBy("path").orderBy("id").limit(limit).execute();
      return rows.map(({ outline, pages, ...row }) => ({
        ...row,
        headings: (JSON.parse(outline) as [number, number, string][]).map(([start, level, text]) => ({ start, level, text })),
        pages: pages === null ? null : (JSON.parse(pages) as number[]),
      }));
    },
    /** Returns the number of visible documents, and the first `limit` distinct titles, ordered by path. */
    async titles(scope: Scope, limit: number): Promise<{ readonly total: number; readonly titles: readonly string[] }> {
      const seen = documentsSeen(db, scope).select("title").groupBy("title");
      const rows = await seen.orderBy(db.fn.min("path")).limit(limit).execute();
      return { total: (await countOnce(scope)).documents, titles: rows.map(({ title }) => title) };
    },
    /** Counts visible documents and chunks. With an area, counts only chunks that overlap it, and their documents. */
    async counts(scope: Scope, area?: Area): Promise<CorpusCounts> {
      const all = { ...(await countOnce(scope)), unreadable: await unreadableFiles(db, scope) };
      return area === undefined ? all : { ...all, ...(await countArea(db, scope, area)) };
    },
  };
}

export interface DocumentChange {
  readonly id: string;
  readonly revision: number;
}

export type DocumentStore = ReturnType<typeof createDocumentStore>;

/** Checks version and visibility in the database on every call. Reads only documents that the cache lacks. */
async function loadDocuments(
  db: Kysely<Database>,
  scope: Scope,
  ids: readonly string[],
  { cache, visibleVersions }: { readonly cache: DocumentCache; readonly visibleVersions: ReturnType<typeof createVersionReader> },
): Promise<Map<string, StoredDocument>> {
  const loaded = new Map<string, StoredDocument>();
  for (const part of inParts(ids)) {
    const current = await visibleVersions(scope, part);
    const missing: string[] = [];
    for (const { id, version } of current) {
      const known = cache.get(id);
      if (known?.version === version) loaded.set(id, known);
      else missing.push(id);
    }
    if (missing.length === 0) continue;
    const read = (await readDocumentRows(db, missing)).map(({ document }) => document);
    // A document replaced during the read may have chunks of its next version: do not cache it.
    const after = new Map((await visibleVersions(scope, missing)).map(({ id, version }) => [id, version]));
    for (const document of read.filter((one) => isVisible({ ...one, tenant: one.tenant ?? "" }, scope))) {
      loaded.set(document.id, document);
      if (after.get(document.id) === document.version) cache.set(document.id, document);
    }
  }
  return loaded;
}

/**
 * Creates a lookup of visible versions by document id. The scope is checked in the process: with conditions on it,
 * SQLite would use the index of files and read every document of the domain.
 */
function createVersionReader(db: Kysely<Database>) {
  const versionsOf = prepareList((ids) =>
    db.selectFrom("documents").select(["id", "version", "domain", "tenant", "access"]).where("id", "in", ids),
  );
  return async (scope: Scope, ids: readonly string[]) => (await versionsOf(db, ids)).filter((row) => isVisible(row, scope));
}

function isVisible(row: { readonly domain: string; readonly tenant: string; readonly access: string }, scope: Scope): boolean {
  return row.domain === scope.domain && tenantsOf(scope).includes(row.tenant) && scope.access.includes(row.access);
}

async function countArea(db: Kysely<Database>, scope: Scope, area: Area): Promise<Pick<CorpusCounts, "documents" | "chunks" | "asOf">> {
  const dates = new Map<string, string | null>();
  let chunks = 0;
  for (const part of inParts([...area.keys()])) {
    const all = documentsSeen(db, scope).innerJoin("chunks", "chunks.documentId", "documents.id").where("documents.id", "in", part);
    const rows = await all.select(["documents.id", "chunks.start as start", "chunks.end as end", "documents.asOf"]).execute();
    for (const { id, start, end, asOf } of rows) {
      if (!area.get(id)?.ranges.some((range) => start < range.end && range.start < end)) continue;
      dates.set(id, asOf);
      chunks++;
    }
  }
  const stated = [...dates.values()].filter((date) => date !== null).sort();
  const asOf = { from: stated[0] ?? null, to: stated.at(-1) ?? null, undated: dates.size - stated.length };
  return { documents: dates.size, chunks, asOf };
}

async function revisionOf(db: Kysely<Database>, domain: string): Promise<number> {
  const row = await db.selectFrom("revisions").select("revision").where("domain", "=", domain).executeTakeFirst();
  return row?.revision ?? 0;
}

async function countCorpus(db: Kysely<Database>, scope: Scope): Promise<Counted> {
  // Read the revision first. If another process commits meanwhile, the counts may be newer than the revision, but not older.
  const revision = await revisionOf(db, scope.domain);
  const visible = documentsSeen(db, scope);
  const { documents, dated, from, to } = await visible
    .select(({ fn }) => [
      fn.countAll<number>().as("documents"),
      fn.count<number>("asOf").as("dated"),
      fn.min("asOf").as("from"),
      fn.max("asOf").as("to"),
    ])
    .executeTakeFirstOrThrow();
  const withChunks = visible.innerJoin("chunks", "chunks.documentId", "documents.id");
  const { chunks } = await withChunks.select(db.fn.countAll().as("chunks")).executeTakeFirstOrThrow();
  const asOf = { from, to, undated: Number(documents) - Number(dated) };
  return { documents: Number(documents), chunks: Number(chunks), revision, asOf };
}

/** Returns paths of files that failed to parse and have no earlier version. */
async function unreadableFiles(db: Kysely<Database>, scope: Scope): Promise<string[]> {
  const failed = filesSeen(db, scope).where("status", "=", "failed");
  const unread = failed.where((eb) => eb(lastReadAt(eb), "is", null)).orderBy("path");
  return (await unread.select("path").execute()).map(({ path }) => path);
}

/** Selects the files of whose label and tenant a scope may know. */
function filesSeen(db: Kysely<Database>, scope: Scope) {
  const tenants = tenantsOf(scope);
  return db.selectFrom("files").where("domain", "=", scope.domain).where("tenant", "in", tenants).where("access", "in", scope.access);
}

/**
 * Lists visible files with their documents, ordered by path. A scope sees a file if it has the label of the file and
 * may see one of its documents. For a file without documents, the label of the file suffices.
 */
async function describeFiles(db: Kysely<Database>, scope: Scope) {
  const visible = filesSeen(db, scope).where((eb) =>
    eb.or([eb.not(eb.exists(documentsOfFile(eb))), eb.exists(documentsOfFile(eb).where("documents.access", "in", scope.access))]),
  );
  const columns = visible.select(["tenant", "source", "path", "status", "reason", "updatedAt"]);
  const files = await columns.orderBy("path").orderBy("source").execute();
  const documents = await documentsSeen(db, scope)
    .select(["id", "tenant", "source", "file", "path", "title", "version", "pages", "reading"])
    .select((eb) => [
      eb.fn<number>("length", ["text"]).as("characters"),
      eb.selectFrom("chunks").whereRef("chunks.documentId", "=", "documents.id").select(sql<number>`count(*)`.as("n")).as("chunks"),
    ])
    .orderBy("path")
    .execute();
  const byFile = Map.groupBy(documents, ({ tenant, source, file }) => JSON.stringify([tenant, source, file]));
  return files.map((file) => ({
    ...{ ...file, tenant: file.tenant === "" ? null : file.tenant },
    documents: (byFile.get(JSON.stringify([file.tenant, file.source, file.path])) ?? []).map((document) => {
      const { id, path, title, version, pages, reading } = document;
      const count = pages === null ? null : (JSON.parse(pages) as unknown[]).length;
      const { format = null, encoding = null, notices = [] } = reading === null ? {} : (JSON.parse(reading) as Reading);
      const [characters, chunks] = [Number(document.characters), Number(document.chunks)];
      return { id, path, title, version, pages: count, format, encoding, notices, characters, chunks };
    }),
  }));
}

export type FileDescription = Awaited<ReturnType<typeof describeFiles>>[number];
