import type { Chunk, TextRange } from "../shared/types.ts";

/** A set of slots (numbers of index entries), one bit each. Used as a filter. */
export class SlotSet {
  private bits = new Uint32Array(32);

  static of(slots: Iterable<number>): SlotSet {
    const set = new SlotSet();
    for (const slot of slots) set.add(slot);
    return set;
  }

  /** Returns the slots below `slots` for which the predicate is true. */
  static from(slots: number, accept: (slot: number) => boolean): SlotSet {
    const set = new SlotSet();
    for (let slot = 0; slot < slots; slot++) if (accept(slot)) set.add(slot);
    return set;
  }

  add(slot: number): void {
    const word = slot >>> 5;
    if (word >= this.bits.length) this.bits = withRoom(this.bits, word + 1);
    this.bits[word] = (this.bits[word] as number) | (1 << (slot & 31));
  }

  delete(slot: number): void {
    const word = slot >>> 5;
    if (word < this.bits.length) this.bits[word] = (this.bits[word] as number) & ~(1 << (slot & 31));
  }

  has(slot: number): boolean {
    const word = slot >>> 5;
    return word < this.bits.length && ((this.bits[word] as number) & (1 << (slot & 31))) !== 0;
  }

  /** Returns the slots in ascending order. */
  slots(): number[] {
    const slots: number[] = [];
    for (const [index, bits] of this.bits.entries())
      for (let left = bits; left !== 0; left &= left - 1) slots.push(index * 32 + 31 - Math.clz32(left & -left));
    return slots;
  }

  /** Number of slots in the set. */
  get size(): number {
    let size = 0;
    for (const word of this.bits) size += bitCount(word);
    return size;
  }

  /** Returns the intersection as a new set. */
  and(other: SlotSet): SlotSet {
    const both = new SlotSet();
    both.bits = new Uint32Array(this.bits.length);
    const shared = Math.min(this.bits.length, other.bits.length);
    for (let i = 0; i < shared; i++) both.bits[i] = (this.bits[i] as number) & (other.bits[i] as number);
    return both;
  }

  /** Returns slots 32·index to 32·index + 31 as bits, the first in the lowest bit; 0 beyond the end. */
  word(index: number): number {
    return index < this.bits.length ? (this.bits[index] as number) : 0;
  }
}

function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** Returns the array if it has room for `needed` values; otherwise a copy with at least twice the length. */
export function withRoom<A extends NumberArray>(array: A, needed: number): A {
  if (needed <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => A)(Math.max(needed, array.length * 2, 64));
  larger.set(array);
  return larger;
}

/** Slot and score of an entry. */
export interface Scored {
  readonly slot: number;
  readonly score: number;
}

/** Collects the `k` best entries: higher scores first, then lower slots. A heap whose root is the worst collected entry. */
export class TopK {
  private readonly k: number;
  private readonly scores: Float64Array;
  private readonly slots: Uint32Array;
  private size = 0;
  /** Minimum score of a further entry; −∞ while there is room. An entry with exactly this score needs a lower slot than the worst. */
  threshold = Number.NEGATIVE_INFINITY;

  constructor(k: number) {
    this.k = k;
    this.scores = new Float64Array(k);
    this.slots = new Uint32Array(k);
  }

  offer(slot: number, score: number): void {
    if (this.size < this.k) {
      this.rise(this.size++, slot, score);
      if (this.size === this.k) this.threshold = this.scores[0] as number;
    } else if (score > this.threshold || (score === this.threshold && slot < (this.slots[0] as number))) {
      this.sink(slot, score);
      this.threshold = this.scores[0] as number;
    }
  }

  /** Returns the collected slots in no particular order. */
  slotsKept(): Uint32Array {
    return this.slots.subarray(0, this.size);
  }

  /** Returns the collected entries, best first. */
  ranked(): Scored[] {
    const kept = Array.from(this.slotsKept(), (slot, i) => ({ slot, score: this.scores[i] as number }));
    return kept.sort((a, b) => b.score - a.score || a.slot - b.slot);
  }

  private rise(at: number, slot: number, score: number): void {
    const { scores, slots } = this;
    let i = at;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!worse(score, slot, scores[parent] as number, slots[parent] as number)) break;
      scores[i] = scores[parent] as number;
      slots[i] = slots[parent] as number;
      i = parent;
    }
    scores[i] = score;
    slots[i] = slot;
  }

  /** Replaces the root by an entry. */
  private sink(slot: number, score: number): void {
    const { scores, slots, size } = this;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= size) break;
      const right = child + 1;
      if (right < size && worse(scores[right] as number, slots[right] as number, scores[child] as number, slots[child] as number))
        child = right;
      if (!worse(scores[child] as number, slots[child] as number, score, slot)) break;
      scores[i] = scores[child] as number;
      slots[i] = slots[child] as number;
      i = child;
    }
    scores[i] = score;
    slots[i] = slot;
  }
}

function worse(score: number, slot: number, thanScore: number, thanSlot: number): boolean {
  return score < thanScore || (score === thanScore && slot > thanSlot);
}

/** Counts for the idf of a term: `size` is the number of all entries, `holding` the number of entries with the term. */
export interface TermCounts {
  readonly size: number;
  holding(term: number): number;
}

