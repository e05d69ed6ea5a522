import type { Kysely, Selectable } from "kysely";
import { z } from "zod";
import { type Given, inParts, prepare, prepareRows, putFact, transact } from "./dialect.ts";
import type { Database } from "./schema.ts";

const recordSchema = z.object({
  /** Id of the encoder whose vectors are complete and used. */
  id: z.string(),
  /** Specification from which the encoder can be opened again; contains no API key. */
  spec: z.unknown(),
  /** Encoder that the configuration named when `id` was activated. A later change of the configuration takes precedence. */
  configured: z.string(),
});

type ActiveEncoder = z.infer<typeof recordSchema>;

/** @param generation see `Store.generation`. Every question needs the active encoder, which is read again only after a change. */
export function createEncoderStore(db: Kysely<Database>, generation: () => number | null) {
  const query = prepare((given: Given<{ key: string }>) => db.selectFrom("meta").select("value").where("key", "=", given("key")));
  const read = async (domain: string): Promise<ActiveEncoder | null> => {
    const [row] = await query(db, { key: keyOf(domain) });
    return row === undefined ? null : recordSchema.parse(JSON.parse(row.value));
  };
  const known = new Map<string, { readonly generation: number; readonly active: ActiveEncoder | null }>();
  return {
    async active(domain: string): Promise<ActiveEncoder | null> {
      const now = generation();
      const before = known.get(domain);
      if (before !== undefined && before.generation === now) return before.active;
      const active = await read(domain);
      if (now !== null) known.set(domain, { generation: now, active });
      return active;
    },
    activate: (domain: string, encoder: ActiveEncoder): Promise<void> => putFact(db, keyOf(domain), JSON.stringify(encoder)),
  };
}

/** The active encoder of each domain. */
export type EncoderStore = ReturnType<typeof createEncoderStore>;

function keyOf(domain: string): string {
  return `encoder:${domain}`;
}

export function createEmbeddingStore(db: Kysely<Database>) {
  const insert = prepareRows((rows: readonly Selectable<Database["embeddings"]>[]) =>
    db
      .insertInto("embeddings")
      .values(rows)
      .onConflict((c) => c.columns(["model", "textHash"]).doUpdateSet((eb) => ({ vector: eb.ref("excluded.vector") }))),
  );
  return {
    /** Returns known vectors by text hash. */
    async get(model: string, hashes: readonly string[]): Promise<Map<string, Float32Array>> {
      const found = new Map<string, Float32Array>();
      for (const part of inParts(hashes)) {
        const all = db.selectFrom("embeddings").select(["textHash", "vector"]).where("model", "=", model);
        const rows = await all.where("textHash", "in", part).execute();
        for (const { textHash, vector } of rows) found.set(textHash, bytesToVector(vector));
      }
      return found;
    },
    put: (model: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> =>
      transact(db, async (trx) => {
        // Insert in order of the hash, so that processes that store the same vectors wait for each other instead of deadlocking.
        const inOrder = [...vectors].sort(([a], [b]) => (a < b ? -1 : 1));
        const rows = inOrder.map(([textHash, vector]) => ({ model, textHash, vector: vectorToBytes(vector) }));
        await insert(trx, rows);
      }),
  };
}

/** Cached embeddings by model and text hash, so that each text is embedded once. */
export type EmbeddingStore = ReturnType<typeof createEmbeddingStore>;

/** Converts a vector to its stored form: float32, little-endian. */
export function vectorToBytes(vector: Float32Array): Uint8Array {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Converts stored bytes to a vector. Copies them for alignment, because PostgreSQL returns a view of a larger buffer. */
export function bytesToVector(blob: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(blob).buffer);
}
