import type { TextRange } from "../shared/types.ts";

/** Returns a quantile by linear interpolation (type 7 of Hyndman & Fan 1996), or `null` for an empty list. */
export function quantile(values: readonly number[], q: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)] as number;
  const high = sorted[Math.ceil(at)] as number;
  return low + (high - low) * (at - Math.floor(at));
}

/** Returns the sum, or `null` if one of the numbers is `null` (unknown). */
export function sumOrNull(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

/** Returns the first item of each key. The order stays. */
export function onceEach<T>(all: readonly T[], keyOf: (one: T) => string): T[] {
  return [...Map.groupBy(all, keyOf).values()].flatMap(([first]) => (first === undefined ? [] : [first]));
}

/**
 * Returns the first index below `count` for which `holds` is true, or `count` if there is none. Uses binary search, so
 * `holds` must be true for all indexes after the first one.
 */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the index of the first range that ends after `offset`. Ranges must be in order. */
export function firstAfter(ranges: readonly TextRange[], offset: number): number {
  return firstIndex(ranges.length, (i) => (ranges[i] as TextRange).end > offset);
}
