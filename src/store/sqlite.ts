import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, SelectModifierNode } from "kysely";
import { CamelCasePlugin, Kysely, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { messageOf, StoreError, systemCodeOf } from "../shared/errors.ts";
import { ChangeCount, CountingAdapter, StatementCache } from "./dialect.ts";
import { migrateStore } from "./migrations.ts";
import { makePrivateFolder, PRIVATE_FILE } from "./private.ts";
import type { Database } from "./schema.ts";
import { createFairLock, createLogSync } from "./write-log.ts";

/** Milliseconds for which a statement waits while another connection has the lock; many times the length of a transaction. */
export const DEFAULT_BUSY_TIMEOUT_MS = 15_000;
/** Milliseconds between two attempts to run a statement while the database is locked. */
const BUSY_RETRY_MS = 5;
/** Milliseconds for which opening waits for a lock. It may block the thread, because nothing else runs yet. */
const OPEN_BUSY_TIMEOUT_MS = 5_000;

/**
 * Number of pages in the log (16 MB) at which a commit moves them into the database file and waits for the disk. Four
 * times SQLite's default: nearly every answer changes the same index pages, and each is moved once for all its changes.
 */
const CHECKPOINT_PAGES = 4_000;

/**
 * Opens the database file, and creates or migrates it. Uses WAL and syncs the log before a write is acknowledged, so
 * that writes survive a power cut. Several processes may open the same file.
 * @param last name of the migration to stop at, for tests of later migrations; absent: all
 * @throws StoreError `store_unwritable`, `store_corrupt`, `store_newer`, `store_busy`, `store_failed`; queries throw
 * them too
 */
export async function openSqlite(path: string, last?: string): Promise<Kysely<Database>> {
  const connections = openConnections(path);
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new CountingAdapter(connections.changes),
      createDriver: () => createReadingApartDriver(connections),
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

/** Returns a number that changes with every commit of another connection (https://sqlite.org/pragma.html#pragma_data_version). */
function versionOf(connection: StatementCache): number {
  const { rows } = connection.execute<{ data_version: number }>({ sql: "pragma data_version", parameters: [] });
  return rows[0]?.data_version ?? Number.NaN;
}

/**
 * Creates the file with private mode, because SQLite would make it readable by all users. Its log inherits the mode.
 * Never opens an existing file: closing it would drop all locks that the process has on it.
 */
function makePrivateFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, "wx", PRIVATE_FILE));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

function connect(path: string): DatabaseSync {
  try {
    makePrivateFolder(dirname(path));
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    const message = `The data folder ${dirname(path)} is not writable (${systemCodeOf(cause) ?? messageOf(cause)}). Make it writable, or set SOURCEBOUND_DATA_DIR to a writable folder.`;
    throw new StoreError("store_unwritable", message, { path }, { cause });
  }
  try {
    makePrivateFile(path);
    const raw = openDatabase(path);
    raw.exec(`
      pragma busy_timeout = ${OPEN_BUSY_TIMEOUT_MS};
      pragma journal_mode = WAL;
      -- \`createLogSync\` syncs the log, once for all waiting writers, before any of them is acknowledged.
      pragma synchronous = NORMAL;
      pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};
      pragma foreign_keys = ON;
      -- Overwrite deleted data, so that forgotten words are not left in the file.
      pragma secure_delete = ON;
      pragma busy_timeout = 0;
    `);
    return raw;
  } catch (cause) {
    throw describeFailure(path, cause);
  }
}

/** Opens a file with the SQLite of Node.js. Suppresses the warning that Node.js 22 prints when the module is first used. */
function openDatabase(path: string): DatabaseSync {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    const sqlite = process.getBuiltinModule("node:sqlite");
    return new sqlite.DatabaseSync(path);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** SQLite's primary result codes (https://sqlite.org/rescode.html). */
const RESULT_CODES = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

/** Returns the primary result code of an SQLite error (the lower byte of its extended code); `null` for other errors. */
function resultCodeOf(error: unknown): number | null {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : null;
}

function describeFailure(path: string, cause: unknown): StoreError {
  const code = resultCodeOf(cause);
  const message = messageOf(cause);
  const failure = (name: string, problem: string) => new StoreError(name, `The database ${path} ${problem}`, { path }, { cause });
  if (code === RESULT_CODES.notADatabase || code === RESULT_CODES.corrupt) {
    const advice = "Nothing was changed. Restore a backup, or move the file away and ingest the documents again.";
    return failure("store_corrupt", `is damaged or not a database (${message}). ${advice}`);
  }
  const isDenied = /^E(?:ACCES|PERM|ROFS)$/.test(systemCodeOf(cause) ?? "");
  if (code === RESULT_CODES.readOnly || code === RESULT_CODES.cannotOpen || isDenied) {
    const advice = "Check its permissions, or set SOURCEBOUND_DATA_DIR to a writable folder.";
    return failure("store_unwritable", `cannot be opened for writing (${message}). ${advice}`);
  }
  if (code === RESULT_CODES.full || code === RESULT_CODES.ioError) {
    const advice = "Confirmed changes are kept. Free disk space and try again.";
    return failure("store_unwritable", `could not be written (${message}). ${advice}`);
  }
  if (code === RESULT_CODES.busy) {
    const seconds = DEFAULT_BUSY_TIMEOUT_MS / 1000;
    return failure("store_busy", `was locked by another process for ${seconds} seconds (${message}). Wait for it or stop it, and retry.`);
  }
  return failure("store_failed", `could not be opened or used (${message}). Try again; if it fails again, report this message.`);
}

/** Omits row locks, which only PostgreSQL needs: an SQLite transaction locks the whole database. */
class SerialCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || !LOCKS.has(node.modifier)) super.visitSelectModifier(node);
  }
}

