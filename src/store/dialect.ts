import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type {
  Compilable,
  CompiledQuery,
  ExpressionBuilder,
  FilterObject,
  Insertable,
  Kysely,
  QueryResult,
  RawBuilder,
  RootOperationNode,
  Transaction,
  Updateable,
} from "kysely";
import { InsertQueryNode, PostgresAdapter, SqliteAdapter, sql } from "kysely";
import { LRUCache } from "lru-cache";
import { systemCodeOf } from "../shared/errors.ts";
import type { Database } from "./schema.ts";

/** Maximum number of ids in one `in (…)`; SQLite allows 32,766 parameters. */
const IDS_PER_QUERY = 500;

/** A limit above any number of rows. Needed because SQLite accepts an offset only with a limit. */
export const ALL_ROWS = 1_000_000_000;

/** Kysely's adapter for PostgreSQL, with access to the connection counts of the pool. */
export class PooledAdapter extends PostgresAdapter {
  readonly pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number };
  constructor(pool: PooledAdapter["pool"]) {
    super();
    this.pool = pool;
  }
}

/** Splits ids, in order, into non-empty parts for one query each. */
export function inParts<T>(ids: readonly T[]): [T, ...T[]][] {
  const parts: [T, ...T[]][] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const [first, ...rest] = ids.slice(at, at + IDS_PER_QUERY);
    if (first !== undefined) parts.push([first, ...rest]);
  }
  return parts;
}

/**
 * Resources that only one transaction at a time may write: the audit log, whose rows form a hash chain, and cached
 * answers, whose sequence numbers must become visible in ascending order.
 */
const TURNS = ["audit", "cache"] as const;

/** Locks a resource until the transaction ends. */
export async function takeTurn(trx: Transaction<Database>, name: (typeof TURNS)[number]): Promise<void> {
  await trx.selectFrom("turns").select("name").where("name", "=", name).forUpdate().execute();
}

/**
 * PostgreSQL error codes of conflicts between transactions: serialization failure, deadlock, and a row that another
 * transaction deleted or inserted between a read and a write. SQLite runs one transaction at a time and never raises
 * them.
 */
const MET_ANOTHER: ReadonlySet<string> = new Set(["40001", "40P01", "23503", "23505"]);
/** Maximum number of attempts per transaction. A conflict is usually gone at the second attempt; five failures indicate a bug. */
const TRIES = 5;
/** Milliseconds. The pause after attempt n is a random time of up to `BACKOFF_MS` · 2ⁿ. */
const BACKOFF_MS = 10;

/** Runs `work` in one transaction. Repeats it after a conflict, so `work` must have no effects outside the database. */
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

/** Returns true for PostgreSQL, false for SQLite. Code that differs between them belongs in this file. */
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

/** Rewrites every table, so that deleted data leaves the pages. Renews PostgreSQL's statistics where permitted. Blocks writers. */
export async function rewrite(db: Kysely<Database>): Promise<void> {
  await (isPostgres(db) ? sql`vacuum (full, analyze)` : sql`vacuum`).execute(db);
}

/** Returns a message for when `emptyLog` returned `false`: where deleted data may remain, and what to do about it. */
export function leftInLog(db: Kysely<Database>): string {
  return isPostgres(db)
    ? "The tables no longer contain the deleted data. PostgreSQL's write-ahead log contains it until the server overwrites those files. Archives of that log, base backups and replicas contain it as well: have your administrator clear them (docs/privacy.md says how)."
    : "Another process was reading the database, so the database's log file may still contain deleted data. Run the command again, after stopping that process if necessary.";
}

const CHECKPOINT_TRIES = 20;
const CHECKPOINT_RETRY_MS = 50;

/**
 * Moves the write-ahead log into the database and truncates the log. Returns `false` if other connections read the log
 * for too long, or for PostgreSQL, which manages its own log.
 */
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

/** Notifies other processes of changed documents or jobs of a domain, once the transaction commits. Does nothing on SQLite. */
export async function announceChange(db: Kysely<Database>, domain: string): Promise<void> {
  if (isPostgres(db)) await sql`select pg_notify(${CHANGES_CHANNEL}, ${domain})`.execute(db);
}

/** Checks that all documents exist in these versions, and locks them until the transaction ends. @param versions id → version */
export async function areCurrent(trx: Transaction<Database>, versions: ReadonlyMap<string, string>): Promise<boolean> {
  if (versions.size === 0) return true;
  const ids = [...versions.keys()];
  const rows = await trx.selectFrom("documents").select(["id", "version"]).where("id", "in", ids).orderBy("id").forShare().execute();
  const current = new Map(rows.map(({ id, version }) => [id, version]));
  return [...versions].every(([id, version]) => current.get(id) === version);
}

