import type { TextRange } from "../../types.ts";
import { headingEnd } from "./markdown-tree.ts";
import {
  type PlainFile,
  type PlainMarkdown,
  type PlainPiece,
  type PlainTable,
  readPlainLine,
  readPlainMarkdown,
  readPlainTable,
} from "./plain-markdown.ts";

/** A part of markdown between places where a block surely ends. */
export type Segment = TextRange & {
  /** Cut out of a longer part to keep parsing time linear; stands alone whatever its first line says. */
  readonly isCut: boolean;
} & (
    | { readonly kind: "code" | "rule" | "markdown" | "hostile" }
    | { readonly kind: "heading"; readonly words: readonly PlainPiece[] }
    | { readonly kind: "plain"; readonly plain: PlainMarkdown }
    | { readonly kind: "table"; readonly table: PlainTable }
  );

/** Lists and quotes inside each other, and emphasis marks in one part: beyond, parsing time grows with the square; the text stays. */
const MAX_CONTAINERS = 100;
const MAX_DELIMITERS = 2_000;
/** The full parser's time grows with the square of a part's lines; longer parts are cut, at a list item or sentence if there is one. */
const CUT_AFTER_LINES = 100;
const CUT_AT_LINES = 150;

/** What opens code: behind backticks stands none on the same line. */
const FENCE = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})/;
/** Code from its first to its last line, which closes it: of the same marks, and no fewer. The part ends at the first such line. */
const PLAIN_CODE = /^(?:(`{3,})[^`\n]*\n(?:[\s\S]*\n)? {0,3}\1`*|(~{3,})(?!~)[^\n]*\n(?:[\s\S]*\n)? {0,3}\2~*)[ \t]*\r?$/;
const HEADING_LINE = /^#{1,6}[ \t]/;
/** A heading, not so long that its marks may be meant to take time; names of headings in braces are found by the full parser. */
const PLAIN_HEADING = /^ {0,3}#{1,6}[ \t]+(?=[^\s#])[^#\r\n]{1,500}(?<!\})$/;
const SIMPLE_HEADING = /^ {0,3}#{1,6}[ \t]+[^\s#*_`[\]<&\\|][^#*_`[\]<&\\|\r\n]*$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*\r?$/;
export const BLANK_LINE = /^[ \t\r]*$/;
const ITEM_LINE = /^(?:[-+*]|\d{1,9}[.)])[ \t]/;
const CONTAINER = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;

/**
 * The parts of `text[start, end)` between empty lines. Headings and closed fences end a part, fenced code stays in one. What needs no
 * full parser comes read already.
 */
export function segmentsOf(text: string, { start, end }: TextRange, file: PlainFile): Segment[] {
  const { maxIndent } = file;
  const found: Segment[] = [];
  let from = -1;
  let to = -1;
  let fence = "";
  let isFenced = false;
  const take = (): void => {
    if (from >= 0) found.push(...segmentsIn(text, { start: from, end: to }, { ...file, isFenced }));
    from = -1;
    isFenced = false;
  };
  for (const line of linesOf(text, start, end)) {
    const isBlank = BLANK_LINE.test(line.text);
    const isHeading = fence === "" && HEADING_LINE.test(line.text);
    if (fence === "" && (isHeading || isBlank)) take();
    if (!isBlank) {
      if (from < 0) from = line.start;
      to = line.end;
    }
    const wasFence = fence;
    fence = fenceAfter(fence, line.text, maxIndent);
    if (wasFence === "" && fence !== "") isFenced = true;
    else if (wasFence !== "" && fence === "") take();
    if (isHeading) take();
  }
  take();
  return found;
}

/** The marks of the code that is open behind a line, given those before it; empty: none is. */
export function fenceAfter(fence: string, line: string, maxIndent: number): string {
  const [, indent = "", marks = ""] = FENCE.exec(line) ?? [];
  // A fence that stands deeper is code, or belongs to an item whose lines stand deeper too.
  if (indent.length > maxIndent || (indent.includes("\t") && maxIndent < 4)) return fence;
  if (fence === "") return marks;
  return marks.startsWith(fence) && line.trim() === marks ? "" : fence;
}

