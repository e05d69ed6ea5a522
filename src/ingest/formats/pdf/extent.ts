/** As `Math.min(...values)`, of as many as there are: a call takes some ten thousands at most, and a page may have more words. */
export function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** As `Math.max(...values)`, of as many as there are. */
export function greatest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}
