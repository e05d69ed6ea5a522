import { accessSync, constants, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  Migrator,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
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

/**
 * Opens (and creates or migrates) the database file. WAL, `synchronous=FULL`: an acknowledged write survives a power cut.
 * Several processes may open the same file.
 * @throws StoreError `store_unwritable`, `store_corrupt`, `store_newer`, `store_failed`
 */
export async function openSqlite(path: string): Promise<Kysely<Database>> {
  const raw = connect(path);
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new ImmediateDriver(new SqliteDialect({ database: raw }).createDriver()),
      createIntrospector: (any) => new SqliteIntrospector(any),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  try {
    await migrate(db, path);
    return db;
  } catch (cause) {
    await db.destroy();
    throw cause instanceof StoreError ? cause : describeFailure(path, cause);
  }
}

function connect(path: string): SqliteDatabase {
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
    raw.pragma("busy_timeout = 0");
    return raw as unknown as SqliteDatabase;
  } catch (cause) {
    throw describeFailure(path, cause);
  }
}

async function migrate(db: Kysely<Database>, path: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
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
  return new StoreError("store_failed", `${path} could not be opened: ${message}`, { path }, { cause });
}

/**
 * Kysely's SQLite driver with two changes. Transactions take the write lock at once: a read that becomes a write cannot fail as busy half-way.
 * And waiting for another connection's lock does not block the thread, on which that other connection may be waiting to commit.
 */
class ImmediateDriver implements Driver {
  private readonly inner: Driver;
  constructor(inner: Driver) {
    this.inner = inner;
  }
  init(): Promise<void> {
    return this.inner.init();
  }
  async acquireConnection(): Promise<DatabaseConnection> {
    return patient(await this.inner.acquireConnection());
  }
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(rawQuery("begin immediate"));
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(rawQuery("commit"));
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(rawQuery("rollback"));
  }
  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.inner.releaseConnection(connection);
  }
  destroy(): Promise<void> {
    return this.inner.destroy();
  }
}

/** A connection that tries again while the database is locked. */
function patient(connection: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery(query) {
      const until = Date.now() + DEFAULT_BUSY_TIMEOUT_MS;
      for (;;) {
        try {
          return await connection.executeQuery(query);
        } catch (error) {
          if (!/^SQLITE_BUSY/.test(systemCodeOf(error) ?? "") || Date.now() > until) throw error;
          await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
        }
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

function rawQuery(sql: string): Parameters<DatabaseConnection["executeQuery"]>[0] {
  return { sql, parameters: [], query: { kind: "RawNode", sqlFragments: [sql], parameters: [] }, queryId: { queryId: sql } };
}
