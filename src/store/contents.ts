import { type Kysely, sql, type Transaction } from "kysely";
import { type Given, prepare } from "./prepared.ts";
import type { Database } from "./schema.ts";

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
 * Keeps it where it is not kept yet, in the transaction of the answer that names it.
 * @returns a writer, which is given the hashes that its transaction is known to keep, and adds to them
 */
export function createContentWriter(db: Kysely<Database>) {
  const isKept = prepare((given: Given<{ hash: string }>) =>
    db.selectFrom("answer_contents").select("hash").where("hash", "=", given("hash")).forKeyShare(),
  );
  return async (trx: Transaction<Database>, { hash, body }: SharedContent, known: Set<string>): Promise<void> => {
    if (known.has(hash)) return;
    known.add(hash);
    if ((await isKept(trx, { hash })).length > 0) return;
    await trx
      .insertInto("answer_contents")
      .values({ hash, body })
      // Another process may be storing the same: the row is held either way until this transaction ends.
      .onConflict((c) => c.column("hash").doUpdateSet((eb) => ({ body: eb.ref("excluded.body") })))
      .execute();
  };
}

/** Contents that no answer names any more. */
export async function dropUnnamedContents(trx: Transaction<Database>): Promise<void> {
  await trx
    .deleteFrom("answer_contents")
    .where("hash", "in", (eb) =>
      eb
        .selectFrom("answer_contents")
        .select("hash")
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("interactions").select("interactions.id").whereRef("interactions.content", "=", "answer_contents.hash"))),
        )
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}
