import { NO_HEADING_END } from "../../bold-heads.ts";
import { rowEnds } from "../../line-breaks.ts";
import { type CodeLines, codeOf } from "./code.ts";
import {
  areLevel,
  endsInFigure,
  hasDot,
  INDENT,
  ITEM_MARK,
  isFull,
  isMarkInText,
  markOf,
  type PdfLine,
  SAME_SIZE,
  SAME_START,
} from "./lines.ts";
import type { Region, TableRegion } from "./regions.ts";
import { greatest, least, type PdfBox } from "./words.ts";
/** A piece of a document as its pages show it. */
export type PdfBlock =
  | (TextBlock & { readonly type: "heading"; readonly level: number })
  | (TextBlock & { readonly type: "paragraph" | "item" | "note"; readonly rowEnds?: ReadonlySet<PdfLine> })
  | (CodeLines & { readonly type: "code"; readonly page: number })
  | { readonly type: "table"; readonly rows: TableRegion["rows"]; readonly page: number };

/**
 * What opens a block whose lines may hang: a drawn dot, a word ("•", "1.", "(a)"), or nothing. An item with nothing is a further part of the item before it;
 * with "resumed", of one that others parted from it.
 */
export type Mark = "dot" | "word" | "none" | "resumed";

export interface TextBlock {
  readonly lines: readonly PdfLine[];
  readonly page: number;
  /** From where to where lines go that stand above or beneath it. */
  readonly left: number;
  readonly right: number;
  readonly mark: Mark;
}

