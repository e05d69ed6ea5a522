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

/**
 * Tables into which every answer puts rows of its own. No row of them decides whether a stored answer may be served: of an interaction only its review does,
 * and nothing that is put in takes one back.
 */
const BESIDE: ReadonlySet<string> = new Set<keyof Database>([
  ...(["interactions", "answer_contents", "records", "record_settings", "sessions", "session_turns", "reports"] as const),
  ...(["exposures", "idempotency", "usage", "usage_reservations"] as const),
]);

/**
 * A number that stays the same for as long as nothing has been committed that stored answers rest on: by this process, whatever it writes but new rows of
 * `BESIDE`; by another one, anything. What was read while it had a value still stands while it has that value.
 */
export class ChangeCount {
  private readonly ofOthers: () => number;
  private seen: number | null = null;
  private count = 0;
  private isPending = false;

  /** @param ofOthers a number that changes with every commit of another connection, and with none of the one that writes here */
  constructor(ofOthers: () => number) {
    this.ofOthers = ofOthers;
  }

  /** @throws what asking the database does */
  now(): number {
    const seen = this.ofOthers();
    if (seen !== this.seen) this.count++;
    this.seen = seen;
    return this.count;
  }

  /** A statement was run that may have changed rows; it counts once it is committed. */
  wrote(statement: RootOperationNode): void {
    if (!addsBeside(statement)) this.isPending = true;
  }

  /** To be called in the same turn as the commit: before anybody can read what it brought. */
  committed(): void {
    if (this.isPending) this.count++;
    this.isPending = false;
  }
}

/** What takes the place of a row is no new row: of an interaction that would be another review. */
function addsBeside(statement: RootOperationNode): boolean {
  if (!InsertQueryNode.is(statement) || statement.into === undefined || statement.replace === true) return false;
  const { name } = statement.into.table.identifier;
  return BESIDE.has(name) && statement.orAction === undefined && (name !== "interactions" || statement.onConflict === undefined);
}

/** SQLite can create tables in a transaction: migrations happen as a whole or not at all, and in one process at a time. */
export class CountingAdapter extends SqliteAdapter {
  readonly changes: ChangeCount;
  constructor(changes: ChangeCount) {
    super();
    this.changes = changes;
  }
  /** Reads have a connection of their own: without this, Kysely lets one query at a time through. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A connection of `libsql`. */
export type RawDatabase = SqliteDatabase & { exec(sql: string): unknown; readonly inTransaction: boolean };

/** Statements that stay prepared for one connection: twice those of the path of a question. */
const STATEMENTS = 200;

interface Prepared {
  readonly statement: SqliteStatement;
  readonly reads: boolean;
}

/** A connection whose statements are prepared once. */
export class StatementCache {
  private readonly db: RawDatabase;
  private readonly prepared = new LRUCache<string, Prepared>({ max: STATEMENTS });
  constructor(db: RawDatabase) {
    this.db = db;
  }

  execute<R>({ sql, parameters }: Pick<CompiledQuery, "sql" | "parameters">): QueryResult<R> {
    // A statement that fails may stay open until it is collected: it is not used again.
    const known = this.take(sql);
    // The parameters as one array: a sole Buffer would be taken for the list of them.
    if (known.reads) {
      const rows = known.statement.all(parameters) as R[];
      this.prepared.set(sql, known);
      return { rows };
    }
    const { changes, lastInsertRowid } = known.statement.run(parameters);
    this.prepared.set(sql, known);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Without preparing it. */
  run<R>(sql: string): QueryResult<R> {
    this.db.exec(sql);
    return { rows: [] };
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
