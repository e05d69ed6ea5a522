import type { Transaction } from "kysely";
import type { Database } from "./schema.ts";

/** What is written by one process at a time: the audit log, whose rows follow each other, and the numbers of cached answers, which become visible in their order. */
export const TURNS = ["audit", "cache"] as const;

/** Waits until nobody else writes it, and keeps the others waiting until the transaction ends. */
export async function takeTurn(trx: Transaction<Database>, name: (typeof TURNS)[number]): Promise<void> {
  await trx.selectFrom("turns").select("name").where("name", "=", name).forUpdate().execute();
}
