import type { Kysely, Selectable } from "kysely";
import { prepareRows } from "./prepared.ts";
import type { Database } from "./schema.ts";
import { transact } from "./transact.ts";
import { bytesToVector, vectorToBytes } from "./vector-bytes.ts";

/** Vectors that were paid for once, keyed by (model, hash of the text). */
export interface EmbeddingStore {
  /** Vectors by text hash, as far as they are known. */
  get(model: string, hashes: readonly string[]): Promise<Map<string, Float32Array>>;
  put(model: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
}

const HASHES_PER_QUERY = 500;

export function createEmbeddingStore(db: Kysely<Database>): EmbeddingStore {
  const insert = prepareRows((rows: readonly Selectable<Database["embeddings"]>[]) =>
    db
      .insertInto("embeddings")
      .values(rows)
      .onConflict((c) => c.columns(["model", "text_hash"]).doUpdateSet((eb) => ({ vector: eb.ref("excluded.vector") }))),
  );
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
        for (const { text_hash, vector } of rows) found.set(text_hash, bytesToVector(vector));
      }
      return found;
    },
    put: (model, vectors) =>
      transact(db, async (trx) => {
        // In one order everywhere: processes that store the same vectors at once wait for each other and do not lock each other out.
        const inOrder = [...vectors].sort(([a], [b]) => (a < b ? -1 : 1));
        await insert(
          trx,
          inOrder.map(([text_hash, vector]) => ({ model, text_hash, vector: vectorToBytes(vector) })),
        );
      }),
  };
}