export async function deletedBy(query: { executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }> }): Promise<number> {
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** Returns a condition for `where`: each of the columns has the given value. */
export function equal<Tables extends keyof Database>(columns: FilterObject<Database, Tables>) {
  return (eb: ExpressionBuilder<Database, Tables>) => eb.and(columns);
}

type Column<Table extends keyof Database> = keyof Database[Table] & string;

/** Deletes the rows with one of the values in a column, in any number. Returns the number of deleted rows. */
export async function deleteBy<T extends keyof Database>(
  db: Kysely<Database>,
  table: T,
  column: Column<T>,
  values: readonly (string | number)[],
): Promise<number> {
  let deleted = 0;
  for (const part of inParts(values))
    deleted += await deletedBy(db.deleteFrom(table as "session_turns").where(column as "id", "in", part as number[]));
  return deleted;
}

/**
 * Inserts a row, or makes the changes to the stored row with the same key. Without changes, the stored row stays.
 * @returns true if a row was inserted or changed
 */
export async function upsert<T extends keyof Database>(
  db: Kysely<Database>,
  table: T,
  row: Insertable<Database[T]>,
  key: readonly Column<T>[],
  changes?: Updateable<Database[T]>,
): Promise<boolean> {
  const insert = db.insertInto(table as "meta").values(row as Insertable<Database["meta"]>);
  const atConflict = insert.onConflict((c) => {
    const found = c.columns(key as readonly string[] as ["key"]);
    return changes === undefined ? found.doNothing() : found.doUpdateSet(changes as Updateable<Database["meta"]>);
  });
  return ((await atConflict.executeTakeFirstOrThrow()).numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Stores a text for the whole installation under a key, in table `meta`. */
export async function putFact(db: Kysely<Database>, key: string, value: string): Promise<void> {
  await upsert(db, "meta", { key, value }, ["key"], { value });
}

export async function countAll(db: Kysely<Database>, table: keyof Database): Promise<number> {
  const query = db.selectFrom(table).select(db.fn.countAll().as("n"));
  return Number((await query.executeTakeFirstOrThrow()).n);
}

/** A placeholder in a prepared query, replaced by the value with this name. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Creates a placeholder for a named value. */
export type Given<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

type Runner = Pick<Kysely<Database>, "executeQuery">;

/**
 * Compiles a query once. Compiling takes longer than executing, and would delay every question.
 * @param build runs once, at the first use
 * @returns a function that executes the query with values, inside or outside a transaction
 */
export function prepare<Values extends object, Row>(
  build: (given: Given<Values>) => Compilable<Row>,
): (db: Runner, values: Values) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | null = null;
  return async (db, values) => {
    compiled ??= build((name) => sql`${new Slot(name)}`).compile();
    const known = new Map<string, unknown>(Object.entries(values));
    const parameters = compiled.parameters.map((one) => (one instanceof Slot ? known.get(one.name) : one));
    return (await db.executeQuery<Row>({ ...compiled, parameters })).rows;
  };
}

/** Prepares a query with a list of texts. Compiles it once for each length of the list. */
export function prepareList<Row>(
  build: (texts: readonly RawBuilder<string>[]) => Compilable<Row>,
): (db: Runner, texts: readonly string[]) => Promise<Row[]> {
  const byLength = new Map<number, (db: Runner, values: Readonly<Record<string, string>>) => Promise<Row[]>>();
  return (db, texts) => {
    const { length } = texts;
    const query = byLength.get(length) ?? prepare((given) => build(texts.map((_, i) => given(String(i)))));
    byLength.set(length, query);
    return query(db, Object.fromEntries(texts.entries()));
  };
}

/** Maximum rows per statement of `prepareRows`, a power of two. */
const MOST_ROWS = 32;

/**
 * Prepares an insert of any number of rows. It is split into statements of 32, 16, … rows, so that few statements are
 * compiled. All rows must have the same order of columns.
 * @param build runs once per statement size; its statement takes the values of the rows in order, and no others
 * @returns a function that inserts rows and returns the rows that the statements return
 * @throws Error if a statement takes other values, which would shift later rows into wrong columns
 */
export function prepareRows<Row extends object, Result = unknown>(
  build: (rows: readonly Row[]) => Compilable<Result>,
): (db: Runner, rows: readonly Row[]) => Promise<Result[]> {
  const known = new Map<number, CompiledQuery<Result>>();
  return async (db, rows) => {
    const results: Result[] = [];
    let at = 0;
    for (let size = MOST_ROWS; size > 0; size >>= 1) {
      for (; rows.length - at >= size; at += size) {
        const part = rows.slice(at, at + size);
        const parameters: unknown[] = part.flatMap((row) => Object.values(row));
        const compiled = known.get(size) ?? compileRows(build(part), parameters);
        known.set(size, compiled);
        results.push(...(await db.executeQuery<Result>({ ...compiled, parameters })).rows);
      }
    }
    return results;
  };
}

function compileRows<Result>(query: Compilable<Result>, values: readonly unknown[]): CompiledQuery<Result> {
  const compiled = query.compile();
  const { parameters, sql: text } = compiled;
  if (parameters.length !== values.length || parameters.some((one, i) => one !== values[i]))
    throw new Error(`a statement of prepareRows must take the values of its rows in order, and no others: ${text}`);
  return compiled;
}

/** Tables that receive rows for every answer. An insert into them does not change which stored answers may be served. */
const APPEND_ONLY_TABLES: ReadonlySet<string> = new Set<keyof Database>([
  ...(["interactions", "answer_contents", "records", "record_settings", "sessions", "session_turns", "reports"] as const),
  ...(["exposures", "idempotency", "usage", "usage_reservations"] as const),
]);

/**
 * A counter that rises whenever a commit may affect stored answers. Data read at one value of the counter stays valid
 * until the value changes. Writes of this process raise it, except inserts into `APPEND_ONLY_TABLES`. Every commit of
 * another process raises it too.
 */
export class ChangeCount {
  private readonly ofOthers: () => number;
  private seen: number | null = null;
  private count = 0;
  private isPending = false;

  /** @param ofOthers a number that changes with commits of other connections only */
  constructor(ofOthers: () => number) {
    this.ofOthers = ofOthers;
  }

  /** @throws the error of a failed database query */
  now(): number {
    const seen = this.ofOthers();
    if (seen !== this.seen) this.count++;
    this.seen = seen;
    return this.count;
  }

  /** Records a statement that may have changed rows. The counter rises when the transaction commits. */
  wrote(statement: RootOperationNode): void {
    if (!addsBeside(statement)) this.isPending = true;
  }

  /** Call synchronously after the commit, before anything can read its result. */
  committed(): void {
    if (this.isPending) this.count++;
    this.isPending = false;
  }
}

/**
 * Returns whether a statement only adds rows to one of `APPEND_ONLY_TABLES`. False for `insert or replace` and for an
 * upsert of interactions, because both could change a review.
 */
function addsBeside(statement: RootOperationNode): boolean {
  if (!InsertQueryNode.is(statement) || statement.into === undefined || statement.replace === true) return false;
  const { name } = statement.into.table.identifier;
  return (
    APPEND_ONLY_TABLES.has(name) && statement.orAction === undefined && (name !== "interactions" || statement.onConflict === undefined)
  );
}

/** Kysely's adapter for SQLite. Declares that DDL is transactional, so that migrations run all or nothing and in one process at a time. */
export class CountingAdapter extends SqliteAdapter {
  readonly changes: ChangeCount;
  constructor(changes: ChangeCount) {
    super();
    this.changes = changes;
  }
  /** Reads have their own connection. Without this flag, Kysely would run all queries one after another. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Matches statements that return rows. Node.js 22.13 lacks `StatementSync.columns()`, which would tell this, too. */
const RETURNS_ROWS = /^\s*(?:select|with|pragma|values|explain)\b|\breturning\b/i;

/** Maximum number of cached prepared statements per connection, about twice the number that a question uses. */
const STATEMENTS = 200;

/** A connection that caches prepared statements. */
export class StatementCache {
  private readonly db: DatabaseSync;
  private readonly prepared = new LRUCache<string, StatementSync>({ max: STATEMENTS });
  constructor(db: DatabaseSync) {
    this.db = db;
  }

  execute<R>({ sql, parameters }: Pick<CompiledQuery, "sql" | "parameters">): QueryResult<R> {
    const statement = this.prepared.get(sql) ?? this.db.prepare(sql);
    this.prepared.set(sql, statement);
    const values = parameters as SQLInputValue[];
    if (RETURNS_ROWS.test(sql)) return { rows: statement.all(...values) as R[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  close(): void {
    this.prepared.clear();
    this.db.close();
  }
}
