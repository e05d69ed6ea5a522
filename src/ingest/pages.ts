import type { SourceMapData, TextRange } from "../shared/types.ts";
import { firstAfter } from "./visible.ts";

/** Form feed: ends a page in text exported from PDFs or meant for printers. */
const PAGE_BREAK = "\f";

/**
 * Returns the start of each page in the normalised text, page 1 first; `null` if the source has no page break. A form feed ends its page,
 * so a trailing one starts no new page.
 * @param map source map of the text in source order, except for the ranges in `moved`, which belong to the page of the text before them
 */
export function pageStarts(
  source: string,
  map: SourceMapData,
  { length, moved = [] }: { readonly length: number; readonly moved?: readonly TextRange[] },
): number[] | null {
  if (!source.includes(PAGE_BREAK)) return null;
  const sourceMap = moved.length === 0 ? map : withoutRanges(map, moved);
  const starts = [0];
  let segment = 0;
  for (let at = source.indexOf(PAGE_BREAK); at >= 0; at = source.indexOf(PAGE_BREAK, at + 1)) {
    while (segment < sourceMap.length && (sourceMap[segment + 3] as number) <= at + 1) segment += 4;
    const [outStart, outEnd, from, to] = sourceMap.slice(segment, segment + 4);
    if (outStart === undefined || outEnd === undefined || from === undefined || to === undefined) starts.push(length);
    else starts.push(from > at ? outStart : outEnd - outStart === to - from ? outStart + at + 1 - from : outEnd);
  }
  if (starts.length === 1) return null;
  while (starts.length > 1 && (starts.at(-1) as number) >= length) starts.pop();
  return starts;
}

/** Returns the map without the segments that lead to `ranges`, which must be in order. */
function withoutRanges(map: SourceMapData, ranges: readonly TextRange[]): number[] {
  const kept: number[] = [];
  for (let i = 0; i < map.length; i += 4) {
    const start = map[i + 2] as number;
    if ((ranges[firstAfter(ranges, start)]?.start ?? Number.POSITIVE_INFINITY) > start) kept.push(...map.slice(i, i + 4));
  }
  return kept;
}
