import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { type CacheStore, createCacheStore } from "./cache.ts";
import { createDocumentStore, type DocumentStore } from "./documents.ts";
import { createEmbeddingStore, type EmbeddingStore } from "./embeddings.ts";
import { createEncoderStore, type EncoderStore } from "./encoders.ts";
import { createGraphStore, type GraphStore } from "./graph.ts";
import { createInteractionStore, type InteractionStore } from "./interactions.ts";
import { createOriginStore, type OriginStore } from "./origins.ts";
import { createReportStore, type ReportStore } from "./reports.ts";
import type { Database } from "./schema.ts";
import { createSessionStore, type SessionStore } from "./sessions.ts";

/** All records of an installation. The database is the source of truth; in-process indexes are rebuilt from it. */
export interface Store {
  readonly documents: DocumentStore;
  readonly cache: CacheStore;
  readonly graph: GraphStore;
  readonly origins: OriginStore;
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore;
  readonly reports: ReportStore;
  readonly embeddings: EmbeddingStore;
  readonly encoders: EncoderStore;
  /** Secret of this installation (32 bytes, hex) that keys the hashes of the cache; made on first use. */
  secret(): Promise<string>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** The time, injected for tests. */
  readonly now: () => Date;
}

/** The same queries for every database behind Kysely. */
export function createStore(db: Kysely<Database>, { now }: StoreOptions): Store {
  return {
    documents: createDocumentStore(db, now),
    cache: createCacheStore(db, now),
    graph: createGraphStore(db, now),
    origins: createOriginStore(db, now),
    sessions: createSessionStore(db, now),
    interactions: createInteractionStore(db, now),
    reports: createReportStore(db),
    embeddings: createEmbeddingStore(db),
    encoders: createEncoderStore(db),
    async secret() {
      const fresh = randomBytes(32).toString("hex");
      await db
        .insertInto("meta")
        .values({ key: "secret", value: fresh })
        .onConflict((c) => c.doNothing())
        .execute();
      const row = await db.selectFrom("meta").select("value").where("key", "=", "secret").executeTakeFirstOrThrow();
      return row.value;
    },
    close: () => db.destroy(),
  };
}
