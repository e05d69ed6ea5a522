import { accessSync, constants, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { Migrator } from "kysely/migration";
import Libsql from "libsql";
import { messageOf, StoreError, systemCodeOf } from "../errors.ts";
import { migrations } from "./migrations.ts";
import type { Database } from "./schema.ts";

/** Milliseconds that a writer waits for another connection's transaction: many times the longest one (one file). */
export const DEFAULT_BUSY_TIMEOUT_MS = 15_000;
/** Milliseconds between two tries. */
const BUSY_RETRY_MS = 5;
/** Milliseconds that opening waits, blocking: nothing else runs yet. */
const OPEN_BUSY_TIMEOUT_MS = 5_000;

type RawDatabase = SqliteDatabase & { exec(sql: string): unknown };

/**
 * Opens (and creates or migrates) the database file. WAL, `synchronous=FULL`: an acknowledged write survives a power cut.
 * Several processes may open the same file.
 * @param last the migration to stop at, for tests of those behind it; all of them when absent
 * @throws StoreError `store_unwritable`, `store_corrupt`, `store_newer`, `store_busy`, `store_failed`; queries throw them too
 */
export async function openSqlite(path: string, last?: string): Promise<Kysely<Database>> {
  const raw = connect(path);
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new TransactionalAdapter(),
      createDriver: () => new ImmediateDriver(new SqliteDialect({ database: raw }).createDriver(), raw, path),
      createIntrospector: (any) => new SqliteIntrospector(any),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  try {
    await migrate(db, path, last);
    return db;
  } catch (cause) {
    await db.destroy();
    throw cause instanceof StoreError ? cause : describeFailure(path, cause);
  }
}

function connect(path: string): RawDatabase {
  try {
    mkdirSync(dirname(path), { recursive: true });
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    throw new StoreError(
      "store_unwritable",
      `The data folder ${dirname(path)} cannot be written (${systemCodeOf(cause) ?? messageOf(cause)}). Make it writable, or set SOURCEBOUND_DATA_DIR to a folder that is.`,
      { path },
      { cause },
    );
  }
  try {
    const raw = new Libsql(path);
    raw.pragma(`busy_timeout = ${OPEN_BUSY_TIMEOUT_MS}`);
    raw.pragma("journal_mode = WAL");
    raw.pragma("synchronous = FULL");
    raw.pragma("foreign_keys = ON");
    // What is deleted is overwritten, not only unlinked: words that were forgotten must not be found in the file.
    raw.pragma("secure_delete = ON");
    raw.pragma("busy_timeout = 0");
    return raw as unknown as RawDatabase;
  } catch (cause) {
    throw describeFailure(path, cause);
  }
}

async function migrate(db: Kysely<Database>, path: string, last: string | undefined): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = last === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(last);
  if (error === undefined) return;
  if (/previously executed migration .* is missing/.test(messageOf(error))) {
    throw new StoreError(
      "store_newer",
      `${path} was written by a newer version of Sourcebound. Update the program, or set SOURCEBOUND_DATA_DIR to another folder.`,
      { path },
      { cause: error },
    );
  }
  throw error;
}

function describeFailure(path: string, cause: unknown): StoreError {
  const code = systemCodeOf(cause) ?? "";
  const message = messageOf(cause);
  if (/SQLITE_(NOTADB|CORRUPT)/.test(code) || /not a database|malformed/.test(message)) {
    return new StoreError(
      "store_corrupt",
      `${path} is damaged or is no database (${message}). Nothing was changed. Move the file away and ingest again: documents are read anew from their folders.`,
      { path },
      { cause },
    );
  }
  if (/SQLITE_(READONLY|CANTOPEN)/.test(code) || /unable to open|readonly|: 14/i.test(message)) {
    return new StoreError(
      "store_unwritable",
      `${path} cannot be opened for writing (${message}). Check its permissions, or set SOURCEBOUND_DATA_DIR to a writable folder.`,
      { path },
      { cause },
    );
  }
  if (/SQLITE_(FULL|IOERR)/.test(code)) {
    return new StoreError(
      "store_unwritable",
      `${path} could not be written (${message}). What was acknowledged before is kept. Make room on the disk and try again.`,
      { path },
      { cause },
    );
  }
  if (/SQLITE_BUSY/.test(code)) {
    return new StoreError(
      "store_busy",
      `${path} was locked by another process for ${DEFAULT_BUSY_TIMEOUT_MS / 1000} seconds (${message}). Wait for it, or stop it, and try again.`,
      { path },
      { cause },
    );
  }
  return new StoreError("store_failed", `${path} could not be opened: ${message}`, { path }, { cause });
}

