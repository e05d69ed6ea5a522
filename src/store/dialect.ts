import { type Kysely, PostgresAdapter, type RawBuilder, sql, type Transaction } from "kysely";
import { systemCodeOf } from "../shared/errors.ts";
import type { Database } from "./schema.ts";

/** Ids in one `in (…)`; SQLite allows 32,766 parameters. */
const IDS_PER_QUERY = 500;

/** The same in their order, in parts of as many as one query takes; no part is empty. */
export function inParts<T>(ids: readonly T[]): [T, ...T[]][] {
  const parts: [T, ...T[]][] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const [first, ...rest] = ids.slice(at, at + IDS_PER_QUERY);
    if (first !== undefined) parts.push([first, ...rest]);
  }
  return parts;
}

/** What is written by one process at a time: the audit log, whose rows follow each other, and the numbers of cached answers, which become visible in their order. */
export const TURNS = ["audit", "cache"] as const;

/** Waits until nobody else writes it, and keeps the others waiting until the transaction ends. */
export async function takeTurn(trx: Transaction<Database>, name: (typeof TURNS)[number]): Promise<void> {
  await trx.selectFrom("turns").select("name").where("name", "=", name).forUpdate().execute();
}

/**
 * What PostgreSQL says of a transaction that met another one: serialization failure, deadlock, and a row that the other one made or took away between
 * a look and a write. SQLite, where one transaction runs at a time, says none of them.
 */
const MET_ANOTHER: ReadonlySet<string> = new Set(["40001", "40P01", "23503", "23505"]);
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
    ? "The tables hold nothing of it any more. PostgreSQL's write-ahead log holds it until the server has written over those files, and so do archives of that log, base backups and replicas: they are the administrator's to clear (docs/privacy.md says how)."
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

/** Are all documents there, in these versions? They stay so until the transaction ends. @param versions by id */
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

/** Number of rows that a statement deletes. */
export async function deletedBy(query: { executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }> }): Promise<number> {
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** Sets a fact of the installation. */
export async function putFact(db: Kysely<Database>, key: string, value: string): Promise<void> {
  await db
    .insertInto("meta")
    .values({ key, value })
    .onConflict((c) => c.column("key").doUpdateSet({ value }))
    .execute();
}

/** Number of rows of a table. */
export async function countAll(db: Kysely<Database>, table: keyof Database): Promise<number> {
  const { n } = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return Number(n);
}
