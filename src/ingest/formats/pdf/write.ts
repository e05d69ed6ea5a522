import { createEnglishWords, type EnglishWords } from "../../../language/content-words.ts";
import type { TextRange } from "../../../shared/types.ts";
import { BlockWriter, type Table } from "../../block-writer.ts";
import { textOffsetsOf } from "../../pages.ts";
import { isHeaderRow } from "../table-grid.ts";
import { type PdfBlock, textOf } from "./blocks.ts";
import type { PdfLine } from "./lines.ts";
import { least, type PdfPage, type PdfWord } from "./words.ts";

/** How two lines are joined: with a space, with nothing, or by removing the hyphen at the line break. */
type Seam = "blank" | "none" | "cut";

const SOFT_HYPHEN = /\u00ad$/;
/** Matches a word that ends in a lower-case letter and a hyphen, with no hyphen inside. Web and mail addresses do not match. */
const HYPHEN = /^[^-‐/@\d]*\p{Ll}[-‐]$/u;
const SMALL = /^\p{Ll}/u;
/** Matches a line that ends with a dash or slash directly after a character, so that the same word may continue on the next line. */
const JOINT = /[^\s][-‐–—/]$/u;
/** Matches a word that may follow a suspended hyphen: "and" in "Short- and long-term". */
const SUSPENDED = /^(?:and|or|to|nor|und|oder|bis|et|ou|y|o|e)$/;

/**
 * Returns a function that decides how two lines are joined. A hyphen at a line end stays if the document contains the hyphenated word
 * within a line. It also stays if both halves are words but their combination is not. Otherwise it is removed.
 * @param parts groups of consecutive lines
 */
export function seamsOf(
  parts: readonly (readonly PdfLine[])[],
  { isEnglish }: Pick<EnglishWords, "isEnglish"> = createEnglishWords(),
): (last: PdfWord, next: PdfWord) => Seam {
  const known = unbrokenWords(parts);
  const isWord = (text: string) => known.has(text) || isEnglish(text);
  return (last, next) => {
    if (SOFT_HYPHEN.test(last.text)) return "cut";
    if (!HYPHEN.test(last.text) || !SMALL.test(next.text)) return isOneWord(last.text, next.text) ? "none" : "blank";
    if (SUSPENDED.test(next.text)) return "blank";
    const [head, tail] = [bare(last.text), bare(next.text)];
    if (known.has(bare(last.text + next.text))) return "none";
    if (isWord(head + tail)) return "cut";
    return isWord(head) && isWord(tail.replace(/[-‐].*/, "")) ? "none" : "cut";
  };
}

function isOneWord(last: string, next: string): boolean {
  return JOINT.test(last) || (/^[-‐]$/.test(last) && /^[-‐]/.test(next));
}

/** Returns the words that do not continue over a line break. */
function unbrokenWords(parts: readonly (readonly PdfLine[])[]): ReadonlySet<string> {
  const isBroken = (last: PdfWord | undefined, next: PdfWord | undefined) =>
    last !== undefined && next !== undefined && HYPHEN.test(last.text) && SMALL.test(next.text);
  const known = new Set<string>();
  for (const lines of parts) {
    for (const [i, { words }] of lines.entries()) {
      const from = isBroken(lines[i - 1]?.words.at(-1), words[0]) ? 1 : 0;
      const to = isBroken(words.at(-1), lines[i + 1]?.words[0]) ? words.length - 1 : words.length;
      for (const { text } of words.slice(from, to)) known.add(bare(text));
    }
  }
  return known;
}