/** SQLite can create tables in a transaction: migrations happen as a whole or not at all, and in one process at a time. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Kysely's SQLite driver with two changes. Whatever writes takes the write lock first: a read that becomes a write cannot fail as busy half-way.
 * And waiting for another connection's lock does not block the thread, on which that other connection may be waiting to commit.
 */
class ImmediateDriver implements Driver {
  private readonly inner: Driver;
  private readonly raw: RawDatabase;
  private readonly path: string;
  constructor(inner: Driver, raw: RawDatabase, path: string) {
    this.inner = inner;
    this.raw = raw;
    this.path = path;
  }
  init(): Promise<void> {
    return this.inner.init();
  }
  async acquireConnection(): Promise<DatabaseConnection> {
    return new ImmediateConnection(await this.inner.acquireConnection(), this.raw, this.path);
  }
  beginTransaction(connection: ImmediateConnection): Promise<void> {
    return connection.control("begin immediate");
  }
  commitTransaction(connection: ImmediateConnection): Promise<void> {
    return connection.control("commit");
  }
  rollbackTransaction(connection: ImmediateConnection): Promise<void> {
    return connection.control("rollback");
  }
  releaseConnection(connection: ImmediateConnection): Promise<void> {
    return this.inner.releaseConnection(connection.inner);
  }
  destroy(): Promise<void> {
    return this.inner.destroy();
  }
}

class ImmediateConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  private readonly raw: RawDatabase;
  private readonly path: string;
  private inTransaction = false;
  constructor(inner: DatabaseConnection, raw: RawDatabase, path: string) {
    this.inner = inner;
    this.raw = raw;
    this.path = path;
  }

  /** A write outside a transaction becomes one of its own: only `begin` can find the database locked. */
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (/^\s*vacuum\b/i.test(query.sql)) return this.outside<R>(query.sql);
    if (/^\s*pragma\b/i.test(query.sql)) return this.patiently(() => this.inner.executeQuery<R>(query));
    if (this.inTransaction || query.query.kind === "SelectQueryNode") return this.patiently(() => this.inner.executeQuery<R>(query));
    await this.control("begin immediate");
    try {
      const result = await this.patiently(() => this.inner.executeQuery<R>(query));
      await this.control("commit");
      return result;
    } catch (error) {
      await this.control("rollback").catch(() => undefined);
      throw error;
    }
  }

  /**
   * Runs a statement of transaction control. Not as a prepared statement: one that finds the database locked stays open until it is collected,
   * and while a writing statement is open nothing that comes after it is committed.
   */
  async control(statement: "begin immediate" | "commit" | "rollback"): Promise<void> {
    await this.patiently(async () => this.raw.exec(statement));
    this.inTransaction = statement === "begin immediate";
  }

  /** What runs in no transaction; as `control`, not as a prepared statement. */
  private async outside<R>(statement: string): Promise<QueryResult<R>> {
    await this.patiently(async () => this.raw.exec(statement));
    return { rows: [] };
  }

  streamQuery<R>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize ?? 100);
  }

  /** Tries again while the database is locked. */
  private async patiently<T>(run: () => Promise<T>): Promise<T> {
    const until = Date.now() + DEFAULT_BUSY_TIMEOUT_MS;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        const busy = /^SQLITE_BUSY/.test(systemCodeOf(error) ?? "");
        if (!busy || Date.now() > until) throw isFatal(error, busy) ? describeFailure(this.path, error) : error;
        await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
      }
    }
  }
}

/** Faults of the file or the disk; whatever else fails is a fault of ours and stays as it is. */
function isFatal(error: unknown, busy: boolean): boolean {
  return busy || /^SQLITE_(NOTADB|CORRUPT|READONLY|CANTOPEN|FULL|IOERR)/.test(systemCodeOf(error) ?? "");
}
