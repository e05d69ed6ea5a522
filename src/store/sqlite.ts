import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import {
  CamelCasePlugin,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  type SelectModifierNode,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import Libsql from "libsql";
import { messageOf, StoreError, systemCodeOf } from "../shared/errors.ts";
import { migrateStore } from "./migrations.ts";
import { makePrivateFolder, PRIVATE_FILE } from "./private.ts";
import type { Database } from "./schema.ts";
import { ChangeCount, CountingAdapter, type RawDatabase, StatementCache } from "./statement-cache.ts";
import { createFairLock, createLogSync } from "./write-log.ts";

/** Milliseconds that a writer waits for another connection's transaction: many times the longest one (one file). */
export const DEFAULT_BUSY_TIMEOUT_MS = 15_000;
/** Milliseconds between two tries. */
const BUSY_RETRY_MS = 5;
/** Milliseconds that opening waits, blocking: nothing else runs yet. */
const OPEN_BUSY_TIMEOUT_MS = 5_000;

/**
 * Pages of the log (16 MB) after which it is moved into the database, by a commit that waits for the disk: four times SQLite's default, so that pages of indexes,
 * which nearly every answer writes, are moved a fourth as often.
 */
const CHECKPOINT_PAGES = 4_000;

/**
 * Opens (and creates or migrates) the database file. WAL, whose log is on the disk before a write is acknowledged: it survives a power cut.
 * Several processes may open the same file.
 * @param last the migration to stop at, for tests of those behind it; all of them when absent
 * @throws StoreError `store_unwritable`, `store_corrupt`, `store_newer`, `store_busy`, `store_failed`; queries throw them too
 */
export async function openSqlite(path: string, last?: string): Promise<Kysely<Database>> {
  const writer = connect(path);
  const reader = connect(path);
  reader.exec("pragma query_only = ON");
  const prepared = { writer: new StatementCache(writer), reader: new StatementCache(reader) };
  const changes = new ChangeCount(() => versionOf(prepared.writer));
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new CountingAdapter(changes),
      createDriver: () => new ReadingApartDriver({ ...prepared, raw: writer, path, changes }),
      createIntrospector: (any) => new SqliteIntrospector(any),
      createQueryCompiler: () => new SerialCompiler(),
    },
    plugins: [new CamelCasePlugin()],
  });
  try {
    await migrateStore(db, path, last);
    return db;
  } catch (cause) {
    await db.destroy();
    throw cause instanceof StoreError ? cause : describeFailure(path, cause);
  }
}

/** Changes with every commit of another connection than this one (https://sqlite.org/pragma.html#pragma_data_version). */
function versionOf(connection: StatementCache): number {
  const { rows } = connection.execute<{ data_version: number }>({ sql: "pragma data_version", parameters: [] });
  return rows[0]?.data_version ?? Number.NaN;
}

/**
 * SQLite would make it readable to everybody; its log gets the mode of the file beside which it lies. Only what is not there is touched: to close a database file in a
 * process that has it open drops all of the locks that the process holds on it.
 */
function makePrivateFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, "wx", PRIVATE_FILE));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

function connect(path: string): RawDatabase {
  try {
    makePrivateFolder(dirname(path));
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
    makePrivateFile(path);
    const raw = new Libsql(path);
    raw.pragma(`busy_timeout = ${OPEN_BUSY_TIMEOUT_MS}`);
    raw.pragma("journal_mode = WAL");
    // The log is put on the disk by `createLogSync`, once for all who wait, before any of them is answered.
    raw.pragma("synchronous = NORMAL");
    raw.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
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
  const failure = (name: string, what: string) => new StoreError(name, `${path} ${what}`, { path }, { cause });
  if (/SQLITE_(NOTADB|CORRUPT)/.test(code) || /not a database|malformed/.test(message)) {
    const advice = "Nothing was changed. Move the file away and ingest again: documents are read anew from their folders.";
    return failure("store_corrupt", `is damaged or is no database (${message}). ${advice}`);
  }
  if (/SQLITE_(READONLY|CANTOPEN)|^E(ACCES|PERM|ROFS)$/.test(code) || /unable to open|readonly|: 14/i.test(message)) {
    const advice = "Check its permissions, or set SOURCEBOUND_DATA_DIR to a writable folder.";
    return failure("store_unwritable", `cannot be opened for writing (${message}). ${advice}`);
  }
  if (/SQLITE_(FULL|IOERR)/.test(code)) {
    const advice = "What was acknowledged before is kept. Make room on the disk and try again.";
    return failure("store_unwritable", `could not be written (${message}). ${advice}`);
  }
  if (/SQLITE_BUSY/.test(code)) {
    const seconds = DEFAULT_BUSY_TIMEOUT_MS / 1000;
    return failure(
      "store_busy",
      `was locked by another process for ${seconds} seconds (${message}). Wait for it, or stop it, and try again.`,
    );
  }
  return failure("store_failed", `could not be opened: ${message}`);
}

/** A transaction has the whole database to itself: locks on rows, which PostgreSQL needs, are nothing here. */
class SerialCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || !LOCKS.has(node.modifier)) super.visitSelectModifier(node);
  }
}

const LOCKS: ReadonlySet<string> = new Set(["ForUpdate", "ForNoKeyUpdate", "ForShare", "ForKeyShare", "NoWait", "SkipLocked"]);

