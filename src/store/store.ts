import { randomBytes } from "node:crypto";
import { CompiledQuery, type Kysely } from "kysely";
import { type AuditStore, createAuditStore } from "./audit.ts";
import { type CacheStore, createCacheStore } from "./cache.ts";
import { type CorpusLog, createCorpusLog } from "./corpus-log.ts";
import { isPostgres } from "./dialect.ts";
import { createDocumentStore, type DocumentStore } from "./documents.ts";
import { createEmbeddingStore, createEncoderStore, type EmbeddingStore, type EncoderStore } from "./embeddings.ts";
import { createExposureStore, type ExposureStore } from "./exposures.ts";
import { createForgetStore, type ForgetStore, type Retention } from "./forget.ts";
import { createGraphStore, type GraphStore } from "./graph.ts";
import { createIdempotencyStore, type IdempotencyStore } from "./idempotency.ts";
import { createInteractionStore, type InteractionStore } from "./interactions.ts";
import { createJobStore, type JobStore } from "./jobs.ts";
import { createKeyStore, type KeyStore } from "./keys.ts";
import {
  createOriginalStore,
  createOriginStore,
  createUnfinishedStore,
  type OriginalStore,
  type OriginStore,
  type UnfinishedStore,
} from "./origins.ts";
import { assertPostgresVectors, openPostgresVectors, type VectorsOf, type VectorTable } from "./postgres-vectors.ts";
import { createRecordStore, type RecordStore } from "./records.ts";
import { createReportStore, type ReportStore } from "./reports.ts";
import { createReviewStore, type ReviewStore } from "./review.ts";
import type { Database } from "./schema.ts";
import { createSessionStore, createTurnWriter, type SessionStore } from "./sessions.ts";
import { CountingAdapter } from "./statement-cache.ts";
import { createStatisticsStore, type StatisticsStore } from "./statistics.ts";
import { createUsageStore, type UsageStore } from "./usage.ts";

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

/** All records of an installation. The database is the source of truth; in-process indexes are rebuilt from it. */
export interface Store {
  readonly documents: DocumentStore;
  readonly cache: CacheStore;
  readonly graph: GraphStore;
  readonly origins: OriginStore;
  readonly unfinished: UnfinishedStore;
  /** Reading that is to be done. */
  readonly jobs: JobStore;
  /** Files that were uploaded. */
  readonly originals: OriginalStore;
  readonly sessions: SessionStore;
  readonly keys: KeyStore;
  readonly interactions: InteractionStore;
  /** What answers were made from. */
  readonly records: RecordStore;
  /** Which documents each revision held. */
  readonly corpusLog: CorpusLog;
  readonly reports: ReportStore;
  readonly embeddings: EmbeddingStore;
  readonly encoders: EncoderStore;
  readonly review: ReviewStore;
  readonly audit: AuditStore;
  readonly forgetting: ForgetStore;
  readonly statistics: StatisticsStore;
  /** What callers have spent of their budgets. */
  readonly usage: UsageStore;
  /** Where vectors are searched in the database; `null`: it cannot. */
  readonly vectors: VectorStore | null;
  /** Where processes count together; `null`: this process is the only one. */
  readonly counters: CounterClient | null;
  /** Responses for a second try. */
  readonly idempotency: IdempotencyStore;
  /** Which variant of an experiment answered what. */
  readonly exposures: ExposureStore;
  /** Secret of this installation (32 bytes, hex) that keys the hashes of the cache; made on first use. */
  secret(): Promise<string>;
  /**
   * A number that stays the same for as long as nothing has changed that a stored answer rests on: documents, who sees them, entries, reviews, settings. Asked
   * before something is read, it tells later whether that still stands. `null`: nobody can tell.
   */
  generation(): number | null;
  /** A text of this installation that is made on first use and is the same for every process, such as a key. */
  fact(name: string, make: () => string): Promise<string>;
  close(): Promise<void>;
}

/** Vectors in the database, by pgvector. */
export interface VectorStore {
  /** @throws StoreError `vectors_unavailable` */
  assertAvailable(): Promise<void>;
  /** @throws StoreError `vectors_unavailable`, `vectors_too_wide` */
  open(of: VectorsOf): Promise<VectorTable>;
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
export function createStore(db: Kysely<Database>, { now, clock, retention }: StoreOptions): Store {
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
    jobs: createJobStore(db, now),
    originals: createOriginalStore(db, now),
    sessions: createSessionStore(db, { now, secret, writeTurns }),
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
    vectors: isPostgres(db) ? { assertAvailable: () => assertPostgresVectors(db), open: (of) => openPostgresVectors(db, of) } : null,
    counters: createCounterClient(db),
    idempotency: createIdempotencyStore(db, now, secret),
    exposures: createExposureStore(db, now, secret),
    secret,
    generation: () => generationOf(db),
    fact: (name, make) => readFact(db, `fact:${name}`, make),
    close: () => db.destroy(),
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
