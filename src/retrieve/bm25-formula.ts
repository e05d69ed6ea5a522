import type { WeightedField } from "./word-search.ts";

/** Saturation of term frequency (Robertson & Zaragoza 2009, section 3.4: 1.2 to 2). */
export const BM25_K1 = 1.2;

/** Share of length normalisation. */
export const BM25_B = 0.75;

export function normOf(length: number, average: number): number {
  return BM25_K1 * (1 - BM25_B + (BM25_B * length) / average);
}

export function saturation(tf: number, norm: number): number {
  return tf / (tf + norm);
}

/** ln(1 + (N − n + ½)/(n + ½)): Lucene's, never negative. @param holding n of the N entries hold the term */
export function idfOf(holding: number, entries: number): number {
  return Math.log(1 + (entries - holding + 0.5) / (holding + 0.5));
}

/** Fields as one text: how often each term stands in it, by the weights of its fields, and its length. @param termOf negative: no entry holds the token */
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
