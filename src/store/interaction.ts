import { type Kysely, sql, type Transaction } from "kysely";
import { type Given, prepare } from "./prepared.ts";
import type { Database } from "./schema.ts";

export type ReviewStatus = Database["interactions"]["reviewStatus"];

/** A question with its answer, both redacted by the caller. */
export interface Interaction {
  readonly id: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  readonly profile: string;
  /** The asker's session name; only its keyed hash is stored. */
  readonly sessionId: string | null;
  /** The asker's user id; only its keyed hash is stored. */
  readonly userId?: string | null | undefined;
  readonly question: string;
  /** JSON text. */
  readonly answer: string;
  /** Members of the answer that other answers share, stored once instead of in `answer`; absent: none. */
  readonly content?: SharedContent | null | undefined;
  readonly status: string;
  readonly confidence: number | null;
  /** Uncalibrated output of the learned gate; `null`: the gate did not run, or the answer came from the cache. */
  readonly chance: number | null;
  readonly cacheMode: string;
}

/** Measurements of an interaction; absent values are unknown or none. */
export interface InteractionFacts
  extends Readonly<Pick<Database["interactions"], "privacy" | "curatedKey" | "cacheKey" | "reason" | "warnings" | "conflicts">>,
    Readonly<Pick<Database["interactions"], "tokens" | "costUsd" | "savedTokens" | "savedUsd" | "latencyMs">> {
  /** The question as asked and as resolved: hashed here, not stored. */
  readonly asked: string;
  readonly resolved: string;
  /** Sentences and cited versions as text: hashed here, not stored. */
  readonly answered: string;
  readonly topics: readonly string[];
  /** For an answer that a reviewer wrote: approved, with the document versions that it cites. */
  readonly approved: ReadonlyMap<string, string> | null;
}

/** A part shared by many stored answers, as a JSON object. */
export interface SharedContent {
  /** SHA-256 of `body`. */
  readonly hash: string;
  /** At least one member; no member also occurs in the rest of the answer. */
  readonly body: string;
}

/** Selects interactions for `wholeAnswer`, which includes shared content. */
export function withContents(db: Kysely<Database>) {
  return db.selectFrom("interactions").leftJoin("answer_contents", "answer_contents.hash", "interactions.content");
}

/** The complete answer of a `withContents` row as JSON text; joined in SQL, so that no caller reads an incomplete answer. */
export const wholeAnswer = sql<string>`case when answer_contents.body is null then interactions.answer
  else substr(interactions.answer, 1, length(interactions.answer) - 1) || ',' || substr(answer_contents.body, 2) end`;

/**
 * Creates a writer that stores shared content once, in the transaction of the answer that references it.
 * @returns a writer; it takes the set of hashes that the transaction is known to hold, and adds to it
 */
export function createSharedWriter<Table extends "answer_contents" | "record_settings">(db: Kysely<Database>, table: Table) {
  const isKept = prepare((given: Given<{ hash: string }>) =>
    db
      .selectFrom(table as "answer_contents")
      .select("hash")
      .where("hash", "=", given("hash"))
      .forKeyShare(),
  );
  return async (trx: Transaction<Database>, hash: string, makeBody: () => Database[Table]["body"], known: Set<string>): Promise<void> => {
    if (known.has(hash)) return;
    known.add(hash);
    if ((await isKept(trx, { hash })).length > 0) return;
    await trx
      .insertInto(table as "answer_contents")
      .values({ hash, body: makeBody() as string })
      // Another process may store the same content: the update locks the row until this transaction ends.
      .onConflict((c) => c.column("hash").doUpdateSet((eb) => ({ body: eb.ref("excluded.body") })))
      .execute();
  };
}

export type Asker = Pick<Interaction, "domain" | "tenant" | "access">;

export function askerOf({ domain, tenant, access }: { readonly domain: string; readonly tenant: string; readonly access: string }): Asker {
  return { domain, tenant: tenant || null, access: JSON.parse(access) as string[] };
}
