import type { Block } from "../shared/types.ts";

/** A block as it was written. */
export interface BoldBlock extends Omit<Block, "runIn" | "sectionEnd"> {
  /** Where the bold words end with which it begins; its start: it begins with none. */
  readonly boldEnd: number;
  /** A line that heads the next block without any mark (`headBreaks`). */
  readonly isHeadLine: boolean;
  /** Level of the last true heading before it. */
  readonly above: number;
  /** Where the section ends in which it stands; absent: in none. */
  readonly sectionEnd?: number;
}

/** A head of bold words is at most so long, in characters. */
const MAX_HEAD = 80;
/** How a run-in head ends, and what else may stand between it and the words that it heads. */
const HEAD_END = /[.:?!–—][)\]"”’]*$/;
const BEHIND_HEAD = /^\s*[.:–—]/;
/** How bold words end that are no heading: as a sentence does, or what announces one. */
export const NO_HEADING_END = /[.,;:!…][)\]"”’]*$/;

/** Blocks with the run-in heads of paragraphs and items, and with bold paragraphs that head what follows as headings, one level below the last true heading. */
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
 * Paragraphs that head what follows, by their index: short, bold throughout, and nothing that ends, announces or holds a statement as far as its form says. None
 * where bold is how most is written, or bold lines follow each other.
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
  // One line in the middle of a text that has no headings would be its title.
  const isLone = found.length === 1 && found[0] !== 0 && blocks.every(({ type }) => type !== "heading");
  return new Set(isLone ? [] : found);
}

function isTitleLike({ type, start, end }: BoldBlock, text: string): boolean {
  const line = text.slice(start, end);
  return type === "paragraph" && line.length <= MAX_HEAD && /\p{L}/u.test(line) && !/[\d\n:]/.test(line) && !NO_HEADING_END.test(line);
}

/** Where the run-in head of a block ends; `null`: bold words that only emphasise are none, nor is a block that is bold throughout. */
function runInOf({ type, start, end, boldEnd }: BoldBlock, text: string): number | null {
  if (boldEnd <= start || (type !== "paragraph" && type !== "list-item")) return null;
  const head = text.slice(start, boldEnd).trimEnd();
  const behind = text.slice(boldEnd, end);
  const isHead = head.length <= MAX_HEAD && behind.trim() !== "" && (HEAD_END.test(head) || BEHIND_HEAD.test(behind));
  return isHead ? start + head.length : null;
}
