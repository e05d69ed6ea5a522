import type { CompiledQuery, QueryResult, SqliteDatabase, SqliteStatement } from "kysely";

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
  private readonly prepared = new Map<string, Prepared>();
  constructor(db: RawDatabase) {
    this.db = db;
  }

  execute<R>({ sql, parameters }: Pick<CompiledQuery, "sql" | "parameters">): QueryResult<R> {
    // A statement that fails may stay open until it is collected: it is not used again.
    const known = this.take(sql);
    // The parameters as one array: a sole Buffer would be taken for the list of them.
    if (known.reads) {
      const rows = known.statement.all(parameters) as R[];
      this.keep(sql, known);
      return { rows };
    }
    const { changes, lastInsertRowid } = known.statement.run(parameters);
    this.keep(sql, known);
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
    if (known === undefined) {
      const statement = this.db.prepare(sql);
      return { statement, reads: statement.reader };
    }
    this.prepared.delete(sql);
    return known;
  }

  private keep(sql: string, prepared: Prepared): void {
    this.prepared.set(sql, prepared);
    if (this.prepared.size > STATEMENTS) this.prepared.delete(this.prepared.keys().next().value as string);
  }
}
