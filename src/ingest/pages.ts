import type { SourceMapData } from "../types.ts";

/** Form feed: what ends a page in text taken from PDFs and printers' files. */
const PAGE_BREAK = "\f";

/**
 * Where each page begins in the normalised text, page 1 first; `null` when the source has no page break. A form feed ends its page, so one at the very
 * end begins none.
 * @param sourceMap of the text, in reading order
 */
export function pageStarts(source: string, sourceMap: SourceMapData, length: number): number[] | null {
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
