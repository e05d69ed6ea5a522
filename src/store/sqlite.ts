import { accessSync, constants, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import Libsql from "libsql";
import { messageOf, StoreError, systemCodeOf } from "../errors.ts";
import { FairLock } from "./fair-lock.ts";
import { migrateStore } from "./migrate.ts";
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
  const writer = connect(path);
  const reader = connect(path);
  reader.exec("pragma query_only = ON");
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new TransactionalAdapter(),
      createDriver: () => new ReadingApartDriver({ writer, reader, turns: new FairLock(), path }),
      createIntrospector: (any) => new SqliteIntrospector(any),
      createQueryCompiler: () => new SerialCompiler(),
    },
  });
  try {
    await migrateStore(db, path, last);
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
  /** Reads have a connection of their own: without this, Kysely lets one query at a time through. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A transaction has the whole database to itself: locks on rows, which PostgreSQL needs, are nothing here. */
class SerialCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || !LOCKS.has(node.modifier)) super.visitSelectModifier(node);
  }
}

const LOCKS: ReadonlySet<string> = new Set(["ForUpdate", "ForNoKeyUpdate", "ForShare", "ForKeyShare", "NoWait", "SkipLocked"]);

/** What a driver works with: a connection that writes, one that only reads, and the order of those who write. */
interface Connections {
  readonly writer: RawDatabase;
  readonly reader: RawDatabase;
  readonly turns: FairLock;
  readonly path: string;
}

/**
 * One connection writes, in the order of asking; another one reads, and waits for nobody: in WAL mode a reader sees what was committed last, whatever
 * a writer does meanwhile. Whatever writes takes the database's write lock first: a read that becomes a write cannot fail as busy half-way. And waiting for
 * another process's lock does not block the thread.
 */
class ReadingApartDriver implements Driver {
  private readonly connections: Connections;
  constructor(connections: Connections) {
    this.connections = connections;
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<ReadingApartConnection> {
    return new ReadingApartConnection(this.connections);
  }
  beginTransaction(connection: ReadingApartConnection): Promise<void> {
    return connection.begin();
  }
  commitTransaction(connection: ReadingApartConnection): Promise<void> {
    return connection.end("commit");
  }
  rollbackTransaction(connection: ReadingApartConnection): Promise<void> {
    return connection.end("rollback");
  }
  async releaseConnection(connection: ReadingApartConnection): Promise<void> {
    connection.release();
  }
  async destroy(): Promise<void> {
    const release = await this.connections.turns.acquire();
    this.connections.reader.close();
    this.connections.writer.close();
    release();
  }
}

class ReadingApartConnection implements DatabaseConnection {
  private readonly connections: Connections;
  /** Ends this connection's turn to write; `null` outside of a transaction. */
  private endTurn: (() => void) | null = null;
  constructor(connections: Connections) {
    this.connections = connections;
  }

  /** A write outside a transaction becomes one of its own: only `begin` can find the database locked. */
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, reader, turns } = this.connections;
    if (this.endTurn !== null) return this.patiently(() => execute<R>(writer, query));
    if (query.query.kind === "SelectQueryNode") return this.patiently(() => execute<R>(reader, query));
    if (/^\s*(?:vacuum|pragma)\b/i.test(query.sql)) {
      const release = await turns.acquire();
      try {
        // As `exec`, not as a prepared statement: see `control`.
        return await this.patiently(() => (/^\s*vacuum/i.test(query.sql) ? run<R>(writer, query.sql) : execute<R>(writer, query)));
      } finally {
        release();
      }
    }
    await this.begin();
    try {
      const result = await this.patiently(() => execute<R>(writer, query));
      await this.end("commit");
      return result;
    } catch (error) {
      if (this.endTurn !== null) await this.end("rollback").catch(() => undefined);
      throw error;
    }
  }

  async begin(): Promise<void> {
    const release = await this.connections.turns.acquire();
    try {
      await this.control("begin immediate");
      this.endTurn = release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** A commit that fails leaves the transaction open: whoever asked for it rolls back. */
  async end(statement: "commit" | "rollback"): Promise<void> {
    await this.control(statement);
    this.release();
  }

  release(): void {
    this.endTurn?.();
    this.endTurn = null;
  }

  /**
   * Runs a statement of transaction control. Not as a prepared statement: one that finds the database locked stays open until it is collected,
   * and while a writing statement is open nothing that comes after it is committed.
   */
  private control(statement: "begin immediate" | "commit" | "rollback"): Promise<unknown> {
    return this.patiently(() => run(this.connections.writer, statement));
  }

  /** Kysely asks for the method. @throws StoreError always */
  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new StoreError("store_failed", "Queries are not streamed from SQLite: read them in pages.");
  }

  /** Tries again while the database is locked. */
  private async patiently<T>(work: () => T): Promise<T> {
    const until = Date.now() + DEFAULT_BUSY_TIMEOUT_MS;
    for (;;) {
      try {
        return work();
      } catch (error) {
        const busy = /^SQLITE_BUSY/.test(systemCodeOf(error) ?? "");
        if (!busy || Date.now() > until) throw isFatal(error, busy) ? describeFailure(this.connections.path, error) : error;
        await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
      }
    }
  }
}

function execute<R>(db: RawDatabase, { sql, parameters }: CompiledQuery): QueryResult<R> {
  const statement = db.prepare(sql);
  // The parameters as one array: a sole Buffer would be taken for the list of them.
  if (statement.reader) return { rows: statement.all(parameters) as R[] };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

function run<R>(db: RawDatabase, statement: string): QueryResult<R> {
  db.exec(statement);
  return { rows: [] };
}

/** Faults of the file or the disk; whatever else fails is a fault of ours and stays as it is. */
function isFatal(error: unknown, busy: boolean): boolean {
  return busy || /^SQLITE_(NOTADB|CORRUPT|READONLY|CANTOPEN|FULL|IOERR)/.test(systemCodeOf(error) ?? "");
}
