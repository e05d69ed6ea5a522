import { memoised } from "../text/memo.ts";
import type { TermStatistics } from "./search-engine.ts";
import type { ArraysOf } from "./snapshot.ts";
import { type SlotSet, type TermCounts, type WeightedField, type WeightedTerm, withRoom } from "./top-k.ts";

/** Saturation of term frequency, mostly 1.2 to 2 (Robertson & Zaragoza 2009, section 3.4). */
export const BM25_K1 = 1.2;

/** Strength of length normalisation, from 0 to 1. */
export const BM25_B = 0.75;

export function normOf(length: number, average: number): number {
  return BM25_K1 * (1 - BM25_B + (BM25_B * length) / average);
}

export function saturation(tf: number, norm: number): number {
  return tf / (tf + norm);
}

/**
 * Returns Lucene's idf, which is never negative: ln(1 + (N − n + ½)/(n + ½)).
 * @param holding n, the number of entries with the term
 * @param entries N, the total number of entries
 */
export function idfOf(holding: number, entries: number): number {
  return Math.log(1 + (entries - holding + 0.5) / (holding + 0.5));
}

/**
 * Combines fields into one text: the weighted frequency of each term, and the weighted length.
 * @param termOf returns the number of a token's term; negative if no entry contains the token
 */
export function foldFields(
  fields: readonly WeightedField[],
  termOf: (token: string) => number,
): { frequencies: Map<number, number>; length: number } {
  const frequencies = new Map<number, number>();
  let length = 0;
  for (const { tokens, weight } of fields) {
    if (weight <= 0) continue;
    length += weight * tokens.length;
    for (const token of tokens) {
      const term = termOf(token);
      if (term >= 0) frequencies.set(term, (frequencies.get(term) ?? 0) + weight);
    }
  }
  return { frequencies, length: Math.fround(length) };
}

/** Returns the accepted terms with their weights. The weights of a repeated term add up. */
export function weightsOf(terms: readonly (string | WeightedTerm)[], accept: (token: string) => boolean): Map<string, number> {
  const weights = new Map<string, number>();
  for (const one of terms) {
    const { token, weight } = typeof one === "string" ? { token: one, weight: 1 } : one;
    if (accept(token)) weights.set(token, (weights.get(token) ?? 0) + weight);
  }
  return weights;
}

/** Returns the BM25 score of any text with the statistics of an index, as if the text were one of its windows. */
export function scoreText(
  terms: readonly (string | WeightedTerm)[],
  fields: readonly WeightedField[],
  { windows, averageLength, frequencies }: TermStatistics,
): number {
  const weights = weightsOf(terms, (token) => (frequencies.get(token) ?? 0) > 0);
  const asked = [...weights].map(([token, count]) => ({
    token,
    weight: count * idfOf(frequencies.get(token) ?? 0, windows) * (BM25_K1 + 1),
  }));
  const numbers = new Map(asked.map(({ token }, i) => [token, i]));
  const text = foldFields(fields, (token) => numbers.get(token) ?? -1);
  const norm = normOf(text.length, averageLength);
  return asked
    .map(({ weight }, i) => ({ weight, part: weight * saturation(Math.fround(text.frequencies.get(i) ?? 0), norm) }))
    .sort((a, b) => b.weight - a.weight)
    .reduce((sum, { part }) => sum + part, 0);
}

/** Arrays of stored posting lists, without gaps: the list of term t is at `starts[t]` up to `starts[t + 1]`. */
export const POSTING_ARRAYS = { starts: Uint32Array, slots: Uint32Array, frequencies: Float32Array };

type PackedPostings = ArraysOf<typeof POSTING_ARRAYS>;

/**
 * Posting lists: for each term, the slots that contain it, in ascending order, with its frequency. All lists share two
 * arrays. A full list moves to a section of at least twice the size, and other lists reuse its old section. The size of
 * a section is a power of two, except for lists that were loaded.
 */
export class Postings {
  slots: Uint32Array;
  frequencies: Float32Array;
  private starts: Uint32Array;
  private lengths: Uint32Array;
  private rooms: Uint32Array;
  private used: number;
  private count: number;
  /** Starts of the free sections of the arrays. Those in `free[n]` have room for 2ⁿ entries. */
  private readonly free: number[][] = Array.from({ length: 32 }, () => []);

