import type { TextRange } from "../../src/shared/types.ts";

/** Returns the share of a range covered by the union of other ranges, 0–1; 0 for an empty range. */
export function coveredShare({ start, end }: TextRange, ranges: readonly TextRange[]): number {
  const inside = ranges
    .map((range) => ({ start: Math.max(start, range.start), end: Math.min(end, range.end) }))
    .filter((range) => range.start < range.end)
    .sort((one, other) => one.start - other.start);
  let covered = 0;
  let at = start;
  for (const range of inside) {
    covered += Math.max(0, range.end - Math.max(at, range.start));
    at = Math.max(at, range.end);
  }
  return end > start ? covered / (end - start) : 0;
}