/** What a driver works with: a connection that writes, one that only reads, and the turns of those who write. */
interface Connections {
  /** The one that writes. */
  readonly raw: RawDatabase;
  readonly writer: StatementCache;
  readonly reader: StatementCache;
  readonly path: string;
  readonly changes: ChangeCount;
  readonly acquire: ReturnType<typeof createFairLock>;
  readonly log: ReturnType<typeof createLogSync>;
}

/**
 * One connection writes, in the order of asking; another one reads, and waits for nobody: in WAL mode a reader sees what was committed last, whatever
 * a writer does meanwhile. Whatever writes takes the database's write lock first: a read that becomes a write cannot fail as busy half-way. And waiting for
 * another process's lock does not block the thread. While the disk takes what was committed, the next one writes.
 */
class ReadingApartDriver implements Driver {
  private readonly connections: Connections;
  constructor(opened: Omit<Connections, "acquire" | "log">) {
    const { path } = opened;
    this.connections = { ...opened, acquire: createFairLock(), log: createLogSync(`${path}-wal`, (cause) => describeFailure(path, cause)) };
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<ReadingApartConnection> {
    return new ReadingApartConnection(this.connections);
  }
  beginTransaction(connection: ReadingApartConnection): Promise<void> {
    return connection.begin();
  }
  commitTransaction(connection: ReadingApartConnection): Promise<void> {
    return connection.commit();
  }
  async rollbackTransaction(connection: ReadingApartConnection): Promise<void> {
    connection.rollback();
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {
    const { acquire, reader, writer, log } = this.connections;
    const release = await acquire();
    await log.idle();
    reader.close();
    writer.close();
    release();
    await log.close();
  }
}

class ReadingApartConnection implements DatabaseConnection {
  private readonly connections: Connections;
  /** Ends its turn to write; `null` outside of a transaction. */
  private release: (() => void) | null = null;
  constructor(connections: Connections) {
    this.connections = connections;
  }

  /** A write outside a transaction becomes one of its own: only `begin` can find the database locked. */
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { reader, path } = this.connections;
    if (this.release !== null) return this.execute<R>(query);
    if (query.query.kind === "SelectQueryNode") return patiently(path, () => reader.execute<R>(query));
    if (/^\s*(?:vacuum|pragma)\b/i.test(query.sql)) return this.executeAlone<R>(query);
    await this.begin();
    try {
      const result = await this.execute<R>(query);
      await this.commit();
      return result;
    } finally {
      this.rollback();
    }
  }

  /** What can be no part of a transaction. */
  private async executeAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { acquire, log, writer, path } = this.connections;
    const release = await acquire();
    try {
      log.assertUsable();
      // As `exec`, not as a prepared statement: see `begin`.
      const result = /^\s*vacuum/i.test(query.sql) ? await patiently(path, () => writer.run<R>(query.sql)) : await this.execute<R>(query);
      await log.sync();
      return result;
    } finally {
      release();
    }
  }

  private execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, path, changes } = this.connections;
    return patiently(path, () => {
      const result = writer.execute<R>(query);
      // A statement that gives rows may have changed some too, unless it is a query.
      if (query.query.kind !== "SelectQueryNode" && result.numAffectedRows !== 0n) changes.wrote(query.query);
      return result;
    });
  }

  /**
   * Waits for a turn to write, and for another process that holds the database. Not as a prepared statement: one that finds the database locked stays open until it
   * is collected, and while a writing statement is open nothing that comes after it is committed.
   */
  async begin(): Promise<void> {
    const { acquire, raw, path, log } = this.connections;
    const release = await acquire();
    try {
      log.assertUsable();
      await patiently(path, () => raw.exec("begin immediate"));
      this.release = release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Resolves when what was written is on the disk. Nobody else can hold what is ours: it is committed at once. */
  async commit(): Promise<void> {
    const { raw, path, changes, log } = this.connections;
    try {
      raw.exec("commit");
    } catch (error) {
      this.rollback();
      throw describeFailure(path, error);
    }
    changes.committed();
    this.leave();
    await log.sync();
  }

  /** After a commit or a rollback, nothing. A full disk has undone the transaction by itself. */
  rollback(): void {
    if (this.release === null) return;
    try {
      if (this.connections.raw.inTransaction) this.connections.raw.exec("rollback");
    } finally {
      this.leave();
    }
  }

  private leave(): void {
    this.release?.();
    this.release = null;
  }

  /** Kysely asks for the method. @throws StoreError always */
  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new StoreError("store_failed", "Queries are not streamed from SQLite: read them in pages.");
  }
}

/** Tries again while the database is locked. */
async function patiently<T>(path: string, work: () => T): Promise<T> {
  const until = Date.now() + DEFAULT_BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const code = systemCodeOf(error) ?? "";
      const busy = /^SQLITE_BUSY/.test(code);
      // Faults of the file or the disk; whatever else fails is a fault of ours and stays as it is.
      const isFatal = busy || /^SQLITE_(NOTADB|CORRUPT|READONLY|CANTOPEN|FULL|IOERR)/.test(code);
      if (!busy || Date.now() > until) throw isFatal ? describeFailure(path, error) : error;
      await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
    }
  }
}
