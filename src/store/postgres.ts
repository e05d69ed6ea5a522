import {
  CamelCasePlugin,
  type CompiledQuery,
  type DatabaseConnection,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  replaceWithNoncontingentExpression,
} from "kysely";
import pg from "pg";
import { messageOf, StoreError, systemCodeOf } from "../shared/errors.ts";
import { CHANGES_CHANNEL, PooledAdapter } from "./dialect.ts";
import { migrateStore } from "./migrations.ts";
import type { Database } from "./schema.ts";

/** Milliseconds before the first attempt to reconnect. The pause doubles with each attempt, up to `LAST_RETRY_MS`. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/**
 * Creates a separate connection that listens for changes. If it is lost, it reconnects until `close`. After
 * reconnecting, it reports one `null` for all notifications that it missed.
 */
export function createChanges(url: string, warn: (message: string) => void) {
  let client: pg.Client | null = null;
  let closed = false;
  let wait = FIRST_RETRY_MS;
  let retry: NodeJS.Timeout | undefined;
  const connect = async (onChange: (domain: string | null) => void): Promise<void> => {
    const settings = { application_name: "sourcebound changes", keepAlive: true, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
    const made = new pg.Client({ connectionString: url, ...settings });
    let lost = false;
    const again = (error?: unknown) => {
      if (lost || closed) return;
      lost = true;
      client = null;
      if (wait === FIRST_RETRY_MS)
        warn(
          `the connection for change notifications was lost (${messageOf(error ?? "connection ended")}); until PostgreSQL answers again, every question checks for changes by other processes`,
        );
      made.end().catch(() => undefined);
      retry = setTimeout(
        () =>
          void connect(onChange).then(
            () => onChange(null),
            () => undefined,
          ),
        wait,
      );
      wait = Math.min(LAST_RETRY_MS, wait * 2);
    };
    made.on("error", again);
    made.on("end", () => again());
    made.on("notification", ({ payload }) => onChange(payload ?? null));
    try {
      await made.connect();
      await made.query(`listen ${CHANGES_CHANNEL}`);
    } catch (error) {
      again(error);
      throw error;
    }
    wait = FIRST_RETRY_MS;
    client = made;
  };
  return {
    // A failed first attempt is retried like a lost connection.
    /**
     * Resolves once the connection listens or waits for a retry. `onChange` receives a domain, or `null` if any domain
     * may have changed while the connection was lost.
     */
    listen: (onChange: (domain: string | null) => void): Promise<void> => connect(onChange).catch(() => undefined),
    async close(): Promise<void> {
      closed = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}

/** Milliseconds after which a connection attempt fails with an error. */
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Settings of pgvector's index search: 100 candidates, 2.5 times the default, and more while a filter rejects too many.
 * `bench pgvector` measures the recall. No effect without pgvector.
 */
const SEARCH_SETTINGS = "set hnsw.ef_search = 100; set hnsw.iterative_scan = relaxed_order";
/** PostgreSQL's type id of 64-bit integers, which `pg` returns as text. Stored values are below 2^53, so numbers are exact. */
const INT8_OID = 20;

export interface PostgresOptions {
  /** `postgres://…`; messages never contain its password. */
  readonly url: string;
  readonly connections: number;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Connects to PostgreSQL and creates or migrates the tables, one process at a time under an advisory lock. The next
 * query replaces a lost connection.
 * @param last name of the migration to stop at, for tests of later migrations; absent: all
 * @throws StoreError `store_unavailable`, `store_denied`, `store_newer`, `store_failed`; queries: also
 * `store_unavailable`
 */
export async function openPostgres({ url, connections, timeoutMs }: PostgresOptions, last?: string): Promise<Kysely<Database>> {
  const pool = new pg.Pool({
    ...{ connectionString: url, max: connections, application_name: "sourcebound" },
    ...{ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, statement_timeout: timeoutMs, query_timeout: timeoutMs + CONNECT_TIMEOUT_MS },
    ...{ keepAlive: true, types: { getTypeParser } },
  });
  // The pool drops a broken connection, and the query on it reports the error. Without this listener the `error` event
  // would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    client.query(SEARCH_SETTINGS).catch(() => undefined);
  });
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PooledAdapter(pool),
      createDriver: () => new DescribingDriver(pool),
      createIntrospector: (any) => new PostgresIntrospector(any),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [new CamelCasePlugin(), new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  try {
    await migrateStore(db, "The database", last);
    return db;
  } catch (cause) {
    await db.destroy().catch(() => undefined);
    if (cause instanceof StoreError) throw cause;
    const message = `The PostgreSQL database could not be set up (${messageOf(cause)}). Check that the user of DATABASE_URL may create tables, and try again.`;
    throw new StoreError("store_failed", message, {}, { cause });
  }
}

function getTypeParser(oid: number, format?: "text" | "binary"): unknown {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format);
}

/** Converts connection and server failures to `StoreError`s with advice. Other errors are bugs and stay unchanged. */
class DescribingDriver extends PostgresDriver {
  constructor(pool: pg.Pool) {
    super({ pool, onCreateConnection: describeFailures });
  }
  override acquireConnection(): ReturnType<PostgresDriver["acquireConnection"]> {
    return super.acquireConnection().catch(rethrow);
  }
}

async function describeFailures(connection: DatabaseConnection): Promise<void> {
  const { executeQuery } = connection;
  connection.executeQuery = <R>(query: CompiledQuery) => (executeQuery<R>).call(connection, query).catch(rethrow);
}

function rethrow(cause: unknown): never {
  throw describeFailure(cause);
}

function describeFailure(cause: unknown): unknown {
  const code = systemCodeOf(cause) ?? "";
  const message = messageOf(cause);
  if (/^28|^3D000$|^42501$/.test(code)) {
    const refused = `PostgreSQL refused the connection or a statement (${message}). Check user, password and database of DATABASE_URL, and that the user may create tables.`;
    return new StoreError("store_denied", refused, {}, { cause });
  }
  const isLost =
    /^(08|53|57P0|57014|25006)/.test(code) ||
    /^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_AGAIN|NOTFOUND)|^ENOTFOUND/.test(code) ||
    /^(timeout exceeded when|Query read timeout|Connection terminated|Client has encountered a connection error)/.test(message);
  if (!isLost) return cause;
  const lost = `PostgreSQL cannot be reached or does not answer (${message === "" ? code : message}). Confirmed changes are kept. Try again in a few seconds. If the problem persists, check DATABASE_URL and the server.`;
  return new StoreError("store_unavailable", lost, { retry_after_s: 5 }, { cause });
}
