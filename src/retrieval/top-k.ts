/** An entry's slot and its score. */
export interface Scored {
  readonly slot: number;
  readonly score: number;
}

/** Keeps the `k` best of what is offered: higher score first, of equal scores the lower slot. A heap whose root is the worst kept. */
export class TopK {
  private readonly k: number;
  private readonly scores: Float64Array;
  private readonly slots: Uint32Array;
  private size = 0;
  /** What a score must reach to be kept; −∞ while there is room. Of a score equal to it, only a lower slot is kept. */
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

  /** What was kept, in no order. */
  slotsKept(): Uint32Array {
    return this.slots.subarray(0, this.size);
  }

  /** What was kept, best first. */
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

  /** Puts an entry in the root's place. */
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

/** How many entries there are, and how many of them hold a term: what a word is weighed by. */
export interface TermCounts {
  readonly size: number;
  holding(term: number): number;
}

/** Tokens of one field and its weight. */
export interface WeightedField {
  readonly tokens: readonly string[];
  readonly weight: number;
}

/** A token of a query and what it counts beside 1 of a plain token; not negative. */
export interface WeightedTerm {
  readonly token: string;
  readonly weight: number;
}

/** Parts of the retrieval stage; `words` and `vectors` lie within `search`. */
export type RetrievePart = "sync" | "understand" | "embed" | "search" | "words" | "vectors" | "rerank" | "load" | "deduplicate";

/** Runs one part and gives what it gives. */
export type TimePart = <T>(part: RetrievePart, run: () => T) => T;

export const untimed: TimePart = (_part, run) => run();
