import { randomBytes } from "node:crypto";
import { CompiledQuery, type Kysely } from "kysely";
import { onceDone } from "../text/memo.ts";
import { createAuditStore } from "./audit.ts";
import { createCacheStore } from "./cache.ts";
import { createCorpusLog } from "./corpus-log.ts";
import { CountingAdapter, isPostgres, PooledAdapter } from "./dialect.ts";
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
import { assertPostgresVectors, openPostgresVectors, type VectorsOf, type VectorTable } from "./postgres-vectors.ts";
import { createReportStore } from "./reports.ts";
import { createReviewStore } from "./review.ts";
import type { Database } from "./schema.ts";
import { createSessionStore, createTurnWriter } from "./sessions.ts";
import { createExposureStore, createStatisticsStore } from "./statistics.ts";
import { createUsageStore } from "./usage.ts";

/** Table of shared counters, with the columns of `rate-limiter-flexible`. */
export const COUNTER_TABLE = "rate_limits" satisfies keyof Database;

/** The part of a PostgreSQL client that `rate-limiter-flexible` needs. */
export interface CounterClient {
  query(query: { readonly text: string; readonly values?: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

/** @returns `null` for an embedded database, whose single server process counts in memory */
function createCounterClient(db: Kysely<Database>): CounterClient | null {
  if (!isPostgres(db)) return null;
  return { query: ({ text, values = [] }) => db.executeQuery(CompiledQuery.raw(text, [...values])) };
}

export interface StoreOptions {
  readonly now: () => Date;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Retention limits that are also enforced when interactions are stored; if absent, only `forgetting.purge` enforces limits. */
  readonly retention?: Retention | undefined;
}

/** Creates the store; its queries are the same for every database behind Kysely. */
export function createStore(db: Kysely<Database>, { now, clock, retention }: StoreOptions) {
  const secret = onceDone(() => readFact(db, "secret", () => randomBytes(32).toString("hex")));
  const writeTurns = createTurnWriter(db, now);
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
    /** Returns the connections of this process to PostgreSQL by state; empty for an embedded database. */
    connections: (): readonly (readonly [state: string, connections: number])[] => {
      const { adapter } = db.getExecutor();
      if (!(adapter instanceof PooledAdapter)) return [];
      const { totalCount, idleCount, waitingCount } = adapter.pool;
      return Object.entries({ used: totalCount - idleCount, idle: idleCount, awaited: waitingCount });
    },
    /** `null` if there are no shared counters and this process counts in memory. */
    counters: createCounterClient(db),
    idempotency: createIdempotencyStore(db, now, secret),
    exposures: createExposureStore(db, now, secret),
    /** Returns the installation's secret (32 bytes, hex), the HMAC key of stored keyed hashes; created at first use. */
    secret,
    /**
     * Returns a number that changes whenever data behind stored answers may have changed: documents, access, cache entries,
     * reviews, settings. Data read at one number is valid until the number changes. `null` if unknown.
     */
    generation: (): number | null => generationOf(db),
    /** Returns an installation-wide text, such as a key, that is created at first use and shared by all processes. */
    fact: (name: string, make: () => string): Promise<string> => readFact(db, `fact:${name}`, make),
    close: (): Promise<void> => db.destroy(),
  };
}

/** All records of an installation. The database is the source of truth; in-process indexes are rebuilt from it. */
export type Store = ReturnType<typeof createStore>;

function createVectorStore(db: Kysely<Database>) {
  if (!isPostgres(db)) return null;
  return {
    /** @throws StoreError `vectors_unavailable` */
    assertAvailable: (): Promise<void> => assertPostgresVectors(db),
    /** @throws StoreError `vectors_unavailable`, `vectors_too_wide` */
    open: (of: VectorsOf): Promise<VectorTable> => openPostgresVectors(db, of),
  };
}

function generationOf(db: Kysely<Database>): number | null {
  const { adapter } = db.getExecutor();
  try {
    return adapter instanceof CountingAdapter ? adapter.changes.now() : null;
  } catch {
    // The next read will wait for the database or report the failure.
    return null;
  }
}

/** Reads or creates a fact. If two processes create it at once, the first one wins. */
async function readFact(db: Kysely<Database>, key: string, make: () => string): Promise<string> {
  const read = () => db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst();
  const known = await read();
  if (known !== undefined) return known.value;
  await db
    .insertInto("meta")
    .values({ key, value: make() })
    .onConflict((c) => c.doNothing())
    .execute();
  return (await read())?.value ?? "";
}
