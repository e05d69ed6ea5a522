import { splitSentences } from "../text/sentences.ts";
import type { Block, TextRange, Unit } from "../types.ts";

/** List items and code blocks up to this many characters are quoted as a whole; longer ones by sentence or line. */
export const WHOLE_UNIT_MAX_CHARS = 400;

/** The smallest pieces that are quoted: sentences, short list items, table rows, headings. Together they cover all blocks. */
export function unitsOf(text: string, blocks: readonly Block[]): Unit[] {
  return blocks.flatMap((block, index) => rangesOf(text, block).map(({ start, end }) => ({ start, end, type: block.type, block: index })));
}

function rangesOf(text: string, block: Block): TextRange[] {
  const { start, end, type, runIn = start } = block;
  const isWhole =
    type === "heading" || type === "table-row" || ((type === "list-item" || type === "code") && end - start <= WHOLE_UNIT_MAX_CHARS);
  if (isWhole) return [{ start, end }];
  const content = text.slice(start, end);
  const ranges = type === "code" ? linesOf(content) : splitSentences(content);
  return withHead(
    ranges.map((range) => ({ start: range.start + start, end: range.end + start })),
    runIn,
  );
}

/** A run-in head is quoted with the sentence behind it: alone it says nothing. */
function withHead(ranges: readonly TextRange[], runIn: number): TextRange[] {
  const [first] = ranges;
  const next = ranges.findIndex(({ end }) => end > runIn);
  return first === undefined || next < 1
    ? [...ranges]
    : [{ start: first.start, end: (ranges[next] as TextRange).end }, ...ranges.slice(next + 1)];
}

function linesOf(content: string): TextRange[] {
  return [...content.matchAll(/\S[^\n]*/g)].map((match) => ({ start: match.index, end: match.index + match[0].trimEnd().length }));
}
