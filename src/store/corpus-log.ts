import { deflateRawSync, inflateRawSync } from "node:zlib";
import { deflateSync } from "fflate";
import { type Kysely, sql, type Transaction } from "kysely";
import type { StoredDocument } from "../shared/types.ts";
import { deleteBy, equal, inParts, upsert } from "./dialect.ts";
import { lastReadAt, readDocumentRows } from "./document-rows.ts";
import type { Database } from "./schema.ts";

/** A document version that a domain contained at a revision. */
export interface HeldVersion {
  readonly id: string;
  readonly version: string;
  readonly tenant: string | null;
  /** SHA-256 (hex) of the file's bytes. */
  readonly originalHash: string;
}

/** A document version with its source file. */
export interface PastDocument {
  /** Path of the file, relative to the source. */
  readonly file: string;
  readonly document: StoredDocument;
}

/** The log of document versions by domain revision. A replaced text is stored as long as a recorded answer may depend on it. */
export function createCorpusLog(db: Kysely<Database>) {
  return {
    /** Returns the documents that the domain contained at a revision, ordered by id; empty for revisions before the log began. */
    async heldAt(domain: string, revision: number): Promise<HeldVersion[]> {
      const log = db.selectFrom("corpus_log").select(["documentId", "version", "tenant", "originalHash"]);
      const rows = await log.where("domain", "=", domain).where("revision", "<=", revision).orderBy("seq").execute();
      const held = new Map<string, HeldVersion>();
      for (const { documentId: id, version, tenant, originalHash } of rows) {
        if (version === "") held.delete(id);
        else held.set(id, { id, version, tenant: tenant === "" ? null : tenant, originalHash });
      }
      return [...held.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    /** Returns documents in these versions, current or replaced. Deleted documents are absent. @param versions id → version */
    async past(domain: string, versions: ReadonlyMap<string, string>): Promise<PastDocument[]> {
      const found: PastDocument[] = [];
      for (const ids of inParts([...versions.keys()])) {
        const wanted = ({ document }: PastDocument) => document.domain === domain && versions.get(document.id) === document.version;
        const current = (await readDocumentRows(db, ids)).filter(wanted);
        found.push(...current);
        const replaced = ids.filter((id) => !current.some(({ document }) => document.id === id));
        if (replaced.length === 0) continue;
        const kept = db.selectFrom("document_versions").select(["documentId", "version", "file", "body"]);
        const rows = await kept.where("domain", "=", domain).where("documentId", "in", replaced).execute();
        for (const { documentId, version, file, body } of rows)
          if (versions.get(documentId) === version) found.push({ file, document: unpack(body) as StoredDocument });
      }
      return found.sort((a, b) => (a.document.id < b.document.id ? -1 : 1));
    },
    /**
     * Returns a document's versions since it was last deleted, the current one first. `revision` is the domain's
     * revision that added the version; `kept` says whether its text is still available.
     */
    async versionsOf(domain: string, id: string) {
      const of = { domain, documentId: id };
      const rows = await db.selectFrom("corpus_log").select(["version", "revision"]).where(equal(of)).orderBy("seq", "desc").execute();
      const replaced = await db.selectFrom("document_versions").select("version").where(equal(of)).execute();
      const texts = new Set(replaced.map(({ version }) => version));
      const end = rows.findIndex(({ version }) => version === "");
      const since = end < 0 ? rows : rows.slice(0, end);
      return since.map(({ version, revision }, i) => ({ version, revision, kept: i === 0 || texts.has(version) }));
    },
    /** Returns path, access label and error of each file that failed to parse and has no earlier version. */
    async unreadable(domain: string) {
      const rows = await db
        .selectFrom("files")
        .select(["tenant", "source", "path", "access", "reason"])
        .where((eb) => eb.and([eb.and({ domain, status: "failed" }), eb(lastReadAt(eb), "is", null)]))
        .orderBy("path")
        .execute();
      return rows.map(({ tenant, reason, ...row }) => ({ ...row, tenant: tenant === "" ? null : tenant, reason: reason ?? "" }));
    },
  };
}

export type UnreadFile = Awaited<ReturnType<ReturnType<typeof createCorpusLog>["unreadable"]>>[number];

/**
 * Maximum bytes of JSON that is stored without compression. Every answer from the cache writes a short record, and
 * compressing it would cost more than it saves.
 */
const SHORT = 1_000;

/** Serialises to compressed JSON. Texts shrink to about a third. */
export function pack(value: unknown): Uint8Array {
  const json = Buffer.from(JSON.stringify(value));
  return json.length > SHORT ? deflateRawSync(json) : deflateSync(json, { level: 0 });
}

export function unpack(bytes: Uint8Array): unknown {
  return JSON.parse(inflateRawSync(bytes).toString("utf8"));
}

/** A change of a domain's documents. The transaction must have raised the domain's revision before. */
export interface LoggedChange {
  readonly domain: string;
  readonly tenant: string;
  readonly put: readonly Pick<StoredDocument, "id" | "version" | "originalHash">[];
  readonly gone: readonly string[];
}

/** Logs a change, in the transaction that makes it. */
export async function logChange(trx: Transaction<Database>, { domain, tenant, put, gone }: LoggedChange): Promise<void> {
  const row = await trx.selectFrom("revisions").select("revision").where("domain", "=", domain).executeTakeFirstOrThrow();
  const of = { domain, tenant, revision: row.revision };
  const entries = [
    ...gone.map((documentId) => ({ ...of, documentId, version: "", originalHash: "" })),
    ...put.map(({ id, version, originalHash }) => ({ ...of, documentId: id, version, originalHash })),
  ];
  for (const part of inParts(entries)) await trx.insertInto("corpus_log").values(part).execute();
}

/** Stores copies of documents that are about to be replaced, if the domain has recorded answers that may depend on them. */
export async function keepVersions(trx: Transaction<Database>, ids: readonly string[], domain: string): Promise<void> {
  if (ids.length === 0) return;
  const recorded = await trx.selectFrom("records").select("interactionId").where("domain", "=", domain).limit(1).executeTakeFirst();
  if (recorded === undefined) return;
  for (const { file, document } of await readDocumentRows(trx, ids)) {
    const row = { documentId: document.id, version: document.version, domain, file, body: pack(document) };
    await upsert(trx, "document_versions", row, ["documentId", "version"]);
  }
}

/** Deletes all replaced versions of deleted documents, because a deletion must be complete. */
export async function dropVersions(trx: Transaction<Database>, ids: readonly string[]): Promise<void> {
  await deleteBy(trx, "document_versions", "documentId", ids);
}

/** Deletes texts that were replaced before the domain's oldest record, because no recorded answer depends on them. */
export async function dropUnneededVersions(trx: Transaction<Database>): Promise<void> {
  await sql`
    delete from document_versions where not exists (
      select 1 from records where records.domain = document_versions.domain and records.revision < (
        select min(later.revision) from corpus_log as later
        where later.document_id = document_versions.document_id and later.version <> document_versions.version
          and later.seq > (select max(own.seq) from corpus_log as own
            where own.document_id = document_versions.document_id and own.version = document_versions.version)))`.execute(trx);
}
