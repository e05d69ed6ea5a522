import type { SourceMapData } from "../shared/types.ts";

/**
 * Returns the offset in the normalised text at which each page begins, page 1 first; `null` if the source has no form
 * feed. A form feed ends its page, so a form feed at the end starts no new page.
 * @param sourceMap source map of the text. A footnote is written where it is cited. If it was printed on another page,
 * the start of that page may be off
 */
export function pageStarts(source: string, sourceMap: SourceMapData, length: number): number[] | null {
  // A form feed ends a page in text exported from PDFs or meant for printers.
  const breaks = [...source.matchAll(/\f/g)].map(({ index }) => index + 1);
  if (breaks.length === 0) return null;
  const starts = [0, ...textOffsetsOf(breaks, sourceMap, length)];
  while (starts.length > 1 && (starts.at(-1) as number) >= length) starts.pop();
  return starts;
}

/**
 * Maps offsets of the source to the normalised text. The result for each is the offset of the first character at or
 * after it; `length` if there is none. Offsets must be in ascending order.
 */
export function textOffsetsOf(offsets: readonly number[], sourceMap: SourceMapData, length: number): number[] {
  let segment = 0;
  return offsets.map((at) => {
    while (segment < sourceMap.length && (sourceMap[segment + 3] as number) <= at) segment += 4;
    const [outStart, outEnd = 0, from = 0, to = 0] = sourceMap.slice(segment, segment + 4);
    if (outStart === undefined) return length;
    if (from >= at) return outStart;
    return outEnd - outStart === to - from ? outStart + at - from : outEnd;
  });
}
