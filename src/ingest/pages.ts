import type { SourceMapData } from "../shared/types.ts";

/** Form feed: ends a page in text exported from PDFs or meant for printers. */
const PAGE_BREAK = "\f";

/**
 * Returns the start of each page in the normalised text, page 1 first; `null` if the source has no page break. A form feed ends its page,
 * so a trailing one starts no new page.
 * @param sourceMap source map of the text; a footnote of another page, written at its call, may shift the start of its page
 */
export function pageStarts(source: string, sourceMap: SourceMapData, length: number): number[] | null {
  if (!source.includes(PAGE_BREAK)) return null;
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
