import { join } from "node:path";
import type { Encoder } from "../../src/models/encoder.ts";
import { Embedder } from "../../src/retrieval/encoder-switch.ts";
import { createEmbeddingStore, type EmbeddingStore } from "../../src/store/embeddings.ts";
import { openSqlite } from "../../src/store/sqlite.ts";

/** Vectors on disk by model and text hash, in the store's own table. */
export interface VectorCache {
  readonly embeddings: EmbeddingStore;
  close(): Promise<void>;
}

/** Opens the cache of a folder; creates it if missing. @throws StoreError if the folder is not writable or its file is not a database */
export async function openVectorCache(folder: string): Promise<VectorCache> {
  const db = await openSqlite(join(folder, "vectors.db"));
  return { embeddings: createEmbeddingStore(db), close: () => db.destroy() };
}

/** Wraps an encoder so that it embeds each text only once. */
export function cacheVectors(encoder: Encoder, embeddings: EmbeddingStore): Encoder {
  const embedder = new Embedder(encoder, embeddings);
  return { ...encoder, embed: (texts, options = {}) => embedder.embedTexts(texts, options) };
}
