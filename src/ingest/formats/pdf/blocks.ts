import { NO_HEADING_END, rowEnds } from "../../line-breaks.ts";
import {
  areLevel,
  hasDot,
  INDENT,
  ITEM_MARK,
  isFull,
  isMarkInText,
  markOf,
  mostUsed,
  type PdfLine,
  SAME_SIZE,
  SAME_START,
} from "./lines.ts";
import type { Region, TableRegion } from "./regions.ts";
import { boundsOf, greatest, lettersOf, type PdfPage } from "./words.ts";
/** A block of a document, as laid out on its pages. */
export type PdfBlock =
  | (TextBlock & { readonly type: "heading"; readonly level: number })
  | (TextBlock & { readonly type: "paragraph" | "item" | "note"; readonly rowEnds?: ReadonlySet<PdfLine> })
  | { readonly type: "code"; readonly lines: readonly PdfLine[]; readonly page: number }
  | { readonly type: "table"; readonly rows: TableRegion["rows"]; readonly page: number };

/**
 * How an item begins: with a drawn dot, with a word ("•", "1.", "(a)"), or without a mark. An item without a mark
 * continues the item directly before it ("none") or, after nested items, an earlier one ("resumed").
 */
export type Mark = "dot" | "word" | "none" | "resumed";

export interface TextBlock {
  readonly lines: readonly PdfLine[];
  readonly page: number;
  /** Left and right edges of the column around the block, in points. */
  readonly left: number;
  readonly right: number;
  readonly mark: Mark;
}

/** The typography of the document. */
export type TextStyle = ReturnType<typeof styleOf>;

/**
 * Minimum share of monospaced letters for the whole document to count as monospaced. In such a document, monospaced
 * letters do not mean code.
 */
const TYPEWRITTEN_SHARE = 0.9;
/** Minimum number of consecutive monospaced lines that are a code block. A single line may be part of a sentence. */
const LEAST_CODE = 2;
/** Minimum ratio of a heading's letter size to the body size. */
const HEADING_FACTOR = 1.12;
const MAX_HEADING_CHARACTERS = 200;
const MAX_BOLD_HEADING_CHARACTERS = 120;
/** Minimum distance of two lines for a new paragraph to begin, as a multiple of the usual distance. */
const PARAGRAPH_GAP = 1.35;
/** Maximum distance of lines within a heading, as a multiple of its letter size. Headings are set tighter than text. */
const HEADING_STEP = 1.7;
/** Minimum number of measured line distances for a reliable estimate of the usual one (`usualPitch`). */
const FEW_STEPS = 3;
/** Matches the end of a line that may end a paragraph: the end of a sentence, quotation or bracket. */
const MAY_END = /[.!?:;"”)]$/;
const NOTE_MARK = /^(?:\d{1,3}|[*†‡§])$/;
/**
 * Minimum number of lines that can be rows (separate entries, not wrapped prose). It is lower than for plain text,
 * because word widths show exactly whether a word would have fitted.
 */
const LEAST_ROWS = 2;
/** Maximum letter size of a footnote, as a share of the body size. A footnote begins below `NOTE_PART` of the page height. */
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

/** The properties of a page that block detection needs. */
export type PageFacts = Pick<PdfPage, "number" | "height" | "dots">;

/** Returns the blocks in the regions of a page, in order. */
export function blocksOf(regions: readonly Region[], page: PageFacts, style: TextStyle): PdfBlock[] {
  return regions.flatMap((region): PdfBlock[] => {
    if (region.type === "table") return [{ type: "table", rows: region.rows, page: page.number }];
    const edges = edgesAround(region.lines, regions);
    return columnBlocks(region.lines, { ...page, edge: edges.right }, style).map((block) =>
      "right" in block ? { ...block, ...edges } : block,
    );
  });
}

/**
 * Returns the edges of the column around a region. White space can split one column into several regions, so the lines
 * of all regions that overlap this one horizontally are included.
 */
function edgesAround(lines: readonly PdfLine[], regions: readonly Region[]): { readonly left: number; readonly right: number } {
  const own = boundsOf(lines);
  const all = regions.flatMap((region) => (region.type === "table" ? [] : region.lines));
  const beside = all.filter((line) => !line.isMono && !(line.x >= own.right || line.right <= own.x));
  const { x: left, right } = boundsOf([own, ...beside]);
  return { left, right };
}

/** `edge` is the right edge of the whole column, in points. */
type ColumnFacts = PageFacts & { readonly edge: number };

function columnBlocks(lines: readonly PdfLine[], page: ColumnFacts, style: TextStyle): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  const isCode = (line: PdfLine) => line.isMono && !style.isTypewritten && !isHeadingLike(line, style) && !hasDot(line, page.dots);
  const text = lines.filter((line) => !isCode(line));
  const { x: left, right } = boundsOf(text.length > 0 ? text : lines);
  const column: Column = { left, right, pitch: usualPitch(lines), style, dots: page.dots, marks: new Map() };
  /** Paragraphs directly before `open`. Only the end of a sentence separates each from the next. */
  let run: PdfLine[][] = [];
  let open: PdfLine[] = [];
  const flush = () => {
    if (open.length > 0) for (const block of runBlocks([...run, open], page, column)) blocks.push(block);
    [run, open] = [[], []];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as PdfLine;
    let end = i;
    while (end < lines.length && isCode(lines[end] as PdfLine)) end++;
    if (end - i >= LEAST_CODE) {
      flush();
      blocks.push({ type: "code", lines: lines.slice(i, end), page: page.number });
      i = end - 1;
      continue;
    }
    const mark = markBefore(line, open, column);
    if (mark !== "none") column.marks.set(line, mark);
    if (open.length > 0 && isParted(open, line, column)) flush();
    else if (open.length > 0 && isFinished(open, line, column)) {
      run.push(open);
      open = [];
    }
    open.push(line);
  }
  flush();
  return blocks;
}

