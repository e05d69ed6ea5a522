import type { WrittenBlocks } from "../block-writer.ts";

/** Blocks that may stand between a title and the heading that says it again: a subtitle, authors, a date. */
const MAX_BETWEEN = 4;
/** Longer ones are text, in characters. */
const MAX_LINE = 200;
const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\p{Ll}*\\.?";
const DATE = new RegExp(`^(?:\\d{1,2}(?:st|nd|rd|th)?\\.?\\s+)?(?:${MONTH},?\\s+)?\\d[\\d\\s.,/:TZ+–-]*$`, "iu");

/** Whether the line of a title block is nothing but a date: no sentence of the text, and what a file says of itself. */
export function isDateLine(text: string): boolean {
  return DATE.test(text.trim());
}

/** The title before a text that begins with a heading of the same words is that heading, as title pages and converters write it: one of them is kept. */
export function withoutRepeatedTitle(written: WrittenBlocks): WrittenBlocks {
  const { text, blocks, sourceMap } = written;
  const [first, second] = blocks;
  if (first?.type !== "heading" || second === undefined) return written;
  const title = wordsOf(text.slice(first.start, first.end));
  const rest = blocks.slice(1, MAX_BETWEEN + 2);
  const at = rest.findIndex(({ type, start, end }) => type === "heading" && wordsOf(text.slice(start, end)) === title);
  if (at < 0 || rest.slice(0, at).some(({ start, end }) => end - start > MAX_LINE)) return written;
  const cut = second.start;
  const map: number[] = [];
  for (let i = 0; i < sourceMap.length; i += 4) {
    const [outStart = 0, outEnd = 0, start = 0, end = 0] = sourceMap.slice(i, i + 4);
    if (outStart >= cut) map.push(outStart - cut, outEnd - cut, start, end);
  }
  return {
    text: text.slice(cut),
    blocks: blocks.slice(1).map((block) => ({
      ...block,
      start: block.start - cut,
      end: block.end - cut,
      header: block.header < 0 ? block.header : block.header - 1,
    })),
    sourceMap: map,
  };
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
