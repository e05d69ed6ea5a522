import { type Kysely, PostgresAdapter, type RawBuilder, sql, type Transaction } from "kysely";
import { systemCodeOf } from "../shared/errors.ts";
import type { Database } from "./schema.ts";

/** Ids in one `in (…)`; SQLite allows 32,766 parameters. */
const IDS_PER_QUERY = 500;

/** SQLite requires a limit before an offset. */
export const ALL_ROWS = 1_000_000_000;

/** Splits ids, in order, into non-empty parts for one query each. */
export function inParts<T>(ids: readonly T[]): [T, ...T[]][] {
  const parts: [T, ...T[]][] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const [first, ...rest] = ids.slice(at, at + IDS_PER_QUERY);
    if (first !== undefined) parts.push([first, ...rest]);
  }
  return parts;
}

/** Resources with one writer at a time: the chained audit log, and the numbers of cached answers, which must become visible in order. */
export const TURNS = ["audit", "cache"] as const;

/** Takes the lock on a resource until the transaction ends. */
export async function takeTurn(trx: Transaction<Database>, name: (typeof TURNS)[number]): Promise<void> {
  await trx.selectFrom("turns").select("name").where("name", "=", name).forUpdate().execute();
}

/**
 * PostgreSQL error codes of concurrent transactions: serialization failure, deadlock, and a row that another transaction deleted or
 * inserted between a read and a write. SQLite runs one transaction at a time and raises none of them.
 */
const MET_ANOTHER: ReadonlySet<string> = new Set(["40001", "40P01", "23503", "23505"]);
/** Attempts per transaction: a real conflict is gone at the second one; five failures indicate a bug and must surface. */
const TRIES = 5;
/** Upper bound in milliseconds of the first pause; doubles with each attempt. */
const BACKOFF_MS = 10;

/** Runs `work` in one transaction and repeats it after a conflict: `work` must have no effects outside the database. */
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

/** Returns whether the database is PostgreSQL. This file holds the differences between them; the rest of the store is the same for both. */
export function isPostgres(db: Kysely<Database>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Selects all rows as one JSON text with one array per row. */
export function jsonRows(db: Kysely<Database>, columns: readonly string[]): RawBuilder<string> {
  const values = sql.join(columns.map((name) => sql.ref(name)));
  return isPostgres(db)
    ? sql<string>`coalesce(json_agg(json_build_array(${values})), '[]')::text`
    : sql<string>`json_group_array(json_array(${values}))`;
}

/** Rewrites every table, and PostgreSQL's statistics where permitted, so that deleted data leaves the pages. Blocks writers. */
export async function rewrite(db: Kysely<Database>): Promise<void> {
  await (isPostgres(db) ? sql`vacuum (full, analyze)` : sql`vacuum`).execute(db);
}

/** Explains where deleted data may remain when `emptyLog` could not empty the log, and what to do about it. */
export function leftInLog(db: Kysely<Database>): string {
  return isPostgres(db)
    ? "The tables hold nothing of it any more. PostgreSQL's write-ahead log holds it until the server has written over those files, and so do archives of that log, base backups and replicas: they are the administrator's to clear (docs/privacy.md says how)."
    : "Another process was reading the database, so its log file may still contain old pages. Run the command again, or stop that process.";
}

const CHECKPOINT_TRIES = 20;
const CHECKPOINT_RETRY_MS = 50;

/** Moves the write-ahead log into the database and truncates it. `false`: other connections kept reading from it, or a server owns it. */
export async function emptyLog(db: Kysely<Database>): Promise<boolean> {
  if (isPostgres(db)) return false;
  for (let tries = 0; tries < CHECKPOINT_TRIES; tries++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(TRUNCATE)`.execute(db);
    if (rows.every(({ busy }) => busy === 0)) return true;
    await new Promise((resolve) => setTimeout(resolve, CHECKPOINT_RETRY_MS));
  }
  return false;
}

/** PostgreSQL channel of change notifications; the payload is the name of the domain. */
export const CHANGES_CHANNEL = "sourcebound_changes";

/** Notifies other processes on the same PostgreSQL of changed documents or jobs of a domain, once the transaction commits. */
export async function announceChange(db: Kysely<Database>, domain: string): Promise<void> {
  if (isPostgres(db)) await sql`select pg_notify(${CHANGES_CHANNEL}, ${domain})`.execute(db);
}

/** Checks that all documents exist in these versions, and locks them until the transaction ends. @param versions by id */
export async function areCurrent(trx: Transaction<Database>, versions: ReadonlyMap<string, string>): Promise<boolean> {
  if (versions.size === 0) return true;
  const rows = await trx
    .selectFrom("documents")
    .select(["id", "version"])
    .where("id", "in", [...versions.keys()])
    .orderBy("id")
    .forShare()
    .execute();
  const current = new Map(rows.map(({ id, version }) => [id, version]));
  return [...versions].every(([id, version]) => current.get(id) === version);
}

export async function deletedBy(query: { executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }> }): Promise<number> {
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** Stores an installation-wide fact. */
export async function putFact(db: Kysely<Database>, key: string, value: string): Promise<void> {
  await db
    .insertInto("meta")
    .values({ key, value })
    .onConflict((c) => c.column("key").doUpdateSet({ value }))
    .execute();
}

export async function countAll(db: Kysely<Database>, table: keyof Database): Promise<number> {
  const { n } = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return Number(n);
}
