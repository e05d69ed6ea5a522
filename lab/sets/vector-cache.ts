import { join } from "node:path";
import type { Encoder } from "../../src/models/encoder.ts";
import { Embedder } from "../../src/retrieval/embedder.ts";
import { createEmbeddingStore, type EmbeddingStore } from "../../src/store/embeddings.ts";
import { openSqlite } from "../../src/store/sqlite.ts";

/** Vectors on disk by (model, hash of the text), in the store's own table. */
export interface VectorCache {
  readonly embeddings: EmbeddingStore;
  close(): Promise<void>;
}

/**
 * Opens (and makes) the cache of a folder.
 * @throws StoreError when the folder cannot be written or its file is no database
 */
export async function openVectorCache(folder: string): Promise<VectorCache> {
  const db = await openSqlite(join(folder, "vectors.db"));
  return { embeddings: createEmbeddingStore(db), close: () => db.destroy() };
}

/** The same encoder, which makes no vector twice: neither of passages nor of questions. */
export function cacheVectors(encoder: Encoder, embeddings: EmbeddingStore): Encoder {
  const embedder = new Embedder(encoder, embeddings);
  return { ...encoder, embed: (texts, options = {}) => embedder.embedTexts(texts, options) };
}
