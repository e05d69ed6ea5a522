import { cutWithTies, type Scored } from "./bm25.ts";

/**
 * Exact cosine ranking of unit vectors. Slots are handed out in rising order and never reused; equal scores rank the lower slot first.
 */
export class DenseIndex {
  private width = 0;
  private rows = new Float32Array(0);
  private readonly alive: boolean[] = [];

  /** Number of slots ever handed out. */
  get slots(): number {
    return this.alive.length;
  }

  /** Length of its vectors; 0 before the first one. */
  get dimensions(): number {
    return this.width;
  }

  /**
   * Adds a unit vector; returns its slot.
   * @throws RangeError when its dimension differs from the first one's or a value is not finite
   */
  add(vector: Float32Array): number {
    if (this.alive.length === 0) this.width = vector.length;
    assertVector(vector, this.width);
    const slot = this.alive.length;
    const needed = (slot + 1) * this.width;
    if (needed > this.rows.length) {
      const larger = new Float32Array(Math.max(needed, this.rows.length * 2));
      larger.set(this.rows);
      this.rows = larger;
    }
    this.rows.set(vector, slot * this.width);
    this.alive.push(true);
    return slot;
  }

  delete(slot: number): void {
    if (slot < this.alive.length) this.alive[slot] = false;
  }

  /** The `k` best by dot product among slots that `accept` lets through, best first, and whatever ties with the last of them. */
  search(query: Float32Array, k: number, accept?: (slot: number) => boolean): Scored[] {
    if (this.alive.length === 0 || k <= 0) return [];
    assertVector(query, this.width);
    const found: Scored[] = [];
    for (let slot = 0; slot < this.alive.length; slot++) {
      if (this.alive[slot] !== true || (accept !== undefined && !accept(slot))) continue;
      found.push({ slot, score: this.score(query, slot) });
    }
    return cutWithTies(
      found.sort((a, b) => b.score - a.score || a.slot - b.slot),
      k,
    );
  }

  /** Dot product of a query with the vector in a slot. */
  score(query: Float32Array, slot: number): number {
    const start = slot * this.width;
    let dot = 0;
    for (let i = 0; i < this.width; i++) dot += (query[i] as number) * (this.rows[start + i] as number);
    return dot;
  }
}

function assertVector(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) throw new RangeError(`Vector has ${vector.length} dimensions; the index has ${dimensions}.`);
  if (!vector.every(Number.isFinite)) throw new RangeError("Vector has a value that is not a finite number.");
}
