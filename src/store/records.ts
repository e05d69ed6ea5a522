import type { Kysely, Selectable, Transaction } from "kysely";
import { sha256Hex } from "../text/hash.ts";
import { pack, unpack } from "./corpus-log.ts";
import { askerOf, createSharedWriter, wholeAnswer } from "./interaction.ts";
import { prepareRows } from "./prepared.ts";
import type { Database } from "./schema.ts";

/** The inputs of an answer, stored with its interaction; the writer defines the shape of the JSON. */
export interface NewRecord {
  /** Revision of the searched domain. */
  readonly revision: number;
  /** Everything that determines an answer except documents and question; stored once for all answers that share it. */
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
      if (ids.length === 0) return new Map();
      const rows = await db.selectFrom("records").select(["interactionId", "body"]).where("interactionId", "in", ids).execute();
      return new Map(rows.map(({ interactionId, body }) => [interactionId, unpack(body)]));
    },
  };
}

/** Creates a writer for the transaction of the interactions; it uses and extends the set of known settings hashes. */
export function createRecordWriter(db: Kysely<Database>) {
  /** Hashes by identity: many answers share one settings object. */
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