interface Column extends Readonly<Record<"left" | "right" | "pitch", number>> {
  readonly style: TextStyle;
  readonly dots: PdfPage["dots"];
  /** Lines that open a list item or a numbered or lettered paragraph. */
  readonly marks: Map<PdfLine, Mark>;
}

/**
 * Returns the mark with which a line begins a list item: a drawn dot, or a sign, number or letter. Returns "none" if
 * the sign, number or letter is merely the next word of the text.
 */
function markBefore(line: PdfLine, open: readonly PdfLine[], { right, pitch, style, dots, marks }: Column): Mark {
  if (hasDot(line, dots)) return "dot";
  if (markOf(line) === null) return "none";
  const last = open.at(-1);
  if (last === undefined || !isFull(last, line, right)) return "word";
  const step = line.bottom - last.bottom;
  if (step > pitch * PARAGRAPH_GAP || step < 0 || isHeadingLike(last, style) !== isHeadingLike(line, style)) return "word";
  return isMarkInText(line, open, { isMarked: marks.get(open[0] as PdfLine) === "word" }) ? "none" : "word";
}

function isParted(open: readonly PdfLine[], line: PdfLine, { right, pitch, style, marks }: Column): boolean {
  const [first, last] = [open[0] as PdfLine, open.at(-1) as PdfLine];
  if (areLevel(last, line)) return false;
  if (isHeadingLike(last, style) !== isHeadingLike(line, style)) return true;
  const hadRoom = !isFull(last, line, right);
  const isEnded = MAY_END.test(last.words.at(-1)?.text ?? "");
  // Text of another size, such as inline code, may continue a sentence on the next line. But larger letters, or the
  // mark of a footnote, begin a new block.
  const runsOn = !hadRoom && !isEnded && !isHeadingLike(line, style) && !NOTE_MARK.test(line.words[0]?.text ?? "");
  if (Math.abs(last.size - line.size) > SAME_SIZE && !runsOn) return true;
  const step = line.bottom - last.bottom;
  const usual = pitch * PARAGRAPH_GAP * Math.max(1, line.size / style.bodySize);
  if (step > (isHeadingLike(line, style) ? Math.min(usual, line.size * HEADING_STEP) : usual) || step < 0) return true;
  if (marks.has(line)) return true;
  const isMarked = marks.has(first);
  // The lines of a centred heading begin at different positions.
  if (!isMarked && !isHeadingLike(line, style) && line.x - last.x > line.size * INDENT && line.x - first.x > line.size * INDENT)
    return true;
  return isMarked && line.x < first.x - 1;
}

/** Checks whether the paragraph `open` ends before `line`: its last line ends a sentence and still had room for the next word. */
function isFinished(open: readonly PdfLine[], line: PdfLine, { right }: Column): boolean {
  const last = open.at(-1) as PdfLine;
  return !areLevel(last, line) && MAY_END.test(last.words.at(-1)?.text ?? "") && !isFull(last, line, right);
}

/** Checks whether two lines are centred: they have the same middle but different starts. */
function areCentred(a: PdfLine, b: PdfLine): boolean {
  return Math.abs(a.x - b.x) > a.size * SAME_START && Math.abs(a.x + a.right - b.x - b.right) < a.size;
}

/**
 * Merges adjacent paragraphs into one paragraph of rows (separate entries), if some rows do not end with a sentence.
 * Otherwise, the paragraphs stay separate.
 */
function runBlocks(run: readonly (readonly PdfLine[])[], page: ColumnFacts, column: Column): PdfBlock[] {
  const made = run.map((lines) => toBlock(lines, page, column));
  if (made.some(({ type }) => type !== "paragraph")) return made;
  const lines = run.flat();
  const ends = new Set(endsOfRows(lines, page.edge));
  if ([...ends].every((line) => MAY_END.test(line.words.at(-1)?.text ?? ""))) return made;
  return [{ ...(toBlock(lines, page, column) as TextBlock & { readonly type: "paragraph" }), rowEnds: ends }];
}

