import type { Block } from "../shared/types.ts";

/** A written block with the facts that decide whether it is a heading. */
export interface BoldBlock extends Omit<Block, "runIn" | "sectionEnd"> {
  /** End of the bold text at the start of the block; equal to `start` without bold text. */
  readonly boldEnd: number;
  /** A line that is the heading of the next block without any markup (`headBreaks`). */
  readonly isHeadLine: boolean;
  /** Level of the last heading before it. */
  readonly above: number;
  /** End of the section that contains the block; absent outside sections. */
  readonly sectionEnd?: number;
}

/** Maximum length of a bold heading, in characters. */
const MAX_HEAD = 80;
/** The end of a run-in heading, and the punctuation that may stand between it and its text. */
const HEAD_END = /[.:?!–—][)\]"”’]*$/;
const BEHIND_HEAD = /^\s*[.:–—]/;
/** The end of bold text that is no heading: the end of a sentence or an announcement. */
export const NO_HEADING_END = /[.,;:!…][)\]"”’]*$/;

/** Adds run-in headings, and turns bold paragraphs that serve as headings into headings one level below the last heading. */
export function withBoldHeads(blocks: readonly BoldBlock[], text: string): Block[] {
  const headings = boldHeadings(blocks, text);
  return blocks.map((block, i): Block => {
    const { boldEnd, isHeadLine, above, sectionEnd, ...rest } = block;
    const heading = { ...rest, type: "heading" as const, ...(sectionEnd === undefined ? {} : { sectionEnd }) };
    if (block.type === "heading") return heading;
    if (headings.has(i) || isHeadLine) return { ...heading, level: Math.min(6, above + 1) };
    const runIn = runInOf(block, text);
    return runIn === null ? rest : { ...rest, runIn };
  });
}

/**
 * Returns the indexes of paragraphs that serve as headings: short, bold throughout, without digits and without the punctuation of a
 * sentence. A bold line before another one is none. Returns none where most of the text is bold.
 */
function boldHeadings(blocks: readonly BoldBlock[], text: string): ReadonlySet<number> {
  const isBold = blocks.map(({ start, end, boldEnd }) => boldEnd > start && text.slice(boldEnd, end).trim() === "");
  const letters = blocks.reduce((sum, { start, end }, i) => sum + (isBold[i] ? end - start : 0), 0);
  if (letters === 0 || letters * 2 > text.length) return new Set();
  const found = blocks.flatMap((block, i) => {
    const next = blocks[i + 1];
    const canHead = next !== undefined && next.type !== "heading" && next.type !== "table-row" && !isBold[i + 1] && block.above < 6;
    return isBold[i] && canHead && isTitleLike(block, text) ? [i] : [];
  });
  // A single bold line in the middle of a text without headings would become its title.
  const isLone = found.length === 1 && found[0] !== 0 && blocks.every(({ type }) => type !== "heading");
  return new Set(isLone ? [] : found);
}

function isTitleLike({ type, start, end }: BoldBlock, text: string): boolean {
  const line = text.slice(start, end);
  return type === "paragraph" && line.length <= MAX_HEAD && /\p{L}/u.test(line) && !/[\d\n:]/.test(line) && !NO_HEADING_END.test(line);
}

/** Returns the end of a run-in heading, or `null`. Emphasis within a sentence is none, nor is a block that is bold throughout. */
function runInOf({ type, start, end, boldEnd }: BoldBlock, text: string): number | null {
  if (boldEnd <= start || (type !== "paragraph" && type !== "list-item")) return null;
  const head = text.slice(start, boldEnd).trimEnd();
  const behind = text.slice(boldEnd, end);
  const isHead = head.length <= MAX_HEAD && behind.trim() !== "" && (HEAD_END.test(head) || BEHIND_HEAD.test(behind));
  return isHead ? start + head.length : null;
}
