import type { PlaceData, TextRange } from "../../../types.ts";
import { BlockWriter, type Table, type WrittenBlocks } from "../../block-writer.ts";
import { isHeaderRow } from "../table.ts";
import { type PdfBlock, textOf } from "./blocks.ts";
import type { PdfLine } from "./lines.ts";
import { type PdfPage, type PdfWord, rightOf } from "./words.ts";

const TENTHS = 10;
const BULLET_MARK = /^[-–—•‣◦▪●○*·]$/;
/** A narrower gap is none, in parts of the letters' size: a note's number stands close to its word. */
const BLANK = 0.12;
/** Raised letters are smaller than those before them, and stand higher, in parts of those. */
const RAISED_SIZE = 0.85;
const RAISED_BY = 0.12;

export interface WrittenPdf extends WrittenBlocks {
  readonly places: PlaceData;
  readonly pages: readonly number[];
}

/** A stretch of the text that was taken out. */
interface Piece {
  readonly ranges: readonly TextRange[];
}

/** The text of blocks in order, with the box of every word. Words that a line's end cuts are joined where the document has them whole. */
export function writePdf(blocks: readonly PdfBlock[], pages: readonly PdfPage[], pageOf: ReadonlyMap<PdfWord, number>): WrittenPdf {
  const source: string[] = [];
  const records: number[] = [];
  const starts: { readonly page: number; readonly at: number }[] = [];
  const whole = new Set<string>();
  for (const block of blocks) {
    for (const { words } of block.type === "table" ? block.rows.flat(2) : block.lines) for (const { text } of words) whole.add(bare(text));
  }
  let length = 0;
  const add = (text: string): TextRange => {
    source.push(text);
    length += text.length;
    return { start: length - text.length, end: length };
  };
  const addWord = (word: PdfWord): TextRange => {
    const page = pageOf.get(word) ?? 1;
    const range = add(word.text);
    if (starts.at(-1)?.page !== page && (starts.at(-1)?.page ?? 0) < page) starts.push({ page, at: range.start });
    records.push(range.start, range.end, page, inTenths(word.x), inTenths(word.y), inTenths(word.width), inTenths(word.height));
    return range;
  };
  const addLines = (lines: readonly PdfLine[], skipMark = false): Piece => {
    const ranges: TextRange[] = [];
    let start = length;
    const words = lines.flatMap((line) => line.words.map((word, i) => ({ word, opensLine: i === 0 && line !== lines[0] })));
    for (const [i, { word, opensLine }] of words.entries()) {
      const last = words[i - 1]?.word;
      if (last !== undefined && opensLine) {
        if (isCut(last, word, whole)) {
          ranges.push({ start, end: length - 1 });
          add("\n");
          start = length;
        } else add("\n");
      } else if (last !== undefined && (word.isSpaced || isRaised(last, word) || word.x - rightOf(last) > word.size * BLANK)) add(" ");
      addWord(word);
      if (skipMark && i === 0 && BULLET_MARK.test(word.text)) start = length;
    }
    ranges.push({ start, end: length });
    return { ranges };
  };
  const laid = blocks.map((block) => {
    const piece = block.type === "table" ? null : addLines(block.lines, block.type === "item");
    const rows = block.type !== "table" ? null : block.rows.map((row) => row.map((cell) => ({ ...addLines(cell), end: add("\t") })));
    add("\n");
    return { block, piece, rows };
  });
  const text = source.join("");
  const writer = new BlockWriter(text);
  const write = ({ ranges }: Piece, isCutAtEnd = false) => {
    for (const [i, { start, end }] of ranges.entries()) writer.text(start, isCutAtEnd && i === ranges.length - 1 ? end - 1 : end);
  };
  /** Where the end of a column or page cuts a word of a paragraph that goes on behind it. */
  const isCutBetween = (before: PdfBlock | undefined, after: PdfBlock | undefined): boolean => {
    if (before?.type !== "paragraph" || after?.type !== "paragraph" || !runsOn(before.lines, after)) return false;
    const [last, next] = [before.lines.at(-1)?.words.at(-1), after.lines[0]?.words[0]];
    return last !== undefined && next !== undefined && isCut(last, next, whole);
  };
  let open: { readonly table: Table; readonly header: string } | null = null;
  for (const [i, { block, piece, rows }] of laid.entries()) {
    if (rows !== null && block.type === "table") {
      const [first] = block.rows;
      const header = (first ?? []).map((cell) => textOf(cell)).join("|");
      const isContinued: boolean = open !== null && open.header === header;
      const hasHeader = isHeaderRow(block.rows.slice(0, 2).map((row) => row.map((cell) => textOf(cell))));
      const table: Table = isContinued && open !== null ? open.table : writer.beginTable();
      open = hasHeader ? { table, header } : null;
      for (const [r, row] of rows.entries()) {
        if (isContinued && r === 0) continue;
        writer.beginRow(table, hasHeader && r === 0);
        for (const cell of row) {
          writer.beginCell();
          write(cell);
        }
        writer.end();
      }
      continue;
    }
    open = null;
    if (piece === null) continue;
    const previous = laid[i - 1]?.block;
    if (block.type === "heading") {
      writer.beginHeading(block.level);
      write(piece);
      writer.end();
    } else if (block.type === "item") {
      if (previous?.type !== "item") writer.beginList();
      writer.beginItem();
      write(piece);
      writer.end();
      if (laid[i + 1]?.block.type !== "item") writer.endList();
    } else {
      if (!(previous?.type === "paragraph" && block.type === "paragraph" && runsOn(previous.lines, block))) writer.paragraph();
      else if (!isCutBetween(previous, block)) writer.text(Math.max(0, (piece.ranges[0]?.start ?? 1) - 1), piece.ranges[0]?.start ?? 0);
      write(piece, isCutBetween(block, laid[i + 1]?.block));
    }
  }
  const sizes = pages.flatMap(({ width, height }) => [inTenths(width), inTenths(height)]);
  const written = writer.finish();
  return { ...written, places: { type: "boxes", words: records, sizes }, pages: pageStarts(written, starts, pages.length) };
}