function endsOfRows(lines: readonly PdfLine[], edge: number): PdfLine[] {
  const rows: PdfLine[][] = [[]];
  for (const [i, line] of lines.entries()) {
    const next = lines[i + 1];
    rows.at(-1)?.push(line);
    if (next !== undefined && !areLevel(line, next) && !isFull(line, next, edge) && !areCentred(line, next)) rows.push([]);
  }
  const texts = rows.map((row) => ({ text: textOf(row), hadRoom: true }));
  return rowEnds(texts, LEAST_ROWS).map((i) => rows[i]?.at(-1) as PdfLine);
}

function toBlock(lines: readonly PdfLine[], page: PageFacts, { style, marks, left, right }: Column): PdfBlock {
  const first = lines[0] as PdfLine;
  const level = headingLevel(first, textOf(lines), style);
  const opening = marks.get(first) ?? "none";
  const block: TextBlock = { lines, page: page.number, left, right, mark: opening };
  if (level > 0) return { ...block, type: "heading", level };
  const mark = first.words[0]?.text ?? "";
  const isSmall = first.size < style.bodySize * NOTE_SIZE;
  if (isSmall && first.y > page.height * NOTE_PART && NOTE_MARK.test(mark)) return { ...block, type: "note" };
  // A lettered mark such as "(a)" stays part of the text of its paragraph.
  const isItem = opening === "dot" || (opening === "word" && ITEM_MARK.test(mark));
  return { ...block, type: isItem ? "item" : "paragraph" };
}

function headingLevel(line: PdfLine, text: string, style: TextStyle): number {
  const outlined = style.outline.get(keyOf(text));
  if (outlined !== undefined && isHeadingLike(line, style)) return Math.min(6, outlined);
  if (!/\p{L}/u.test(text) || text.length > MAX_HEADING_CHARACTERS) return 0;
  if (line.size >= style.bodySize * HEADING_FACTOR) {
    const rank = style.headingSizes.findIndex((size) => line.size >= size - 0.3);
    return Math.min(6, (rank < 0 ? style.headingSizes.length : rank) + 1);
  }
  const isBoldLine = isHeadingLike(line, style) && text.length <= MAX_BOLD_HEADING_CHARACTERS && !NO_HEADING_END.test(text);
  return isBoldLine && line.size >= style.bodySize * 0.95 ? Math.min(6, style.headingSizes.length + 1) : 0;
}

function isHeadingLike(line: PdfLine, style: TextStyle): boolean {
  return line.size >= style.bodySize * HEADING_FACTOR || (line.isBold && !style.isBodyBold && line.words.every(({ isBold }) => isBold));
}

/**
 * Returns the usual distance of lines, in points: the lower quartile. With fewer than `FEW_STEPS` distances, returns
 * the smallest one, at most 1.25 times the letter size.
 */
function usualPitch(lines: readonly PdfLine[]): number {
  const steps = lines
    .slice(1)
    .map((line, i) => line.bottom - (lines[i]?.bottom ?? 0))
    .filter((step) => step > 0)
    .sort((a, b) => a - b);
  const height = greatest(lines.map(({ size }) => size)) * 1.25;
  return steps.length < FEW_STEPS ? Math.min(height, steps[0] ?? height) : (steps[Math.floor(steps.length / 4)] ?? height);
}

/**
 * Derives the typography of the document: body size, sizes of headings (largest first), and whether most letters are
 * bold or monospaced. In a bold document, bold does not mean headings. In a
 * monospaced one, monospaced letters do not mean code.
 * @param outline titles in the document's outline with their depth, from 1
 */
export function styleOf(lines: readonly PdfLine[], outline: ReadonlyMap<string, number>) {
  const words = lines.flatMap((line) => line.words);
  const isTypewritten = lettersOf(words.filter(({ isMono }) => isMono)) > lettersOf(words) * TYPEWRITTEN_SHARE;
  const counted = isTypewritten ? words : words.filter(({ isMono }) => !isMono);
  const roundedSize = ({ size }: { readonly size: number }) => Math.round(size * 2) / 2;
  const bodySize = mostUsed(counted, roundedSize) ?? 10;
  const larger = [...new Set(counted.map(roundedSize))].filter((size) => size >= bodySize * HEADING_FACTOR).sort((a, b) => b - a);
  const isBodyBold = lettersOf(counted.filter(({ isBold }) => isBold)) > lettersOf(counted) / 2;
  return { bodySize, headingSizes: larger.slice(0, 5), isBodyBold, isTypewritten, outline };
}
