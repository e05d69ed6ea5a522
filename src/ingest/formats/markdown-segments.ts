import type { TextRange } from "../../types.ts";

/** A part of markdown between places where a block surely ends. */
export interface Segment extends TextRange {
  /** Cut out of a longer part to keep parsing time linear; stands alone whatever its first line says. */
  readonly isCut: boolean;
  /** `words`: a paragraph without any syntax; `hostile`: markdown that would take too long to parse. */
  readonly kind: "words" | "markdown" | "hostile";
}

/** Lists and quotes inside each other, and emphasis marks in one part: beyond, parsing time grows with the square; the text stays. */
const MAX_CONTAINERS = 100;
const MAX_DELIMITERS = 2_000;
/** The full parser's time grows with the square of a part's lines; longer parts are cut, at a list item or sentence if there is one. */
const CUT_AFTER_LINES = 100;
const CUT_AT_LINES = 150;

/** What opens code: behind backticks stands none on the same line. */
const FENCE = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING_LINE = /^#{1,6}[ \t]/;
/** Inline syntax, or a line that may start another block or a table, or ends in a hard break: a paragraph without is words alone. */
const SYNTAX = /^[ \t]|~~|[*_`[\]<&\\|]| {2}\r?\n|(?:^|\n)[ \t]*(?:[#>+\-=~:]|\d{1,9}[.)])/;
export const BLANK_LINE = /^[ \t\r]*$/;
const ITEM_LINE = /^(?:[-+*]|\d{1,9}[.)])[ \t]/;
const CONTAINER = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;

/** The parts of `text[start, end)` between empty lines. Headings and closed fences end a part, fenced code stays in one. */
export function segmentsOf(text: string, { start, end }: TextRange, maxIndent: number): Segment[] {
  const found: Segment[] = [];
  let from = -1;
  let to = -1;
  let fence = "";
  let isFenced = false;
  const take = (): void => {
    if (from >= 0) found.push(...segmentsIn(text, { start: from, end: to }, isFenced));
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

function segmentsIn(text: string, { start, end }: TextRange, isFenced: boolean): Segment[] {
  if (isFenced) return [{ start, end, kind: "markdown", isCut: false }];
  if (!SYNTAX.test(text.slice(start, end))) return [{ start, end, kind: "words", isCut: false }];
  return cutLong(text, start, end).map((range, i) => {
    const part = text.slice(range.start, range.end);
    const isHostile = countDelimiters(part) > MAX_DELIMITERS || containerDepth(part) > MAX_CONTAINERS;
    return { ...range, kind: isHostile ? "hostile" : "markdown", isCut: i > 0 };
  });
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
    // * _ ~ [ ] ` <
    if (code === 42 || code === 126 || code === 95 || code === 91 || code === 93 || code === 96 || code === 60) count++;
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
