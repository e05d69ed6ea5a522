import { fragmentsOf, joinStrip, type PdfLine, stripsOf } from "./lines.ts";
import { least, type PdfPage, type PdfWord } from "./words.ts";

/** Maximum distance of running headers and footers from the edge of the page, as a share of the page height. */
const MARGIN = 0.12;
/** Maximum difference between positions on two pages that count as equal, in points. */
const SAME_PLACE = 4;
/** Minimum gap between a running header or footer and the text, as a multiple of the line height. */
const PARTING_GAP = 0.8;
/** Maximum number of lines of a running header or footer. */
const MAX_LINES = 3;
const PAGE_NUMBER = /^[-–—|\s]*(?:page|seite|p\.?)?\s*(?:#|[ivxlc]{1,7})(?:\s*(?:of|von|\/)\s*#)?[-–—|\s]*$/i;

/**
 * Returns the words of page numbers and of running headers and footers. These repeat at the edges of several pages;
 * only numbers in them may differ.
 */
export function runningWords(pages: readonly PdfPage[]): ReadonlySet<PdfWord> {
  const running = new Set<PdfWord>();
  const edges = pages.map((page) => edgeLines(page));
  const places = new Map<string, { readonly y: number; readonly lines: Map<number, PdfLine> }[]>();
  for (const [i, lines] of edges.entries()) {
    for (const line of lines) {
      for (const key of keysOf(line, i)) {
        const found = places.get(key) ?? [];
        places.set(key, found);
        const same = found.find(({ y }) => Math.abs(y - line.y) < SAME_PLACE);
        if (same === undefined) found.push({ y: line.y, lines: new Map([[i, line]]) });
        else same.lines.set(i, line);
      }
    }
  }
  const enough = pages.length < 3 ? 2 : Math.max(2, Math.ceil(pages.length / 5));
  for (const [key, found] of places) {
    for (const { lines } of found) {
      if (lines.size < (PAGE_NUMBER.test(key.replace(/\|.*$/, "")) ? 2 : enough)) continue;
      for (const line of lines.values()) for (const word of line.words) running.add(word);
    }
  }
  for (const page of pages) for (const word of page.words) if (word.isArtifact && isAtEdge(page, word)) running.add(word);
  return running;
}

/** Returns the lines at the top and bottom of a page that a gap separates from the text. */
function edgeLines(page: PdfPage): PdfLine[] {
  const strips = stripsOf(fragmentsOf(page.words.filter(({ hidden, isTurned }) => hidden === null && !isTurned)))
    .map((strip) => ({ strip, y: least(strip.map(({ y }) => y)) }))
    .sort((a, b) => a.y - b.y);
  // Number of lines at each edge that may be a header or footer, and one more line to measure the gap.
  const near = MAX_LINES + 1;
  const edges = strips.length > 2 * near ? [...strips.slice(0, near), ...strips.slice(-near)] : strips;
  const lines = edges.map(({ strip }) => joinStrip(strip));
  const isInMargin = (line: PdfLine) => line.words.every((word) => isAtEdge(page, word));
  const top = partedLines(lines, (line, next) => next.y - line.bottom);
  const bottom = partedLines([...lines].reverse(), (line, next) => line.y - next.bottom);
  return [...top, ...bottom].filter(isInMargin);
}

/** Returns the first lines, at most `MAX_LINES`, if a gap follows them; otherwise none. */
function partedLines(lines: readonly PdfLine[], gapBetween: (line: PdfLine, next: PdfLine) => number): readonly PdfLine[] {
  for (let count = Math.min(MAX_LINES, lines.length); count > 0; count--) {
    const line = lines[count - 1] as PdfLine;
    const next = lines[count];
    if (next === undefined || gapBetween(line, next) > (line.bottom - line.y) * PARTING_GAP) return lines.slice(0, count);
  }
  return [];
}

function isAtEdge({ height }: PdfPage, { y, bottom }: PdfWord): boolean {
  return bottom < height * MARGIN || y > height * (1 - MARGIN);
}

/**
 * Returns the keys by which lines of several pages are compared: the text of the line, and variants with `#` for a
 * number. A variant has the same key on two pages if its number increases by one per page.
 */
function keysOf({ words }: PdfLine, page: number): string[] {
  const text = words.map((word) => word.text).join(" ");
  const numbers = text.match(/\d+/g) ?? [];
  const counting = [numbers[0], numbers.at(-1)].flatMap((number) =>
    number === undefined ? [] : [`${text.replace(number, "#")}|${Number(number) - page}`],
  );
  return [...new Set([text, ...counting])];
}