function segmentsIn(text: string, range: TextRange, file: PlainFile & { readonly isFenced: boolean }): Segment[] {
  const { start, end } = range;
  const segment = text.slice(start, end);
  if (file.isFenced) return [{ start, end, kind: PLAIN_CODE.test(segment) ? "code" : "markdown", isCut: false }];
  if (RULE.test(segment)) return [{ start, end, kind: "rule", isCut: false }];
  const words = headingWords(text, range, file);
  if (words !== null) return [{ start, end, kind: "heading", words, isCut: false }];
  const plain = readPlainMarkdown(text, range, file);
  if (plain !== null && !plain.isRich) return [{ start, end, kind: "plain", plain, isCut: false }];
  const table = readPlainTable(text, range, file);
  if (table !== null) return [{ start, end, kind: "table", table, isCut: false }];
  const parts = cutLong(text, start, end);
  if (plain !== null && parts.length === 1 && countDelimiters(segment) <= MAX_DELIMITERS)
    return [{ start, end, kind: "plain", plain, isCut: false }];
  return parts.map((range, i) => {
    const part = text.slice(range.start, range.end);
    const isHostile = countDelimiters(part) > MAX_DELIMITERS || containerDepth(part) > MAX_CONTAINERS;
    return { ...range, kind: isHostile ? "hostile" : "markdown", isCut: i > 0 };
  });
}

/** What a part shows that is one heading; `null`: it is none, or needs the full parser. */
function headingWords(text: string, { start, end }: TextRange, file: PlainFile): readonly PlainPiece[] | null {
  const line = text.slice(start, end).trimEnd();
  const from = start + (/^ *#+/.exec(line)?.[0].length ?? 0);
  if (SIMPLE_HEADING.test(line)) return [{ start: from, end: headingEnd(text, start, end) }];
  if (!PLAIN_HEADING.test(line)) return null;
  const blanks = /^[ \t]*/.exec(text.slice(from, end))?.[0].length ?? 0;
  return readPlainLine(text, { start: from + blanks, end: start + line.length }, file);
}

function cutLong(text: string, start: number, end: number): TextRange[] {
  const ranges: TextRange[] = [];
  let from = start;
  let lines = 0;
  let endsSentence = false;
  for (const line of linesOf(text, start, end)) {
    const mayCut = lines >= CUT_AFTER_LINES && (endsSentence || ITEM_LINE.test(line.text));
    if (mayCut || lines >= CUT_AT_LINES) {
      ranges.push({ start: from, end: line.start - 1 });
      from = line.start;
      lines = 0;
    }
    lines++;
    endsSentence = /[.!?:]\r?$/.test(line.text.slice(-2));
  }
  ranges.push({ start: from, end });
  return ranges;
}

export function* linesOf(text: string, start: number, end: number): Generator<TextRange & { readonly text: string }> {
  for (let at = start; at < end; ) {
    const newline = text.indexOf("\n", at);
    const lineEnd = newline < 0 || newline >= end ? end : newline;
    yield { start: at, end: lineEnd, text: text.slice(at, lineEnd) };
    at = lineEnd + 1;
  }
}

function countDelimiters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // * _ [ ] ` <
    if (code === 42 || code === 95 || code === 91 || code === 93 || code === 96 || code === 60) count++;
  }
  return count;
}

/** Deepest nesting of lists and quotes that the lines can open, judged by markers and indentation. */
function containerDepth(text: string): number {
  let deepest = 0;
  const columns: number[] = [];
  for (const { text: line } of linesOf(text, 0, text.length)) {
    CONTAINER.lastIndex = 0;
    let markers = 0;
    while (CONTAINER.test(line) && markers <= MAX_CONTAINERS) markers++;
    if (markers === 0 || /^[ \t]*([-*])(?:[ \t]*\1)+[ \t\r]*$/.test(line)) continue;
    const column = line.search(/\S/);
    while ((columns.at(-1) ?? -1) >= column) columns.pop();
    columns.push(column);
    deepest = Math.max(deepest, columns.length + markers - 1);
  }
  return deepest;
}