  constructor(packed?: PackedPostings) {
    this.count = packed === undefined ? 0 : packed.starts.length - 1;
    this.slots = packed?.slots ?? new Uint32Array(0);
    this.frequencies = packed?.frequencies ?? new Float32Array(0);
    this.used = this.slots.length;
    this.starts = packed?.starts.slice(0, -1) ?? new Uint32Array(0);
    this.lengths = this.starts.map((start, term) => (packed?.starts[term + 1] as number) - start);
    this.rooms = this.lengths.slice();
  }

  get terms(): number {
    return this.count;
  }

  get bytes(): number {
    return [this.slots, this.frequencies, this.starts, this.lengths, this.rooms].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Returns the start of a term's list in `slots` and `frequencies`. */
  start(term: number): number {
    return this.starts[term] as number;
  }

  /** Returns the length of a term's list, including deleted slots. */
  length(term: number): number {
    return this.lengths[term] as number;
  }

  addTerm(): void {
    this.count++;
    this.starts = withRoom(this.starts, this.count);
    this.lengths = withRoom(this.lengths, this.count);
    this.rooms = withRoom(this.rooms, this.count);
  }

  /** Appends a slot to a term's list. Slots must come in ascending order. */
  append(term: number, slot: number, frequency: number): void {
    const length = this.length(term);
    if (length === this.rooms[term]) this.move(term);
    const at = this.start(term) + length;
    this.slots[at] = slot;
    this.frequencies[at] = frequency;
    this.lengths[term] = length + 1;
  }

  /** Returns the index in `slots` at which a term's list has a slot; −1 if the list lacks it. */
  find(term: number, slot: number): number {
    let low = this.start(term);
    let high = low + this.length(term) - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.slots[middle] as number;
      if (found === slot) return middle;
      if (found < slot) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Returns the lists of some terms with renumbered slots. A slot that `renamed` maps to −1 is dropped. */
  packed(terms: readonly number[], renamed: Int32Array): PackedPostings {
    const total = terms.reduce((sum, term) => sum + this.length(term), 0);
    const starts = new Uint32Array(terms.length + 1);
    const slots = new Uint32Array(total);
    const frequencies = new Float32Array(total);
    let at = 0;
    terms.forEach((term, i) => {
      const start = this.start(term);
      const end = start + this.length(term);
      for (let from = start; from < end; from++) {
        const slot = renamed[this.slots[from] as number] as number;
        if (slot < 0) continue;
        slots[at] = slot;
        frequencies[at++] = this.frequencies[from] as number;
      }
      starts[i + 1] = at;
    });
    return { starts, slots: slots.subarray(0, at), frequencies: frequencies.subarray(0, at) };
  }

  /** Moves a full list to a section of at least twice the size. */
  private move(term: number): void {
    const start = this.start(term);
    const length = this.length(term);
    const power = length === 0 ? 1 : 32 - Math.clz32(length);
    const room = 2 ** power;
    let target = this.free[power]?.pop();
    if (target === undefined) {
      target = this.used;
      this.used += room;
      this.slots = withRoom(this.slots, this.used);
      this.frequencies = withRoom(this.frequencies, this.used);
    }
    this.slots.copyWithin(target, start, start + length);
    this.frequencies.copyWithin(target, start, start + length);
    if (length === room / 2 && length > 1) this.free[power - 1]?.push(start);
    this.starts[term] = target;
    this.rooms[term] = room;
  }
}

/**
 * Returns the counts of terms among some slots of an index. Each term is counted at its first use. The counts are valid
 * until entries are added or deleted.
 */
export function countAmong(slots: SlotSet, postings: Postings): TermCounts {
  const holding = memoised((term: number) => {
    const start = postings.start(term);
    const end = start + postings.length(term);
    let count = 0;
    for (let i = start; i < end; i++) if (slots.has(postings.slots[i] as number)) count++;
    return count;
  });
  return { size: slots.size, holding };
}