const LOCKS: ReadonlySet<string> = new Set(["ForUpdate", "ForNoKeyUpdate", "ForShare", "ForKeyShare", "NoWait", "SkipLocked"]);

/** What all connections of a driver share: a writing and a reading database handle, and the lock of writers. */
type Connections = ReturnType<typeof openConnections>;

function openConnections(path: string) {
  /** The database handle that `writer` uses. */
  const raw = connect(path);
  const reading = connect(path);
  reading.exec("pragma query_only = ON");
  const writer = new StatementCache(raw);
  const log = createLogSync(`${path}-wal`, (cause) => describeFailure(path, cause));
  const changes = new ChangeCount(() => versionOf(writer));
  return { path, raw, writer, reader: new StatementCache(reading), changes, acquire: createFairLock(), log };
}

/**
 * One database handle runs writes in the order of requests. Another one reads without waiting, because in WAL mode a
 * reader sees the last commit. A transaction takes the write lock when it begins, so that it cannot fail as busy when
 * it writes after reading. Waiting for another process's lock does not block the thread. While the disk syncs a commit,
 * the next write runs.
 */
function createReadingApartDriver(connections: Connections): Driver {
  const { acquire, reader, writer, log } = connections;
  return {
    init: async () => undefined,
    acquireConnection: async () => new ReadingApartConnection(connections),
    beginTransaction: (connection) => (connection as ReadingApartConnection).begin(),
    commitTransaction: (connection) => (connection as ReadingApartConnection).commit(),
    rollbackTransaction: async (connection) => (connection as ReadingApartConnection).rollback(),
    releaseConnection: async () => undefined,
    async destroy() {
      const release = await acquire();
      await log.idle();
      reader.close();
      writer.close();
      release();
      await log.close();
    },
  };
}

class ReadingApartConnection implements DatabaseConnection {
  private readonly connections: Connections;
  /** Releases the write lock; `null` outside a transaction. */
  private release: (() => void) | null = null;
  constructor(connections: Connections) {
    this.connections = connections;
  }

  /** Runs a write outside a transaction in a transaction of its own, so that only `begin` can find the database locked. */
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { reader, path, log } = this.connections;
    if (this.release !== null) return this.execute<R>(query);
    if (query.query.kind === "SelectQueryNode") return patiently(path, () => reader.execute<R>(query));
    // These statements cannot be part of a transaction.
    const isAlone = /^\s*(?:vacuum|pragma)\b/i.test(query.sql);
    await (isAlone ? this.enter() : this.begin());
    try {
      const result = await this.execute<R>(query);
      await (isAlone ? log.sync() : this.commit());
      return result;
    } finally {
      if (isAlone) this.leave();
      else this.rollback();
    }
  }

  private execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, path, changes } = this.connections;
    return patiently(path, () => {
      const result = writer.execute<R>(query);
      // `numAffectedRows` is undefined if a statement returns rows. Unless it is a select, it may have changed rows, too.
      if (query.query.kind !== "SelectQueryNode" && result.numAffectedRows !== 0n) changes.wrote(query.query);
      return result;
    });
  }

  /** Waits for other writers of this process. `then` runs before the first write; if it fails, the next writer goes on. */
  private async enter(then: () => unknown = () => undefined): Promise<void> {
    const { acquire, log } = this.connections;
    const release = await acquire();
    try {
      log.assertUsable();
      await then();
      this.release = release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Waits for other writers and processes, then takes the write lock. */
  begin(): Promise<void> {
    const { raw, path } = this.connections;
    return this.enter(() => patiently(path, () => raw.exec("begin immediate")));
  }

  /** Commits and releases the lock, then syncs. Resolves once the transaction is on disk. */
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

  /** Does nothing after a commit or rollback. If the disk is full, SQLite rolls back by itself and rejects another rollback. */
  rollback(): void {
    if (this.release === null) return;
    try {
      this.connections.raw.exec("rollback");
    } catch (error) {
      if (!messageOf(error).includes("no transaction is active")) throw error;
    } finally {
      this.leave();
    }
  }

  private leave(): void {
    this.release?.();
    this.release = null;
  }

  /** Required by Kysely. @throws StoreError always */
  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new StoreError("store_failed", "Queries are not streamed from SQLite: read them in pages.");
  }
}

/** Repeats `work` while the database is locked, for up to `DEFAULT_BUSY_TIMEOUT_MS`. */
async function patiently<T>(path: string, work: () => T): Promise<T> {
  const until = Date.now() + DEFAULT_BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const code = resultCodeOf(error);
      if (code !== RESULT_CODES.busy || Date.now() > until) {
        // Describe failures of the file or the disk. Any other error is a bug and stays unchanged.
        const isOfFile = Object.values<number | null>(RESULT_CODES).includes(code);
        throw isOfFile ? describeFailure(path, error) : error;
      }
      await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
    }
  }
}