function bare(text: string): string {
  return text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

const TENTHS = 10;
/** Maximum spaces within a line of code. */
const MAX_BLANKS = 200;
/** Minimum width of a gap that is a space, as a multiple of the letter size. A footnote number follows its word more closely. */
const BLANK = 0.12;
/**
 * Maximum size of superscripts, as a multiple of the size of the letters before them. `RAISED_BY` is the minimum by
 * which they are raised, as a multiple of the same size.
 */
const RAISED_SIZE = 0.85;
const RAISED_BY = 0.12;

interface Piece {
  /** `isRow`: the range ends a row. */
  readonly ranges: readonly (TextRange & { readonly isRow?: boolean })[];
  /** End of the bold text at the start; `null` if there is none, or if all text is bold. */
  readonly boldEnd: number | null;
}

/** Writes blocks in order, with the box of every word. Joins words that a line break splits. */
export function writePdf(blocks: readonly PdfBlock[], pages: readonly PdfPage[], pageOf: ReadonlyMap<PdfWord, number>) {
  const source: string[] = [];
  const records: number[] = [];
  const starts: { readonly page: number; readonly at: number }[] = [];
  const seamOf = seamsOf(
    blocks.flatMap((block) => (block.type === "code" ? [] : block.type === "table" ? block.rows.flat() : [block.lines])),
  );
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
    const { x, y, right, bottom } = word;
    records.push(range.start, range.end, page, ...[x, y, right - x, bottom - y].map(inTenths));
    return range;
  };
  const addLines = (lines: readonly PdfLine[], mayHaveMark = false, rowEnds: ReadonlySet<PdfLine> = new Set()): Piece => {
    const ranges: Piece["ranges"][number][] = [];
    let start = length;
    let isBold = true;
    let boldEnd: number | null = null;
    const words = lines.flatMap(({ words }, l) => {
      const opensRow = rowEnds.has(lines[l - 1] as PdfLine);
      return words.map((word, i) => ({ word, opensLine: i === 0 && l > 0, opensRow: i === 0 && opensRow }));
    });
    for (const [i, { word, opensLine, opensRow }] of words.entries()) {
      const last = words[i - 1]?.word;
      if (opensRow) {
        ranges.push({ start, end: length, isRow: true });
        add("\n");
        start = length;
      } else if (last !== undefined && opensLine) {
        const seam = seamOf(last, word);
        if (seam !== "cut") add(seam === "blank" ? "\n" : "");
        else {
          ranges.push({ start, end: length - 1 });
          add("\n");
          start = length;
        }
      } else if (last !== undefined && (word.isSpaced || isRaised(last, word) || word.x - last.right > word.size * BLANK)) add(" ");
      addWord(word);
      if (mayHaveMark && i === 0 && !/[\p{L}\p{N}]/u.test(word.text)) start = length;
      else isBold &&= word.isBold;
      if (isBold && start < length) boldEnd = length;
    }
    ranges.push({ start, end: length });
    return { ranges, boldEnd: isBold ? null : boldEnd };
  };
  /** Adds lines of code. A gap between two words becomes as many spaces as letters would fit into it. */
  const addCode = (lines: readonly PdfLine[]): Piece => {
    const start = length;
    const left = least(lines.map(({ x }) => x));
    for (const [i, { words }] of lines.entries()) {
      if (i > 0) add("\n");
      let at = left;
      for (const [k, word] of words.entries()) {
        const blanks = Math.round(((word.x - at) / (word.right - word.x)) * word.text.length);
        add(" ".repeat(Math.min(MAX_BLANKS, Math.max(k > 0 && word.isSpaced ? 1 : 0, blanks))));
        addWord(word);
        at = word.right;
      }
    }
    return { ranges: [{ start, end: length }], boldEnd: null };
  };
  const addBlock = (block: Exclude<PdfBlock, TableBlock>): Piece => {
    if (block.type === "code") return addCode(block.lines);
    const isMarked = block.type === "item" && block.mark === "word";
    return addLines(block.lines, isMarked, block.type === "heading" ? undefined : block.rowEnds);
  };
  const laid = blocks.map((block) => {
    const isTable = block.type === "table";
    const rows = isTable ? block.rows.map((row) => row.map((cell) => ({ ...addLines(cell), end: add("\t") }))) : null;
    const piece = isTable ? null : addBlock(block);
    add("\n");
    return { block, piece, rows };
  });
  const text = source.join("");
  const writer = new BlockWriter(text);
  const write = ({ ranges, boldEnd }: Piece) => {
    let isBold = boldEnd !== null;
    if (isBold) writer.beginBold();
    for (const { start, end, isRow = false } of ranges) {
      const middle = boldEnd === null ? start : Math.min(end, Math.max(start, boldEnd));
      writer.text(start, middle);
      if (isBold && middle < end) {
        writer.endBold();
        isBold = false;
      }
      writer.text(middle, end);
      if (isRow) writer.lineBreak();
    }
    if (isBold) writer.endBold();
  };
  let open: { readonly table: Table; readonly header: string; readonly block: TableBlock } | null = null;
  for (const [i, { block, piece, rows }] of laid.entries()) {
    if (rows !== null && block.type === "table") {
      const [first] = block.rows;
      const header = (first ?? []).map((cell) => textOf(cell)).join("|");
      const isRepeated: boolean = open !== null && open.header === header;
      const isContinued: boolean = isRepeated || (open !== null && continuesTable(open.block, block));
      const hasHeader: boolean = isContinued || isHeaderRow(block.rows.slice(0, 2).map((row) => row.map((cell) => textOf(cell))));
      const table: Table = isContinued && open !== null ? open.table : writer.beginTable();
      open = hasHeader ? { table, header: isContinued && open !== null ? open.header : header, block } : null;
      for (const [r, row] of rows.entries()) {
        if (isRepeated && r === 0) continue;
        writer.beginRow(table, hasHeader && !isContinued && r === 0);
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
    if (block.type === "heading") {
      writer.beginHeading(block.level);
      write(piece);
      writer.end();
    } else if (block.type === "item") {
      const [previous, next] = [laid[i - 1]?.block, laid[i + 1]?.block];
      if (previous?.type !== "item") writer.beginList();
      if (previous?.type === "item" && block.mark === "none") writer.paragraph();
      else writer.beginItem();
      write(piece);
      if (next?.type === "item" && next.mark === "none") continue;
      writer.end();
      if (next?.type !== "item") writer.endList();
    } else if (block.type === "code") writer.code(piece.ranges);
    else {
      writer.paragraph();
      write(piece);
    }
  }
  const sizes = pages.flatMap(({ width, height }) => [inTenths(width), inTenths(height)]);
  const written = writer.finish();
  const { text: out, sourceMap } = written;
  const offsets = textOffsetsOf(
    starts.map(({ at }) => at),
    sourceMap,
    out.length,
  );
  const startOf = new Map(starts.map(({ page }, i) => [page, offsets[i]] as const));
  const pageStarts = pages.map(() => 0);
  // A page without text starts where the next page starts.
  for (let page = pages.length, next = out.length; page > 1; page--) pageStarts[page - 1] = next = startOf.get(page) ?? next;
  return { ...written, places: { type: "boxes" as const, words: records, sizes }, pages: pageStarts };
}

type TableBlock = PdfBlock & { readonly type: "table" };

/** Checks whether a table continues the one on the page before: as many columns, the same left edge, no bold first row. */
function continuesTable(before: TableBlock, { rows, page }: TableBlock): boolean {
  const lines = (row: TableBlock["rows"][number] | undefined) => (row ?? []).flat();
  const leftOf = (all: TableBlock["rows"]) => least(all.flatMap((row) => lines(row).map(({ x }) => x)));
  const isBold = lines(rows[0]).every((line) => line.isBold);
  const [first] = lines(rows[0]);
  const isAligned = first !== undefined && Math.abs(leftOf(before.rows) - leftOf(rows)) < first.size;
  return page === before.page + 1 && before.rows[0]?.length === rows[0]?.length && isAligned && !isBold;
}

function inTenths(points: number): number {
  return Math.round(points * TENTHS);
}

/** Checks whether a word is superscript: a footnote mark or an exponent. A space must separate it from a number before it. */
function isRaised(last: PdfWord, word: PdfWord): boolean {
  return word.size < last.size * RAISED_SIZE && word.baseline < last.baseline - last.size * RAISED_BY;
}
