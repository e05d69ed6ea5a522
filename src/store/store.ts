import { randomBytes } from "node:crypto";
import { CompiledQuery, type Kysely } from "kysely";
import { onceDone } from "../text/memo.ts";
import { createAuditStore } from "./audit.ts";
import { createCacheStore } from "./cache.ts";
import { createCorpusLog } from "./corpus-log.ts";
import { CountingAdapter, isPostgres, PooledAdapter, upsert } from "./dialect.ts";
import { createDocumentStore } from "./documents.ts";
import { createEmbeddingStore, createEncoderStore } from "./embeddings.ts";
import { createForgetStore, type Retention } from "./forget.ts";
import { createGraphStore } from "./graph.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { createRecordStore } from "./interaction.ts";
import { createInteractionStore } from "./interactions.ts";
import { createJobStore, createLeaseStore } from "./jobs.ts";
import { createKeyStore } from "./keys.ts";
import { createOriginalStore, createOriginStore, createUnfinishedStore } from "./origins.ts";
import { assertPostgresVectors, findPostgresVectors, openPostgresVectors, type VectorTable } from "./postgres-vectors.ts";
import { createReportStore } from "./reports.ts";
import { createReviewStore } from "./review.ts";
import type { Database } from "./schema.ts";
import { createSessionStore, createTurnWriter } from "./sessions.ts";
import { createExposureStore, createStatisticsStore } from "./statistics.ts";
import { createUsageStore } from "./usage.ts";

/** Table of counters that processes share, with the columns that `rate-limiter-flexible` expects. */
export const COUNTER_TABLE = "rate_limits" satisfies keyof Database;

/** The part of a PostgreSQL client that `rate-limiter-flexible` needs. */
export interface CounterClient {
  query(query: { readonly text: string; readonly values?: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

export interface StoreOptions {
  readonly now: () => Date;
  /** Monotonic time in milliseconds. */
  readonly clock: () => number;
  /** Limits of retention that are also enforced when interactions are stored. Absent: only `forgetting.purge` enforces limits. */
  readonly retention?: Retention | undefined;
}

/** Creates the store. Its queries are the same for SQLite and PostgreSQL. */
export function createStore(db: Kysely<Database>, { now, clock, retention }: StoreOptions) {
  const secret = onceDone(() => readFact(db, "secret", () => randomBytes(32).toString("hex")));
  const writeTurns = createTurnWriter(db, now);
  const counters: CounterClient = { query: ({ text, values = [] }) => db.executeQuery(CompiledQuery.raw(text, [...values])) };
  return {
    documents: createDocumentStore(db, now),
    cache: createCacheStore(db, now),
    graph: createGraphStore(db, now),
    origins: createOriginStore(db, now),
    leases: createLeaseStore(db, now),
    unfinished: createUnfinishedStore(db),
    jobs: createJobStore(db, now),
    originals: createOriginalStore(db, now),
    sessions: createSessionStore(db, now, secret),
    keys: createKeyStore(db, now, secret),
    interactions: createInteractionStore(db, { now, secret, writeTurns, clock, retention }),
    records: createRecordStore(db),
    corpusLog: createCorpusLog(db),
    reports: createReportStore(db),
    embeddings: createEmbeddingStore(db),
    encoders: createEncoderStore(db, () => generationOf(db)),
    review: createReviewStore(db, now),
    audit: createAuditStore(db, now),
    forgetting: createForgetStore(db, now, secret),
    statistics: createStatisticsStore(db),
    usage: createUsageStore(db, now, secret),
    /** `null`: the database cannot search vectors. */
    vectors: createVectorStore(db),
    /** Returns the numbers of this process's connections to PostgreSQL by state; empty for SQLite. */
    connections: (): readonly (readonly [state: string, connections: number])[] => {
      const { adapter } = db.getExecutor();
      if (!(adapter instanceof PooledAdapter)) return [];
      const { totalCount, idleCount, waitingCount } = adapter.pool;
      return Object.entries({ used: totalCount - idleCount, idle: idleCount, awaited: waitingCount });
    },
    /** Counters that processes share; `null` for SQLite, where the single server process counts in memory. */
    counters: isPostgres(db) ? counters : null,
    idempotency: createIdempotencyStore(db, now, secret),
    exposures: createExposureStore(db, now, secret),
    /** Returns the secret of the installation (32 bytes, hex), the key of all keyed hashes. It is created at first use. */
    secret,
    /**
     * Returns a number that changes whenever data behind stored answers may have changed: documents, access, cache
     * entries, reviews, settings. Data read at one number is valid until the number changes. `null`: unknown, as with
     * PostgreSQL.
     */
    generation: (): number | null => generationOf(db),
    /** Returns a text that all processes of the installation share, e.g. a key. It is created at first use. */
    fact: (name: string, make: () => string): Promise<string> => readFact(db, `fact:${name}`, make),
    close: (): Promise<void> => db.destroy(),
  };
}

/** All stored data of an installation. The database is the source of truth; indexes in memory are rebuilt from it. */
export type Store = ReturnType<typeof createStore>;

function createVectorStore(db: Kysely<Database>) {
  if (!isPostgres(db)) return null;
  return {
    /** @throws StoreError `vectors_unavailable` */
    assertAvailable: (): Promise<void> => assertPostgresVectors(db),
    /**
     * Opens the vectors of an encoder for a domain. Without dimensions: `null` if none are stored.
     * @throws StoreError `vectors_unavailable`, `vectors_too_wide`
     */
    open: ({ dimensions, ...of }: { domain: string; model: string; dimensions: number | null }): Promise<VectorTable | null> =>
      dimensions === null ? findPostgresVectors(db, of) : openPostgresVectors(db, { ...of, dimensions }),
  };
}

function generationOf(db: Kysely<Database>): number | null {
  const { adapter } = db.getExecutor();
  try {
    return adapter instanceof CountingAdapter ? adapter.changes.now() : null;
  } catch {
    // The next read waits for the database or reports the failure.
    return null;
  }
}

/** Reads or creates a row of `meta`. If two processes create it at once, both get the value of the first. */
async function readFact(db: Kysely<Database>, key: string, make: () => string): Promise<string> {
  const read = () => db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst();
  const known = await read();
  if (known !== undefined) return known.value;
  await upsert(db, "meta", { key, value: make() }, ["key"]);
  return (await read())?.value ?? "";
}
