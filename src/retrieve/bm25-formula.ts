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
