import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** Vectors that were paid for once, keyed by (model, hash of the text). */
export interface EmbeddingStore {
  /** Vectors by text hash, as far as they are known. */
  get(model: string, hashes: readonly string[]): Promise<Map<string, Float32Array>>;
  put(model: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
}

const HASHES_PER_QUERY = 500;

export function createEmbeddingStore(db: Kysely<Database>): EmbeddingStore {
  return {
    async get(model, hashes) {
      const found = new Map<string, Float32Array>();
      for (let at = 0; at < hashes.length; at += HASHES_PER_QUERY) {
        const rows = await db
          .selectFrom("embeddings")
          .select(["text_hash", "vector"])
          .where("model", "=", model)
          .where("text_hash", "in", hashes.slice(at, at + HASHES_PER_QUERY))
          .execute();
        for (const { text_hash, vector } of rows) found.set(text_hash, decode(vector));
      }
      return found;
    },
    put: (model, vectors) =>
      db.transaction().execute(async (trx) => {
        for (const [text_hash, vector] of vectors) {
          await trx
            .insertInto("embeddings")
            .values({ model, text_hash, vector: encode(vector) })
            .onConflict((c) => c.columns(["model", "text_hash"]).doUpdateSet((eb) => ({ vector: eb.ref("excluded.vector") })))
            .execute();
        }
      }),
  };
}

function encode(vector: Float32Array): Uint8Array {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** libsql returns blobs as ArrayBuffer, PostgreSQL as Buffer; both are copied so that the alignment is right. */
function decode(blob: unknown): Float32Array {
  const bytes = blob instanceof ArrayBuffer ? new Uint8Array(blob) : (blob as Uint8Array);
  return new Float32Array(bytes.slice().buffer);
}
