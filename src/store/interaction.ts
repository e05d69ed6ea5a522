import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { sha256Hex } from "../text/hash.ts";
import { pack, unpack } from "./corpus-log.ts";
import { type Given, prepare, prepareRows, upsert } from "./dialect.ts";
import type { Database } from "./schema.ts";

export type ReviewStatus = Database["interactions"]["reviewStatus"];

/** A question with its answer. The caller has redacted both. */
export interface Interaction
  extends Readonly<
    Pick<Database["interactions"], "id" | "domain" | "profile" | "question" | "status" | "confidence" | "chance" | "cacheMode">
  > {
  readonly tenant: string | null;
  readonly access: readonly string[];
  /** The session's name; only its keyed hash is stored. */
  readonly sessionId: string | null;
  /** The user's id; only its keyed hash is stored. */
  readonly userId?: string | null | undefined;
  /** The answer as JSON text. */
  readonly answer: string;
  /** Members that many answers share. They are stored once instead of in `answer`; absent: none. */
  readonly content?: SharedContent | null | undefined;
}

/** Further data of an interaction, mostly measurements; `null`: unknown or none. */
export interface InteractionFacts
  extends Readonly<Pick<Database["interactions"], "privacy" | "curatedKey" | "cacheKey" | "reason" | "warnings" | "conflicts">>,
    Readonly<Pick<Database["interactions"], "tokens" | "costUsd" | "savedTokens" | "savedUsd" | "latencyMs">> {
  /** The question as asked; only hashes of it and of `resolved` are stored. */
  readonly asked: string;
  readonly resolved: string;
  /** Sentences and cited document versions as one text; only its hash is stored. */
  readonly answered: string;
  readonly topics: readonly string[];
  /** Document versions (id → version) cited by an answer that a reviewer wrote; it is stored as approved. `null`: other answers. */
  readonly approved: ReadonlyMap<string, string> | null;
}

/** Members that many stored answers share, as a JSON object. */
export interface SharedContent {
  /** SHA-256 of `body`. */
  readonly hash: string;
  /** JSON with at least one member. The answer itself contains none of them. */
  readonly body: string;
}

/** Selects from interactions, joined with the shared content that `wholeAnswer` needs. */
export function withContents(db: Kysely<Database>) {
  return db.selectFrom("interactions").leftJoin("answer_contents", "answer_contents.hash", "interactions.content");
}

/** The complete answer of a `withContents` row as JSON text. Joined in SQL, so that no caller reads an incomplete answer. */
export const wholeAnswer = sql<string>`case when answer_contents.body is null then interactions.answer
  else substr(interactions.answer, 1, length(interactions.answer) - 1) || ',' || substr(answer_contents.body, 2) end`;

/**
 * Creates a writer that stores shared content once, in the transaction of the answer that references it.
 * @returns the writer; its last argument is the set of hashes that are known to be stored, to which it adds `hash`
 */
export function createSharedWriter<Table extends "answer_contents" | "record_settings">(db: Kysely<Database>, table: Table) {
  const name = table as "answer_contents";
  const isKept = prepare((given: Given<{ hash: string }>) =>
    db.selectFrom(name).select("hash").where("hash", "=", given("hash")).forKeyShare(),
  );
  return async (trx: Transaction<Database>, hash: string, makeBody: () => Database[Table]["body"], known: Set<string>): Promise<void> => {
    if (known.has(hash)) return;
    known.add(hash);
    if ((await isKept(trx, { hash })).length > 0) return;
    const body = makeBody() as string;
    // If another process stores the same content, the update locks its row until this transaction ends.
    await upsert(trx, name, { hash, body }, ["hash"], { body });
  };
}

export type Asker = Pick<Interaction, "domain" | "tenant" | "access">;

export function askerOf({ domain, tenant, access }: { readonly domain: string; readonly tenant: string; readonly access: string }): Asker {
  return { domain, tenant: tenant || null, access: JSON.parse(access) as string[] };
}

/** The inputs of an answer, stored with its interaction. The caller defines the shape of `body`. */
export interface NewRecord {
  /** Revision of the searched domain. */
  readonly revision: number;
  /** Everything that determines an answer, except documents and question. Stored once for all answers with equal settings. */
  readonly settings: object;
  readonly body: unknown;
}

/** A record with its interaction; `answer` is JSON text. */
export type StoredRecord = NonNullable<Awaited<ReturnType<ReturnType<typeof createRecordStore>["get"]>>>;

export function createRecordStore(db: Kysely<Database>) {
  return {
    /** @returns `null`: no such interaction, or no record of it */
    async get(id: string) {
      const row = await db
        .selectFrom("records")
        .innerJoin("interactions", "interactions.id", "records.interactionId")
        .innerJoin("record_settings", "record_settings.hash", "records.settings")
        .leftJoin("answer_contents", "answer_contents.hash", "interactions.content")
        .select(["interactions.id", "interactions.domain", "interactions.tenant", "interactions.access", "interactions.question"])
        .select([wholeAnswer.as("answer"), "interactions.cacheMode", "interactions.createdAt"])
        .select(["records.revision", "records.body", "record_settings.body as settings"])
        .where("records.interactionId", "=", id)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { ...row, ...askerOf(row), body: unpack(row.body), settings: unpack(row.settings) };
    },
    /** Returns record bodies by interaction; interactions without a record are absent. */
    async bodies(ids: readonly string[]): Promise<Map<string, unknown>> {
      const rows = await db.selectFrom("records").select(["interactionId", "body"]).where("interactionId", "in", ids).execute();
      return new Map(rows.map(({ interactionId, body }) => [interactionId, unpack(body)]));
    },
  };
}

/** Creates a writer for the transaction that stores interactions. Its argument `known` is as in `createSharedWriter`. */
export function createRecordWriter(db: Kysely<Database>) {
  /** Hashes of settings by object identity, because many answers share one object. */
  const hashes = new WeakMap<object, string>();
  const keep = createSharedWriter(db, "record_settings");
  const insert = prepareRows((rows: readonly Selectable<Database["records"]>[]) => db.insertInto("records").values(rows));
  return async (
    trx: Transaction<Database>,
    records: readonly (NewRecord & { readonly interactionId: string; readonly domain: string })[],
    known: Set<string>,
  ): Promise<void> => {
    const rows: Selectable<Database["records"]>[] = [];
    for (const { interactionId, domain, revision, settings, body } of records) {
      const hash = hashes.get(settings) ?? sha256Hex(JSON.stringify(settings));
      hashes.set(settings, hash);
      await keep(trx, hash, () => pack(settings), known);
      rows.push({ interactionId, domain, revision, settings: hash, body: pack(body) });
    }
    await insert(trx, rows);
  };
}
