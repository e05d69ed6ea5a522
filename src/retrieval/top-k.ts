/** Slot and score of an entry. */
export interface Scored {
  readonly slot: number;
  readonly score: number;
}

/** Keeps the `k` best entries: higher scores first, then lower slots. A heap whose root is the worst entry kept. */
export class TopK {
  private readonly k: number;
  private readonly scores: Float64Array;
  private readonly slots: Uint32Array;
  private size = 0;
  /** Score needed to be kept; −∞ while there is room. With an equal score, only a lower slot is kept. */
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

  /** Returns the kept slots in no particular order. */
  slotsKept(): Uint32Array {
    return this.slots.subarray(0, this.size);
  }

  /** Returns the kept entries, best first. */
  ranked(): Scored[] {
    const kept: Scored[] = [];
    for (let i = 0; i < this.size; i++) kept.push({ slot: this.slots[i] as number, score: this.scores[i] as number });
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

/** Document frequencies from which the weight of a term is computed: the number of all entries, and of those with the term. */
export interface TermCounts {
  readonly size: number;
  holding(term: number): number;
}

/** Tokens and weight of one field. */
export interface WeightedField {
  readonly tokens: readonly string[];
  readonly weight: number;
}

/** A query token and its weight, relative to 1 for a plain token; not negative. */
export interface WeightedTerm {
  readonly token: string;
  readonly weight: number;
}

/** Parts of the retrieval stage. `words` and `vectors` are parts of `search`. */
export type RetrievePart = "sync" | "understand" | "embed" | "search" | "words" | "vectors" | "rerank" | "load" | "deduplicate";

/** Runs one part and returns its result. */
export type TimePart = <T>(part: RetrievePart, run: () => T) => T;

export const untimed: TimePart = (_part, run) => run();
