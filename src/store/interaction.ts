import { type Kysely, sql, type Transaction } from "kysely";
import { type Given, prepare } from "./prepared.ts";
import type { Database } from "./schema.ts";

export type ReviewStatus = Database["interactions"]["reviewStatus"];

/** A stored question with its answer, both redacted by the caller. */
export interface Interaction {
  readonly id: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  readonly profile: string;
  /** As the asker named it; only a keyed hash of it is stored. */
  readonly sessionId: string | null;
  /** As the asker named it; only a keyed hash of it is stored. */
  readonly userId?: string | null | undefined;
  readonly question: string;
  /** The answer as JSON text. */
  readonly answer: string;
  /** What of the answer stands there instead of in `answer`, since others have it too; absent: nothing. */
  readonly content?: SharedContent | null | undefined;
  readonly status: string;
  readonly confidence: number | null;
  /** What the learned gate said before any calibration; `null`: it did not judge, or the answer was a cached one. */
  readonly chance: number | null;
  readonly cacheMode: string;
}

/** What is counted of an interaction; everything absent is unknown or none. */
export interface InteractionFacts
  extends Readonly<Pick<Database["interactions"], "privacy" | "curatedKey" | "cacheKey" | "reason" | "warnings" | "conflicts">>,
    Readonly<Pick<Database["interactions"], "tokens" | "costUsd" | "savedTokens" | "savedUsd" | "latencyMs">> {
  /** The question as it was asked and as it was understood: hashed here, not stored. */
  readonly asked: string;
  readonly resolved: string;
  /** Sentences and cited versions, as text: hashed here, not stored. */
  readonly answered: string;
  readonly topics: readonly string[];
  /** Of an answer that a reviewer wrote: approved, with the versions on which it rests. */
  readonly approved: ReadonlyMap<string, string> | null;
}

/** A part of an answer that many stored answers have in common, as a JSON object of its own. */
export interface SharedContent {
  /** SHA-256 of `body`. */
  readonly hash: string;
  /** At least one member, and none that an answer of which it is a part has itself. */
  readonly body: string;
}

/** Interactions with their whole answers as `answer`. */
export function withContents(db: Kysely<Database>) {
  return db.selectFrom("interactions").leftJoin("answer_contents", "answer_contents.hash", "interactions.content");
}

/** The whole answer of a row of `withContents`, as JSON text: joined by the database, so that nobody can read half of it. */
export const wholeAnswer = sql<string>`case when answer_contents.body is null then interactions.answer
  else substr(interactions.answer, 1, length(interactions.answer) - 1) || ',' || substr(answer_contents.body, 2) end`;

/**
 * Keeps what many answers share where it is not kept yet, in the transaction of the answer that names it.
 * @returns a writer, which is given the hashes that its transaction is known to keep, and adds to them
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
      // Another process may be storing the same: the row is held either way until this transaction ends.
      .onConflict((c) => c.column("hash").doUpdateSet((eb) => ({ body: eb.ref("excluded.body") })))
      .execute();
  };
}

/** For whom an answer was given. */
export type Asker = Pick<Interaction, "domain" | "tenant" | "access">;

export function askerOf({ domain, tenant, access }: { readonly domain: string; readonly tenant: string; readonly access: string }): Asker {
  return { domain, tenant: tenant || null, access: JSON.parse(access) as string[] };
}
