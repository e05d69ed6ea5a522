import { type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely";
import type { Database } from "./schema.ts";

/** The few things that SQLite and PostgreSQL say in different words; everything else of the store is the same for both. */
export function isPostgres(db: Kysely<Database>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** All selected rows as one JSON text, a list for each row. */
export function jsonRows(db: Kysely<Database>, columns: readonly string[]): RawBuilder<string> {
  const values = sql.join(columns.map((name) => sql.ref(name)));
  return isPostgres(db)
    ? sql<string>`coalesce(json_agg(json_build_array(${values})), '[]')::text`
    : sql<string>`json_group_array(json_array(${values}))`;
}

/** Writes every table anew, PostgreSQL's own of statistics among them where the role may: what was deleted is gone from its pages. Whoever writes waits meanwhile. */
export async function rewrite(db: Kysely<Database>): Promise<void> {
  await (isPostgres(db) ? sql`vacuum (full, analyze)` : sql`vacuum`).execute(db);
}

/** What may still hold what was deleted where `emptyLog` could not empty the log, and what to do. */
export function leftInLog(db: Kysely<Database>): string {
  return isPostgres(db)
    ? "The tables hold nothing of it any more. PostgreSQL's write-ahead log holds it until the server has written over those files, and so do archives of that log, base backups and replicas: they are the administrator's to clear (docs/audit.md says how)."
    : "Another process was reading the database: its log file may still hold old pages. Run it again, or stop that process.";
}

const CHECKPOINT_TRIES = 20;
const CHECKPOINT_RETRY_MS = 50;

/** Moves the write-ahead log into the database and cuts it off: it holds pages as they were. `false`: others kept reading from it, or it is a server's. */
export async function emptyLog(db: Kysely<Database>): Promise<boolean> {
  if (isPostgres(db)) return false;
  for (let tries = 0; tries < CHECKPOINT_TRIES; tries++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(TRUNCATE)`.execute(db);
    if (rows.every(({ busy }) => busy === 0)) return true;
    await new Promise((resolve) => setTimeout(resolve, CHECKPOINT_RETRY_MS));
  }
  return false;
}

/** What other processes are told on, with the name of the domain. */
export const CHANGES_CHANNEL = "sourcebound_changes";

/** Tells the processes on the same PostgreSQL that documents or jobs of a domain change, once the transaction commits. An embedded database has nobody to tell. */
export async function announceChange(db: Kysely<Database>, domain: string): Promise<void> {
  if (isPostgres(db)) await sql`select pg_notify(${CHANGES_CHANNEL}, ${domain})`.execute(db);
}
