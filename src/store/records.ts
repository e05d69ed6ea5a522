import type { Kysely, Selectable, Transaction } from "kysely";
import { sha256Hex } from "../text/hash.ts";
import { pack, unpack } from "./corpus-log.ts";
import { wholeAnswer } from "./interaction.ts";
import { type Given, prepare, prepareRows } from "./prepared.ts";
import type { Database } from "./schema.ts";

/** What an answer was made from, kept beside its interaction: JSON whose shape is its writer's. */
export interface NewRecord {
  /** Revision of the domain whose documents were searched. */
  readonly revision: number;
  /** Everything that shapes answers besides documents and question; stored once for all answers that share it. */
  readonly settings: object;
  readonly body: unknown;
}

export interface StoredRecord extends Omit<NewRecord, "settings"> {
  readonly settings: unknown;
  readonly id: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  readonly question: string;
  /** The answer as JSON text. */
  readonly answer: string;
  readonly cacheMode: string;
  readonly createdAt: string;
}

export interface RecordStore {
  /** @returns `null`: no such interaction, or nothing of it was recorded */
  get(id: string): Promise<StoredRecord | null>;
  /** What these answers were made from; those of which nothing was recorded are left out. */
  bodies(ids: readonly string[]): Promise<Map<string, unknown>>;
  /** Ids of recorded answers of a domain, oldest first. */
  list(domain: string, limit: number): Promise<string[]>;
}

export function createRecordStore(db: Kysely<Database>): RecordStore {
  return {
    async get(id) {
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
      const { tenant, access, cacheMode, createdAt, body, settings, ...rest } = row;
      return {
        ...rest,
        tenant: tenant === "" ? null : tenant,
        access: JSON.parse(access) as string[],
        ...{ cacheMode, createdAt },
        body: unpack(body),
        settings: unpack(settings),
      };
    },
    async bodies(ids) {
      if (ids.length === 0) return new Map();
      const rows = await db.selectFrom("records").select(["interactionId", "body"]).where("interactionId", "in", ids).execute();
      return new Map(rows.map(({ interactionId, body }) => [interactionId, unpack(body)]));
    },
    async list(domain, limit) {
      const rows = await db
        .selectFrom("records")
        .innerJoin("interactions", "interactions.id", "records.interactionId")
        .select("interactions.id")
        .where("records.domain", "=", domain)
        .orderBy("interactions.createdAt")
        .orderBy("interactions.id")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

/** Hashes settings, those that many answers share once. */
function settingsHasher(): (settings: object) => string {
  const known = new WeakMap<object, string>();
  return (settings) => {
    const hash = known.get(settings) ?? sha256Hex(JSON.stringify(settings));
    known.set(settings, hash);
    return hash;
  };
}

/** What an answer was made from, beside its interaction. */
export interface RecordOf {
  readonly interaction: { readonly id: string; readonly domain: string };
  readonly record: NewRecord;
}

/** Stores records in the transaction of their interactions; given also the hashes of settings that the transaction is known to keep, and adds to them. */
export function createRecordWriter(db: Kysely<Database>) {
  const hashOf = settingsHasher();
  const isKept = prepare((given: Given<{ hash: string }>) =>
    db.selectFrom("record_settings").select("hash").where("hash", "=", given("hash")).forKeyShare(),
  );
  const insert = prepareRows((rows: readonly Selectable<Database["records"]>[]) => db.insertInto("records").values(rows));
  return async (trx: Transaction<Database>, records: readonly RecordOf[], known: Set<string>): Promise<void> => {
    const rows: Selectable<Database["records"]>[] = [];
    for (const { interaction, record } of records) {
      const { revision, settings, body } = record;
      const hash = hashOf(settings);
      if (!known.has(hash) && (await isKept(trx, { hash })).length === 0)
        await trx
          .insertInto("record_settings")
          .values({ hash, body: pack(settings) })
          // Another process may be storing the same: the row is held either way until this transaction ends.
          .onConflict((c) => c.column("hash").doUpdateSet((eb) => ({ body: eb.ref("excluded.body") })))
          .execute();
      known.add(hash);
      rows.push({ interactionId: interaction.id, domain: interaction.domain, revision, settings: hash, body: pack(body) });
    }
    await insert(trx, rows);
  };
}

/** Settings that no record names any more. */
export async function dropUnnamedSettings(trx: Transaction<Database>): Promise<void> {
  await trx
    .deleteFrom("record_settings")
    .where("hash", "in", (eb) =>
      eb
        .selectFrom("record_settings")
        .select("hash")
        .where("hash", "not in", (of) => of.selectFrom("records").select("settings"))
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}