/** How the document's letters look. */
export interface TextStyle {
  /** Of most letters, in points. */
  readonly bodySize: number;
  /** Sizes of headings, largest first. */
  readonly headingSizes: readonly number[];
  /** Most letters are bold: bold means nothing then. */
  readonly isBodyBold: boolean;
  /** Most letters are a typewriter's: they are no code then. */
  readonly isTypewritten: boolean;
  /** Distance of lines within paragraphs, as most are. */
  readonly pitch: number;
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
/** How a line ends that may end a paragraph: a sentence, or a quotation or bracket. */
const MAY_END = /[.!?:;"”)]$/;
const NOTE_MARK = /^(?:\d{1,3}|[*†‡§])$/;
/** Here it is seen that the next word would have had room: two lines are rows. */
const LEAST_ROWS = 2;
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
  return regions.flatMap((region): PdfBlock[] => {
    if (region.type === "table") return [{ type: "table", rows: region.rows, page: page.number }];
    const edges = edgesAround(region.lines, regions);
    return columnBlocks(region.lines, { ...page, edge: edges.right }, style).map((block) =>
      "right" in block ? { ...block, ...edges } : block,
    );
  });
}

/** From where to where lines go that stand above, beneath or among those of a region: white space may part one column into many regions. */
function edgesAround(lines: readonly PdfLine[], regions: readonly Region[]): { readonly left: number; readonly right: number } {
  const [from, to] = [least(lines.map(({ x }) => x)), greatest(lines.map((line) => line.right))];
  let [left, right] = [from, to];
  for (const region of regions) {
    if (region.type === "table") continue;
    for (const line of region.lines) {
      if (line.isMono || line.x >= to || line.right <= from) continue;
      left = Math.min(left, line.x);
      right = Math.max(right, line.right);
    }
  }
  return { left, right };
}

interface ColumnFacts extends PageFacts {
  /** How far to the right lines go that stand above or beneath. */
  readonly edge: number;
}

function columnBlocks(lines: readonly PdfLine[], page: ColumnFacts, style: TextStyle): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  const canBeCode = (line: PdfLine) =>
    line.isMono && !style.isTypewritten && line.size < style.bodySize * HEADING_FACTOR && !hasDot(line, page.dots);
  const text = lines.filter((line) => !canBeCode(line));
  const edges = edgesOf(text.length > 0 ? text : lines, lines);
  const code = codeOf(lines, { right: edges.right, pitch: style.pitch, canBeCode });
  const column: Column = { ...edges, style, dots: page.dots, marks: new Map() };
  /** Paragraphs that only the ends of their sentences part. */
  let run: PdfLine[][] = [];
  let open: PdfLine[] = [];
  const flush = () => {
    if (open.length > 0) for (const block of runBlocks([...run, open], page, column)) blocks.push(block);
    [run, open] = [[], []];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as PdfLine;
    const piece = code.get(line);
    if (piece !== undefined) {
      flush();
      blocks.push({ type: "code", ...piece, page: page.number });
      i += piece.lines.length - 1;
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

interface Edges {
  readonly left: number;
  readonly right: number;
  readonly pitch: number;
}

function edgesOf(text: readonly PdfLine[], lines: readonly PdfLine[]): Edges {
  const left = least(text.map(({ x }) => x));
  const right = greatest(text.map((line) => line.right));
  return { left, right, pitch: usualPitch(lines) };
}

interface Column extends Edges {
  readonly style: TextStyle;
  readonly dots: readonly PdfBox[];
  /** Lines that open an item of a list, or a paragraph with a number or a letter. */
  readonly marks: Map<PdfLine, Mark>;
}

/** What opens an item of a list: a dot that is drawn before it, or a sign, a number or a letter that was not merely the next word. */
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
  // Words of another size in a sentence, such as code, may fill a line: the sentence runs on. A note's mark, or larger letters, begin something else.
  const runsOn = !hadRoom && !isEnded && !isHeadingLike(line, style) && !NOTE_MARK.test(line.words[0]?.text ?? "");
  if (Math.abs(last.size - line.size) > SAME_SIZE && !runsOn) return true;
  const step = line.bottom - last.bottom;
  const usual = pitch * PARAGRAPH_GAP * Math.max(1, line.size / style.bodySize);
  if (step > (isHeadingLike(line, style) ? Math.min(usual, line.size * HEADING_STEP) : usual) || step < 0) return true;
  if (marks.has(line)) return true;
  const isMarked = marks.has(first);
  // A heading of several lines may stand in the middle of the page: its lines begin anywhere.
  if (!isMarked && !isHeadingLike(line, style) && line.x - last.x > line.size * INDENT && line.x - first.x > line.size * INDENT)
    return true;
  return isMarked && line.x < first.x - 1;
}

/** Whether a sentence ends a paragraph: the next word would have had room behind it. */
function isFinished(open: readonly PdfLine[], line: PdfLine, { right }: Column): boolean {
  const last = open.at(-1) as PdfLine;
  return !areLevel(last, line) && MAY_END.test(last.words.at(-1)?.text ?? "") && !isFull(last, line, right);
}

/** Lines in the middle of a page have room on both sides. */
function areCentred(a: PdfLine, b: PdfLine): boolean {
  return Math.abs(a.x - b.x) > a.size * SAME_START && Math.abs(a.x + a.right - b.x - b.right) < a.size;
}

/** Paragraphs without a gap between them: one of rows where lines that end no sentence were ended, else each by itself. */
function runBlocks(run: readonly (readonly PdfLine[])[], page: ColumnFacts, column: Column): PdfBlock[] {
  const made = run.map((lines) => toBlock(lines, page, column));
  if (made.some(({ type }) => type !== "paragraph")) return made;
  const lines = run.flat();
  const ends = new Set(endsOfRows(lines, page.edge));
  if ([...ends].every((line) => MAY_END.test(line.words.at(-1)?.text ?? ""))) return made;
  return [{ ...(toBlock(lines, page, column) as TextBlock & { readonly type: "paragraph" }), rowEnds: ends }];
}

/** Lines of a paragraph that end a row. Where rows end in figures, a line does that has no room behind its figure, and a capital follows. */
function endsOfRows(lines: readonly PdfLine[], edge: number): PdfLine[] {
  const rows: PdfLine[][] = [[]];
  for (const [i, line] of lines.entries()) {
    const next = lines[i + 1];
    rows.at(-1)?.push(line);
    if (next !== undefined && !areLevel(line, next) && !isFull(line, next, edge) && !areCentred(line, next)) rows.push([]);
  }
  const ends = rowEnds(
    rows.map((row) => ({ text: textOf(row), hadRoom: true })),
    LEAST_ROWS,
  ).map((i) => rows[i]?.at(-1) as PdfLine);
  if (!ends.some(endsInFigure)) return ends;
  const known = new Set(ends);
  return lines.filter((line, i) => known.has(line) || (endsInFigure(line) && /^\p{Lu}/u.test(lines[i + 1]?.words[0]?.text ?? "")));
}

function toBlock(lines: readonly PdfLine[], page: PageFacts, { style, marks, left, right }: Column): PdfBlock {
  const text = textOf(lines);
  const [first] = lines;
  const level = first === undefined ? 0 : headingLevel(first, text, style);
  const opening = (first === undefined ? undefined : marks.get(first)) ?? "none";
  const block: TextBlock = { lines, page: page.number, left, right, mark: opening };
  if (level > 0) return { ...block, type: "heading", level };
  const mark = first?.words[0]?.text ?? "";
  const isNote =
    first !== undefined && first.size < style.bodySize * NOTE_SIZE && first.y > page.height * NOTE_PART && NOTE_MARK.test(mark);
  if (isNote) return { ...block, type: "note" };
  // What opens with "(a)" is a paragraph that says so itself.
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
  const isBoldLine =
    line.isBold &&
    !style.isBodyBold &&
    text.length <= MAX_BOLD_HEADING_CHARACTERS &&
    !NO_HEADING_END.test(text) &&
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
  const height = greatest(lines.map(({ size }) => size)) * 1.25;
  return steps.length < FEW_STEPS ? Math.min(height, steps[0] ?? height) : (steps[Math.floor(steps.length / 4)] ?? height);
}

/** The size of most letters, and the sizes of those that are larger. */
export function styleOf(lines: readonly PdfLine[], { outline, isTypewritten }: Pick<TextStyle, "outline" | "isTypewritten">): TextStyle {
  const letters = new Map<number, number>();
  let bold = 0;
  let all = 0;
  for (const { words } of lines) {
    for (const { size, text, isBold, isMono } of words) {
      if (isMono && !isTypewritten) continue;
      const rounded = Math.round(size * 2) / 2;
      letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
      all += text.length;
      if (isBold) bold += text.length;
    }
  }
  const [bodySize = 10] = [...letters].sort((a, b) => b[1] - a[1])[0] ?? [];
  const headingSizes = [...letters.keys()].filter((size) => size >= bodySize * HEADING_FACTOR).sort((a, b) => b - a);
  return {
    bodySize,
    headingSizes: headingSizes.slice(0, 5),
    isBodyBold: bold > all / 2,
    isTypewritten,
    outline,
    pitch: mostUsedPitch(lines, bodySize),
  };
}

/** The distance that most lines of the text have from the next; where they have none, a usual one. */
function mostUsedPitch(lines: readonly PdfLine[], size: number): number {
  const steps = new Map<number, number>();
  for (const [i, line] of lines.entries()) {
    const step = Math.round((line.bottom - (lines[i - 1]?.bottom ?? 0)) * 10) / 10;
    if (step >= size * 0.9 && step < size * 2.2) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  const [pitch = size * 1.25] = [...steps].sort((a, b) => b[1] - a[1])[0] ?? [];
  return pitch;
}
