import { areLevel, BULLET, type PdfLine } from "./lines.ts";
import type { Region, TableRegion } from "./regions.ts";
import type { PdfBox } from "./words.ts";

/** A piece of a document as its pages show it. */
export type PdfBlock =
  | { readonly type: "heading"; readonly level: number; readonly lines: readonly PdfLine[]; readonly page: number }
  | { readonly type: "paragraph" | "item" | "note"; readonly lines: readonly PdfLine[]; readonly page: number }
  | { readonly type: "table"; readonly rows: TableRegion["rows"]; readonly page: number };

/** How the document's letters look. */
export interface TextStyle {
  /** Of most letters, in points. */
  readonly bodySize: number;
  /** Sizes of headings, largest first. */
  readonly headingSizes: readonly number[];
  /** Most letters are bold: bold means nothing then. */
  readonly isBodyBold: boolean;
  /** Titles of the document's outline with their depth, from 1. */
  readonly outline: ReadonlyMap<string, number>;
}

/** Letters that are larger than the text by this are a heading's. */
const HEADING_FACTOR = 1.12;
const MAX_HEADING_CHARACTERS = 200;
const MAX_BOLD_HEADING_CHARACTERS = 120;
/** Lines further apart than this, in parts of their usual distance, are two paragraphs. */
const PARAGRAPH_GAP = 1.35;
/** Lines of one heading are no further apart than this, in parts of its letters' size: headings are set closer than text. */
const HEADING_STEP = 1.7;
/** From fewer lines their usual distance cannot be told. */
const FEW_STEPS = 3;
/** First lines of paragraphs are indented by this, in parts of the letters' size. */
const INDENT = 0.8;
/** How a sentence ends. */
const ENDED = /[.!?:;"”)]$/;
const NOTE_MARK = /^(?:\d{1,3}|[*†‡§])$/;
/** Notes stand in the lower part of the page, in smaller letters. */
const NOTE_SIZE = 0.93;
const NOTE_PART = 0.5;

export function keyOf(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}

export function textOf(lines: readonly PdfLine[]): string {
  return lines.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");
}

/** What is known of a page besides its regions. */
export interface PageFacts {
  readonly number: number;
  readonly height: number;
  readonly dots: readonly PdfBox[];
}

/** Blocks of the regions of one page, in order. */
export function blocksOf(regions: readonly Region[], page: PageFacts, style: TextStyle): PdfBlock[] {
  return regions.flatMap((region): PdfBlock[] =>
    region.type === "table" ? [{ type: "table", rows: region.rows, page: page.number }] : columnBlocks(region.lines, page, style),
  );
}

function columnBlocks(lines: readonly PdfLine[], page: PageFacts, style: TextStyle): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  const items = new Set(lines.filter((line) => opensItem(line, page.dots)));
  const left = Math.min(...lines.map(({ x }) => x));
  const right = Math.max(...lines.map((line) => line.right));
  const pitch = usualPitch(lines);
  let open: PdfLine[] = [];
  const flush = () => {
    if (open.length > 0) blocks.push(toBlock(open, page, { style, items }));
    open = [];
  };
  for (const line of lines) {
    const last = open.at(-1);
    if (last !== undefined && isParted(last, line, { left, right, pitch, style, items, first: open[0] as PdfLine })) flush();
    open.push(line);
  }
  flush();
  return blocks;
}

interface Column {
  readonly left: number;
  readonly right: number;
  readonly pitch: number;
  readonly style: TextStyle;
  /** Lines that open an item of a list. */
  readonly items: ReadonlySet<PdfLine>;
  readonly first: PdfLine;
}

/** A drawn dot stands this far before its item at most, in parts of the letters' size. */
const DOT_GAP = 2;

/** Whether a line opens an item of a list: by a sign, a number or a letter, or by a dot that is drawn before it. */
function opensItem({ words, x, y, bottom, size }: PdfLine, dots: readonly PdfBox[]): boolean {
  if (BULLET.test(words[0]?.text ?? "")) return words.length > 1;
  return dots.some((dot) => {
    const middle = (dot.y + dot.bottom) / 2;
    return dot.right <= x && x - dot.right < size * DOT_GAP && middle > y && middle < bottom && dot.bottom - dot.y < size * 0.7;
  });
}