function inTenths(points: number): number {
  return Math.round(points * TENTHS);
}

/** Where each page begins in the text; a page without text begins where the next one does. */
function pageStarts(
  { text, sourceMap }: WrittenBlocks,
  starts: readonly { readonly page: number; readonly at: number }[],
  pages: number,
): number[] {
  const at: number[] = [];
  let segment = 0;
  for (const { page, at: offset } of starts) {
    while (segment < sourceMap.length && (sourceMap[segment + 3] ?? 0) <= offset) segment += 4;
    const [outStart, , from] = sourceMap.slice(segment, segment + 3);
    at[page - 1] = outStart === undefined ? text.length : outStart + Math.max(0, offset - (from ?? 0));
  }
  let next = text.length;
  const all = Array.from({ length: pages }, () => 0);
  for (let i = pages - 1; i >= 0; i--) {
    next = at[i] ?? next;
    all[i] = i === 0 ? 0 : next;
  }
  return all;
}

/** Whether a line's end cuts a word: the document has it whole, or has its second half nowhere. */
function isCut(last: PdfWord, next: PdfWord, whole: ReadonlySet<string>): boolean {
  if (/\u00ad$/.test(last.text)) return true;
  if (!/\p{Ll}[-‐]$/u.test(last.text) || !/^\p{Ll}/u.test(next.text)) return false;
  const joined = bare(last.text.slice(0, -1) + next.text);
  if (whole.has(joined)) return true;
  return !whole.has(bare(last.text + next.text)) && !(whole.has(bare(last.text.slice(0, -1))) && whole.has(bare(next.text)));
}

/** A raised number is a note's, or a power: it must not become part of the number before it. */
function isRaised(last: PdfWord, word: PdfWord): boolean {
  return word.size < last.size * RAISED_SIZE && word.baseline < last.baseline - last.size * RAISED_BY;
}

function bare(text: string): string {
  return text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

/** A paragraph that a column's or page's end parts goes on there. */
function runsOn(before: readonly PdfLine[], { lines, page }: PdfBlock & { readonly lines: readonly PdfLine[] }): boolean {
  const last = before.at(-1);
  const [first] = lines;
  if (last === undefined || first === undefined || page === 0) return false;
  const isElsewhere = first.y < last.y || first.x > last.right;
  return isElsewhere && !/[.!?:;]["”)]?$/.test(last.words.at(-1)?.text ?? "") && /^[\p{Ll}\p{N}(]/u.test(first.words[0]?.text ?? "");
}
