import { CompiledQuery, type Kysely } from "kysely";
import { isPostgres } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** Table of the counts that processes share, with the columns that `rate-limiter-flexible` writes. */
export const COUNTER_TABLE = "rate_limits" satisfies keyof Database;

/** The part of a PostgreSQL client that `rate-limiter-flexible` needs. */
export interface CounterClient {
  query(query: { readonly text: string; readonly values?: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

/** @returns `null` for an embedded database: one process answers from it, and counts in its memory */
export function createCounterClient(db: Kysely<Database>): CounterClient | null {
  if (!isPostgres(db)) return null;
  return { query: ({ text, values = [] }) => db.executeQuery(CompiledQuery.raw(text, [...values])) };
}
