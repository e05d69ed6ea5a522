import { deflateRawSync, inflateRawSync } from "node:zlib";
import { deflateSync } from "fflate";
import { type Kysely, sql, type Transaction } from "kysely";
import type { StoredDocument } from "../shared/types.ts";
import { inParts } from "./dialect.ts";
import { lastReadAt, readDocumentRows } from "./document-rows.ts";
import type { Database } from "./schema.ts";

/** A document in the version that a revision of its domain held. */
export interface HeldVersion {
  readonly id: string;
  readonly version: string;
  readonly tenant: string | null;
  /** SHA-256 (hex) of the file's bytes. */
  readonly originalHash: string;
}

/** A document as it was, with the file that it came from. */
export interface PastDocument {
  /** Path of the file, relative to the source. */
  readonly file: string;
  readonly document: StoredDocument;
}

/** Which documents a domain held at each of its revisions, and the texts of those that were replaced as long as a recorded answer may rest on them. */
export function createCorpusLog(db: Kysely<Database>) {
  return {
    /** What the domain held at a revision, by id. Empty where the log does not reach back to it. */
    async heldAt(domain: string, revision: number): Promise<HeldVersion[]> {
      const rows = await db
        .selectFrom("corpus_log")
        .select(["documentId", "version", "tenant", "originalHash"])
        .where("domain", "=", domain)
        .where("revision", "<=", revision)
        .orderBy("seq")
        .execute();
      const held = new Map<string, HeldVersion>();
      for (const { documentId: id, version, tenant, originalHash } of rows) {
        if (version === "") held.delete(id);
        else held.set(id, { id, version, tenant: tenant === "" ? null : tenant, originalHash });
      }
      return [...held.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    /**
     * Documents of the domain in these versions, the current ones too. What was deleted for good is absent.
     * @param versions id → version
     */
    async past(domain: string, versions: ReadonlyMap<string, string>): Promise<PastDocument[]> {
      const found: PastDocument[] = [];
      for (const ids of inParts([...versions.keys()])) {
        const wanted = ({ document }: PastDocument) => document.domain === domain && versions.get(document.id) === document.version;
        const current = (await readDocumentRows(db, ids)).filter(wanted);
        found.push(...current);
        const replaced = ids.filter((id) => !current.some(({ document }) => document.id === id));
        if (replaced.length === 0) continue;
        const rows = await db
          .selectFrom("document_versions")
          .select(["documentId", "version", "file", "body"])
          .where("domain", "=", domain)
          .where("documentId", "in", replaced)
          .execute();
        for (const { documentId, version, file, body } of rows)
          if (versions.get(documentId) === version) found.push({ file, document: unpack(body) as StoredDocument });
      }
      return found.sort((a, b) => (a.document.id < b.document.id ? -1 : 1));
    },
    /**
     * Versions that a document had since it was read last after a deletion, newest first; the first is the current one. With the revision of the domain at
     * which each came, and whether its text can still be read.
     */
    async versionsOf(domain: string, id: string) {
      const rows = await db
        .selectFrom("corpus_log")
        .select(["version", "revision"])
        .where("domain", "=", domain)
        .where("documentId", "=", id)
        .orderBy("seq", "desc")
        .execute();
      const replaced = await db
        .selectFrom("document_versions")
        .select("version")
        .where("documentId", "=", id)
        .where("domain", "=", domain)
        .execute();
      const texts = new Set(replaced.map(({ version }) => version));
      const end = rows.findIndex(({ version }) => version === "");
      const since = end < 0 ? rows : rows.slice(0, end);
      return since.map(({ version, revision }, i) => ({ version, revision, kept: i === 0 || texts.has(version) }));
    },
    /** Paths, labels and reasons of files that could not be read and are known today; not of those of which an earlier version stands. */
    async unreadable(domain: string) {
      const rows = await db
        .selectFrom("files")
        .select(["tenant", "source", "path", "access", "reason"])
        .where("domain", "=", domain)
        .where("status", "=", "failed")
        .where((eb) => eb(lastReadAt(eb), "is", null))
        .orderBy("path")
        .execute();
      return rows.map(({ tenant, reason, ...row }) => ({ ...row, tenant: tenant === "" ? null : tenant, reason: reason ?? "" }));
    },
  };
}

export type UnreadFile = Awaited<ReturnType<ReturnType<typeof createCorpusLog>["unreadable"]>>[number];

/** Up to so many bytes, setting up the deflating costs more than all that it saves: every answer from the cache has such a record. */
const SHORT = 1_000;

/** JSON, deflated: texts shrink to a third. */
export function pack(value: unknown): Uint8Array {
  const json = Buffer.from(JSON.stringify(value));
  return json.length > SHORT ? deflateRawSync(json) : deflateSync(json, { level: 0 });
}

export function unpack(bytes: Uint8Array | ArrayBuffer): unknown {
  return JSON.parse(inflateRawSync(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)).toString("utf8"));
}

/** What becomes of documents in one change of a domain; the transaction has raised its revision already. */
export interface LoggedChange {
  readonly domain: string;
  readonly tenant: string;
  readonly put: readonly Pick<StoredDocument, "id" | "version" | "originalHash">[];
  readonly gone: readonly string[];
}

/** Enters a change into the log, in the transaction that makes it. */
export async function logChange(trx: Transaction<Database>, { domain, tenant, put, gone }: LoggedChange): Promise<void> {
  const row = await trx.selectFrom("revisions").select("revision").where("domain", "=", domain).executeTakeFirstOrThrow();
  const { revision } = row;
  const entries = [
    ...gone.map((documentId) => ({ documentId, version: "", originalHash: "" })),
    ...put.map(({ id, version, originalHash }) => ({ documentId: id, version, originalHash })),
  ];
  for (const part of inParts(entries))
    await trx
      .insertInto("corpus_log")
      .values(part.map((one) => ({ ...one, domain, tenant, revision })))
      .execute();
}

/** Keeps documents that are about to be replaced, as far as a recorded answer may rest on them: where none is recorded, none is kept. */
export async function keepVersions(trx: Transaction<Database>, ids: readonly string[], domain: string): Promise<void> {
  if (ids.length === 0) return;
  const recorded = await trx.selectFrom("records").select("interactionId").where("domain", "=", domain).limit(1).executeTakeFirst();
  if (recorded === undefined) return;
  for (const { file, document } of await readDocumentRows(trx, ids)) {
    await trx
      .insertInto("document_versions")
      .values({ documentId: document.id, version: document.version, domain, file, body: pack(document) })
      .onConflict((c) => c.columns(["documentId", "version"]).doNothing())
      .execute();
  }
}

/** A document that is deleted takes its past with it: whoever deletes it wants it gone. */
export async function dropVersions(trx: Transaction<Database>, ids: readonly string[]): Promise<void> {
  for (const part of inParts(ids)) await trx.deleteFrom("document_versions").where("documentId", "in", part).execute();
}

/** Drops replaced texts that no recorded answer can rest on any more: those replaced before the oldest record of their domain was made. */
export async function dropUnneededVersions(trx: Transaction<Database>): Promise<void> {
  await sql`
    delete from document_versions where not exists (
      select 1 from records where records.domain = document_versions.domain and records.revision < (
        select min(later.revision) from corpus_log as later
        where later.document_id = document_versions.document_id and later.version <> document_versions.version
          and later.seq > (select max(own.seq) from corpus_log as own
            where own.document_id = document_versions.document_id and own.version = document_versions.version)))`.execute(trx);
}
