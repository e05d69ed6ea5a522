import type { TextRange } from "../../src/shared/types.ts";

/** Share of a range that other ranges hold together, 0–1; an empty range is held by nothing. */
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
