import {
  type CompiledQuery,
  InsertQueryNode,
  type QueryResult,
  type RootOperationNode,
  SqliteAdapter,
  type SqliteDatabase,
  type SqliteStatement,
} from "kysely";
import { LRUCache } from "lru-cache";
import type { Database } from "./schema.ts";

/** Tables that receive rows for every answer. An insert into them never affects whether a stored answer may be served. */
const APPEND_ONLY_TABLES: ReadonlySet<string> = new Set<keyof Database>([
  ...(["interactions", "answer_contents", "records", "record_settings", "sessions", "session_turns", "reports"] as const),
  ...(["exposures", "idempotency", "usage", "usage_reservations"] as const),
]);

/**
 * A counter that changes whenever a commit may affect stored answers. Writes of this process raise it, except inserts
 * into `APPEND_ONLY_TABLES`; so does any commit of another process. Data read at one value stays valid as long as the
 * value does.
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

  /** Notes a statement that may have changed rows; it counts once committed. */
  wrote(statement: RootOperationNode): void {
    if (!addsBeside(statement)) this.isPending = true;
  }

  /** Call synchronously with the commit, before its result can be read. */
  committed(): void {
    if (this.isPending) this.count++;
    this.isPending = false;
  }
}

/** Returns whether a statement only inserts into `APPEND_ONLY_TABLES`. Replacing a row is not an insert: it could change an interaction's review. */
function addsBeside(statement: RootOperationNode): boolean {
  if (!InsertQueryNode.is(statement) || statement.into === undefined || statement.replace === true) return false;
  const { name } = statement.into.table.identifier;
  return (
    APPEND_ONLY_TABLES.has(name) && statement.orAction === undefined && (name !== "interactions" || statement.onConflict === undefined)
  );
}

/** Declares SQLite's transactional DDL, so that migrations run all or nothing and in one process at a time. */
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

/** A connection of `libsql`. */
export type RawDatabase = SqliteDatabase & { exec(sql: string): unknown; readonly inTransaction: boolean };

/** Number of prepared statements kept per connection, twice the number that a question uses. */
const STATEMENTS = 200;

interface Prepared {
  readonly statement: SqliteStatement;
  readonly reads: boolean;
}

/** A connection that caches prepared statements. */
export class StatementCache {
  private readonly db: RawDatabase;
  private readonly prepared = new LRUCache<string, Prepared>({ max: STATEMENTS });
  constructor(db: RawDatabase) {
    this.db = db;
  }

  execute<R>({ sql, parameters }: Pick<CompiledQuery, "sql" | "parameters">): QueryResult<R> {
    // A failed statement may stay open until garbage collection, so it is removed from the cache.
    const known = this.take(sql);
    // Pass parameters as one array, because libsql would treat a single Buffer as the list.
    if (known.reads) {
      const rows = known.statement.all(parameters) as R[];
      this.prepared.set(sql, known);
      return { rows };
    }
    const { changes, lastInsertRowid } = known.statement.run(parameters);
    this.prepared.set(sql, known);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  close(): void {
    this.prepared.clear();
    this.db.close();
  }

  private take(sql: string): Prepared {
    const known = this.prepared.get(sql);
    this.prepared.delete(sql);
    if (known !== undefined) return known;
    const statement = this.db.prepare(sql);
    return { statement, reads: statement.reader };
  }
}
