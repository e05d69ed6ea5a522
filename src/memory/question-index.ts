import type { CacheStore } from "../store/cache.ts";

/** Vectors of one model, searched by group. */
export interface GroupedVectors {
  add(group: string, vector: Float32Array): number;
  delete(slot: number): void;
  search(group: string, vector: Float32Array, k: number): readonly { readonly slot: number; readonly score: number }[];
}

export interface Neighbour {
  readonly key: string;
  readonly cosine: number;
}

/**
 * Maximum number of searches per question. A search is repeated while it finds entries that the database no longer has.
 */
const ROUNDS = 8;

/**
 * Vectors of stored questions in this process, kept equal to the database. New entries of any process are loaded before
 * each search, from the number of the newest known entry on. Deleted entries are noticed when found, and never served,
 * because every neighbour is read from the database.
 */
export class QuestionIndex {
  private readonly cache: Pick<CacheStore, "newest" | "vectorsAfter">;
  private readonly createVectors: (model: string) => GroupedVectors;
  private readonly models = new Map<string, GroupedVectors>();
  private readonly places = new Map<string, { readonly model: string; readonly slot: number; readonly seq: number }>();
  private readonly keys = new Map<string, Map<number, string>>();
  private seen = 0;
  private syncing: Promise<void> = Promise.resolve();

  constructor(cache: Pick<CacheStore, "newest" | "vectorsAfter">, createVectors: (model: string) => GroupedVectors) {
    this.cache = cache;
    this.createVectors = createVectors;
  }

  /** Number of questions in the index. */
  get size(): number {
    return this.places.size;
  }

  /**
   * Returns the nearest stored questions of a scope that `read` still finds.
   * @param read returns the entries, and the keys that no longer have one
   */
  async nearest<T>(
    { model, scope, vector }: { readonly model: string; readonly scope: string; readonly vector: Float32Array },
    k: number,
    read: (keys: readonly string[]) => Promise<{ found: T[]; gone: readonly string[] }>,
  ): Promise<{ neighbours: readonly Neighbour[]; found: readonly T[] }> {
    await this.sync();
    for (let round = 1; ; round++) {
      const neighbours = this.search(model, scope, vector, k);
      const { found, gone } = await read(neighbours.map(({ key }) => key));
      for (const key of gone) this.forget(key);
      if (gone.length === 0 || round === ROUNDS) return { neighbours, found };
    }
  }

  private search(model: string, scope: string, vector: Float32Array, k: number): Neighbour[] {
    const scored = this.models.get(model)?.search(scope, vector, k) ?? [];
    const keys = this.keys.get(model);
    return scored.map(({ slot, score }) => ({ key: keys?.get(slot) ?? "", cosine: score }));
  }

  private sync(): Promise<void> {
    const next = this.syncing.then(() => this.takeIn());
    this.syncing = next.catch(() => undefined);
    return next;
  }

  private async takeIn(): Promise<void> {
    if ((await this.cache.newest()) <= this.seen) return;
    for (const { seq, key, scope, model, vector } of await this.cache.vectorsAfter(this.seen)) {
      this.forget(key);
      const vectors = this.models.get(model) ?? this.createVectors(model);
      this.models.set(model, vectors);
      const slot = vectors.add(scope, vector);
      const keys = this.keys.get(model) ?? new Map<number, string>();
      keys.set(slot, key);
      this.keys.set(model, keys);
      this.places.set(key, { model, slot, seq });
      this.seen = seq;
    }
  }

  private forget(key: string): void {
    const place = this.places.get(key);
    if (place === undefined) return;
    this.models.get(place.model)?.delete(place.slot);
    this.keys.get(place.model)?.delete(place.slot);
    this.places.delete(key);
  }
}
