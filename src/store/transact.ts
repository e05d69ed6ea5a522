import type { Kysely, Transaction } from "kysely";
import { systemCodeOf } from "../errors.ts";
import { GROUP_UNDONE } from "./group-commit.ts";
import type { Database } from "./schema.ts";

/**
 * What PostgreSQL says of a transaction that met another one: serialization failure, deadlock, and a row that the other one made or took away between
 * a look and a write. SQLite, where one transaction runs at a time, says none of them; there, a fault of one can undo those that share its commit.
 */
const MET_ANOTHER: ReadonlySet<string> = new Set(["40001", "40P01", "23503", "23505", GROUP_UNDONE]);
/** Tries of one transaction: a real conflict is gone at the second one, and what fails five times is a fault of ours that must be seen. */
const TRIES = 5;
/** Milliseconds before the second try, at most; twice as many before each further one. */
const BACKOFF_MS = 10;

/** Runs `work` in one transaction, again from its beginning where it met another one: it must do nothing outside of the database. */
export async function transact<T>(db: Kysely<Database>, work: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (tried >= TRIES || !MET_ANOTHER.has(systemCodeOf(error) ?? "")) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * BACKOFF_MS * 2 ** tried));
    }
  }
}
