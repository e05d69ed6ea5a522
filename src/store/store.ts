import { randomBytes } from "node:crypto";
import { CompiledQuery, type Kysely } from "kysely";
import { createAuditStore } from "./audit.ts";
import { createCacheStore } from "./cache.ts";
import { createCorpusLog } from "./corpus-log.ts";
import { isPostgres } from "./dialect.ts";
import { createDocumentStore } from "./documents.ts";
import { createEmbeddingStore, createEncoderStore } from "./embeddings.ts";
import { createForgetStore, type Retention } from "./forget.ts";
import { createGraphStore } from "./graph.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { createInteractionStore } from "./interactions.ts";
import { createJobStore } from "./jobs.ts";
import { createKeyStore } from "./keys.ts";
import { createOriginalStore, createOriginStore, createUnfinishedStore } from "./origins.ts";
import { assertPostgresVectors, openPostgresVectors, type VectorsOf, type VectorTable } from "./postgres-vectors.ts";
import { createRecordStore } from "./records.ts";
import { createReportStore } from "./reports.ts";
import { createReviewStore } from "./review.ts";
import type { Database } from "./schema.ts";
import { createSessionStore, createTurnWriter } from "./sessions.ts";
import { CountingAdapter } from "./statement-cache.ts";
import { createExposureStore, createStatisticsStore } from "./statistics.ts";
import { createUsageStore } from "./usage.ts";

/** Table of the counts that processes share, with the columns that `rate-limiter-flexible` writes. */
export const COUNTER_TABLE = "rate_limits" satisfies keyof Database;

/** The part of a PostgreSQL client that `rate-limiter-flexible` needs. */
export interface CounterClient {
  query(query: { readonly text: string; readonly values?: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}

/** @returns `null` for an embedded database: one process answers from it, and counts in its memory */
function createCounterClient(db: Kysely<Database>): CounterClient | null {
  if (!isPostgres(db)) return null;
  return { query: ({ text, values = [] }) => db.executeQuery(CompiledQuery.raw(text, [...values])) };
}

export interface StoreOptions {
  /** The time, injected for tests. */
  readonly now: () => Date;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** What is kept of interactions and sessions while new ones are stored; without it, only `forgetting.purge` deletes. */
  readonly retention?: Retention | undefined;
}

/** The same queries for every database behind Kysely. */
export function createStore(db: Kysely<Database>, { now, clock, retention }: StoreOptions) {
  let known: Promise<string> | null = null;
  const secret = () => {
    known ??= readFact(db, "secret", () => randomBytes(32).toString("hex")).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
  const writeTurns = createTurnWriter(db, now);
  return {
    documents: createDocumentStore(db, now),
    cache: createCacheStore(db, now),
    graph: createGraphStore(db, now),
    origins: createOriginStore(db, now),
    unfinished: createUnfinishedStore(db),
    /** Reading that is to be done. */
    jobs: createJobStore(db, now),
    /** Files that were uploaded. */
    originals: createOriginalStore(db, now),
    sessions: createSessionStore(db, { now, secret, writeTurns }),
    keys: createKeyStore(db, now, secret),
    interactions: createInteractionStore(db, { now, secret, writeTurns, clock, retention }),
    /** What answers were made from. */
    records: createRecordStore(db),
    /** Which documents each revision held. */
    corpusLog: createCorpusLog(db),
    reports: createReportStore(db),
    embeddings: createEmbeddingStore(db),
    encoders: createEncoderStore(db, () => generationOf(db)),
    review: createReviewStore(db, now),
    audit: createAuditStore(db, now),
    forgetting: createForgetStore(db, now, secret),
    statistics: createStatisticsStore(db),
    /** What callers have spent of their budgets. */
    usage: createUsageStore(db, now, secret),
    /** Where vectors are searched in the database; `null`: it cannot. */
    vectors: createVectorStore(db),
    /** Where processes count together; `null`: this process is the only one. */
    counters: createCounterClient(db),
    /** Responses for a second try. */
    idempotency: createIdempotencyStore(db, now, secret),
    /** Which variant of an experiment answered what. */
    exposures: createExposureStore(db, now, secret),
    /** Secret of this installation (32 bytes, hex) that keys the hashes of the cache; made on first use. */
    secret,
    /**
     * A number that stays the same for as long as nothing has changed that a stored answer rests on: documents, who sees them, entries, reviews, settings. Asked
     * before something is read, it tells later whether that still stands. `null`: nobody can tell.
     */
    generation: (): number | null => generationOf(db),
    /** A text of this installation that is made on first use and is the same for every process, such as a key. */
    fact: (name: string, make: () => string): Promise<string> => readFact(db, `fact:${name}`, make),
    close: (): Promise<void> => db.destroy(),
  };
}

/** All records of an installation. The database is the source of truth; in-process indexes are rebuilt from it. */
export type Store = ReturnType<typeof createStore>;

/** Vectors in the database, by pgvector. */
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
    // A database that cannot be asked is read, which waits for it or says what is wrong.
    return null;
  }
}

/** Of two processes that make it at once, the first wins. */
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