export interface WeightedField {
  readonly tokens: readonly string[];
  readonly weight: number;
}

/** A query token and its weight, which is not negative. A token without a weight has weight 1. */
export interface WeightedTerm {
  readonly token: string;
  readonly weight: number;
}

/** Parts of the retrieval stage whose time is measured. `words` and `vectors` run within `search`. */
export type RetrievePart = "sync" | "understand" | "embed" | "search" | "words" | "vectors" | "rerank" | "load" | "deduplicate";

/** Runs one part, records its duration and returns its result. `untimed` records nothing. */
export type TimePart = <T>(part: RetrievePart, run: () => T) => T;

export const untimed: TimePart = (_part, run) => run();

/** A found chunk with its best window: the best by vector if vectors found the chunk, else the best by words. */
export interface Hit {
  readonly documentId: string;
  readonly version: string;
  readonly chunk: Chunk;
  readonly window: TextRange;
  readonly title: string;
  /** Text of the window. */
  readonly text: string;
  /** BM25 score of the chunk's best window; `null` if the chunk is not among the `k` best by words. */
  readonly bm25: number | null;
  /** Cosine of the chunk's best window; `null` if the chunk is not among the `k` best by vector. */
  readonly dense: number | null;
  /** Cosine of the chunk's best window, even if only words found it; `null` if chunk or question has no vector. */
  readonly cosine: number | null;
}

/** An item of a ranking with its score, not normalised; higher is better. */
export interface Ranked<Id> {
  readonly id: Id;
  readonly score: number;
}

/** Normalises scores to (s − min) / (max − min). If all are equal, all become 1, because each is the best. */
export function normalizeMinMax<Id>(ranking: readonly Ranked<Id>[]): Map<Id, number> {
  const scores = ranking.map(({ score }) => score);
  const min = Math.min(...scores);
  const range = Math.max(...scores) - min;
  return new Map(ranking.map(({ id, score }) => [id, range > 0 ? (score - min) / range : 1]));
}

/**
 * Computes α·dense + β·bm25 after min-max normalisation, as in the published `spark` design (docs/profiles.md). An id that one ranking
 * lacks gets 0 for that ranking, its lowest normalised score. If one ranking is empty, the other gets weight 1.
 */
export function fuseMinMax<Id>(
  dense: readonly Ranked<Id>[],
  bm25: readonly Ranked<Id>[],
  { alpha, beta }: Pick<Fusion, "alpha" | "beta">,
): (id: Id) => number {
  const denseWeight = dense.length === 0 ? 0 : bm25.length === 0 ? 1 : alpha;
  const bm25Weight = bm25.length === 0 ? 0 : dense.length === 0 ? 1 : beta;
  const denseNorm = normalizeMinMax(dense);
  const bm25Norm = normalizeMinMax(bm25);
  return (id) => denseWeight * (denseNorm.get(id) ?? 0) + bm25Weight * (bm25Norm.get(id) ?? 0);
}

/** Constant of reciprocal rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009). */
export const RRF_K = 60;

/**
 * Reciprocal rank fusion: Σ 1 / (k + rank) over the rankings that contain an id, ranks from 1 (Cormack, Clarke &
 * Büttcher, SIGIR 2009). It ignores the scores.
 */
export function fuseReciprocalRank<Id>(dense: readonly Ranked<Id>[], bm25: readonly Ranked<Id>[]): (id: Id) => number {
  const share = (ranking: readonly Ranked<Id>[]) => new Map(ranking.map(({ id }, at) => [id, 1 / (RRF_K + at + 1)]));
  const denseShare = share(dense);
  const bm25Share = share(bm25);
  return (id) => (denseShare.get(id) ?? 0) + (bm25Share.get(id) ?? 0);
}

/** A found chunk with its best window and the fused score of both rankings. */
export interface Candidate extends Omit<Hit, "cosine"> {
  /** True if it contains a code of the question. Such candidates precede all others, before and after reranking. */
  readonly coded?: boolean;
  /** Cosine, even if only words found the chunk; `null` if chunk or question has no vector. */
  readonly dense: number | null;
  readonly fused: number;
}

/** Method and weights for combining two rankings. */
export interface Fusion {
  readonly alpha: number;
  readonly beta: number;
  readonly fusion: "min-max" | "rrf";
}

/** Returns hits by fused score, best first. Equal scores keep their order. */
export function fuseHits<T extends Hit>(hits: readonly T[], { fusion, ...weights }: Fusion): (T & Candidate)[] {
  const rank = (score: "dense" | "bm25"): Ranked<T>[] =>
    hits.flatMap((hit) => (hit[score] === null ? [] : [{ id: hit, score: hit[score] }])).sort((a, b) => b.score - a.score);
  const [dense, bm25] = [rank("dense"), rank("bm25")];
  const fusedOf = fusion === "rrf" ? fuseReciprocalRank(dense, bm25) : fuseMinMax(dense, bm25, weights);
  return hits.map((hit) => ({ ...hit, dense: hit.cosine, fused: fusedOf(hit) })).sort((a, b) => b.fused - a.fused);
}