function isParted(last: PdfLine, line: PdfLine, { right, pitch, style, items, first }: Column): boolean {
  if (areLevel(last, line)) return false;
  if (isHeadingLike(last, style) !== isHeadingLike(line, style)) return true;
  const next = line.words[0];
  const hadRoom = next !== undefined && right - last.right > next.width + line.size;
  const isEnded = ENDED.test(last.words.at(-1)?.text ?? "");
  // Words of another size in a sentence, such as code, may fill a line: the sentence runs on. A note's mark, or larger letters, begin something else.
  const runsOn = !hadRoom && !isEnded && !isHeadingLike(line, style) && !NOTE_MARK.test(next?.text ?? "");
  if (Math.abs(last.size - line.size) > 0.6 && !runsOn) return true;
  const step = line.bottom - last.bottom;
  const usual = pitch * PARAGRAPH_GAP * Math.max(1, line.size / style.bodySize);
  if (step > (isHeadingLike(line, style) ? Math.min(usual, line.size * HEADING_STEP) : usual) || step < 0) return true;
  if (items.has(line)) return true;
  const isItem = items.has(first);
  // A heading of several lines may stand in the middle of the page: its lines begin anywhere.
  if (!isItem && !isHeadingLike(line, style) && line.x - last.x > line.size * INDENT && line.x - first.x > line.size * INDENT) return true;
  if (isItem && line.x < first.x - 1) return true;
  // The next word would have had room on the last line: whoever wrote it ended a paragraph there.
  return isEnded && hadRoom;
}

function toBlock(lines: readonly PdfLine[], page: PageFacts, { style, items }: Pick<Column, "style" | "items">): PdfBlock {
  const text = textOf(lines);
  const [first] = lines;
  const level = first === undefined ? 0 : headingLevel(first, text, style);
  if (level > 0) return { type: "heading", level, lines, page: page.number };
  const mark = first?.words[0]?.text ?? "";
  const isNote =
    first !== undefined && first.size < style.bodySize * NOTE_SIZE && first.y > page.height * NOTE_PART && NOTE_MARK.test(mark);
  if (isNote) return { type: "note", lines, page: page.number };
  const isItem = first !== undefined && items.has(first);
  return { type: isItem ? "item" : "paragraph", lines, page: page.number };
}

function headingLevel(line: PdfLine, text: string, style: TextStyle): number {
  const outlined = style.outline.get(keyOf(text));
  if (outlined !== undefined && isHeadingLike(line, style)) return Math.min(6, outlined);
  if (!/\p{L}/u.test(text) || text.length > MAX_HEADING_CHARACTERS) return 0;
  if (line.size >= style.bodySize * HEADING_FACTOR) {
    const rank = style.headingSizes.findIndex((size) => line.size >= size - 0.3);
    return Math.min(6, (rank < 0 ? style.headingSizes.length : rank) + 1);
  }
  const isBoldLine =
    line.isBold &&
    !style.isBodyBold &&
    text.length <= MAX_BOLD_HEADING_CHARACTERS &&
    !/[.,;]$/.test(text) &&
    line.words.every(({ isBold }) => isBold);
  return isBoldLine && line.size >= style.bodySize * 0.95 ? Math.min(6, style.headingSizes.length + 1) : 0;
}

function isHeadingLike(line: PdfLine, style: TextStyle): boolean {
  return line.size >= style.bodySize * HEADING_FACTOR || (line.isBold && !style.isBodyBold && line.words.every(({ isBold }) => isBold));
}

/** The distance of lines that follow each other in a paragraph: of few lines, at most one and a quarter of their height. */
function usualPitch(lines: readonly PdfLine[]): number {
  const steps = lines
    .slice(1)
    .map((line, i) => line.bottom - (lines[i]?.bottom ?? 0))
    .filter((step) => step > 0)
    .sort((a, b) => a - b);
  const height = Math.max(...lines.map(({ size }) => size)) * 1.25;
  return steps.length < FEW_STEPS ? Math.min(height, steps[0] ?? height) : (steps[Math.floor(steps.length / 4)] ?? height);
}

/** The size of most letters, and the sizes of those that are larger. */
export function styleOf(lines: readonly PdfLine[], outline: ReadonlyMap<string, number>): TextStyle {
  const letters = new Map<number, number>();
  let bold = 0;
  let all = 0;
  for (const { words } of lines) {
    for (const { size, text, isBold } of words) {
      const rounded = Math.round(size * 2) / 2;
      letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
      all += text.length;
      if (isBold) bold += text.length;
    }
  }
  const [bodySize = 10] = [...letters].sort((a, b) => b[1] - a[1])[0] ?? [];
  const headingSizes = [...letters.keys()].filter((size) => size >= bodySize * HEADING_FACTOR).sort((a, b) => b - a);
  return { bodySize, headingSizes: headingSizes.slice(0, 5), isBodyBold: bold > all / 2, outline };
}
