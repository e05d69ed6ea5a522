import { fromMarkdown, type Options } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import type { TextRange } from "../../shared/types.ts";
import type { BlockWriter } from "../block-writer.ts";
import { linesOf } from "../visible.ts";
import { createTreeWriter, type Sides, startOf } from "./markdown-tree.ts";
import type { MaskedSource } from "./masked-source.ts";

/** Parts are parsed together up to about this many characters, and cut where a block surely begins; list items where they must. */
const GROUP_LENGTH = 1_000;
const LIST_GROUP_LENGTH = 8_000;

/** A link's definition from its label on; it may stand in items of lists and in quotes. */
const DEFINITION = /^ {0,3}(?:(?:[-+*]|\d{1,9}[.)]|>)[ \t]*)*(\[([^\]\n]{1,200})\]:[ \t]*\S.*)$/gm;
/** Lines that look like definitions of one label: the first that is one by the grammar counts, and only the full parser tells. */
const SAME_LABEL = 4;
const INNER_FENCE = /^[ \t]*(?:(?:[-+*]|\d{1,9}[.)]|>)[ \t]*)+(?:`{3}|~{3})/m;
const REFERENCE = /\[([^[\]\n]{1,200})\]/g;
const MAY_CONTINUE_LIST = /^(?:[ \t]|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;
const INLINE_SYNTAX = /[*_`~[\]<&\\\n\r]/;
/** Constructs that begin a block. */
const BLOCKS = [
  ...["blockQuote", "codeFenced", "codeIndented", "definition", "headingAtx", "htmlFlow", "list", "setextUnderline", "table"],
  "thematicBreak",
];
const BLANK_RUN = /^\s*$/;

/** Writes markdown from ranges of one source. */
export interface MarkdownWriter {
  /** `source[start, end)` as blocks; on a single line (a heading, a cell) only inline syntax counts. */
  write(start: number, end: number): void;
  /** A footnote with its sign: the lines of it that stand deeper are no code. */
  writeNote(note: TextRange): void;
}

export interface MarkdownOptions {
  /** Definitions of footnotes, in order: no other block goes on over one. @default none */
  readonly notes?: readonly TextRange[];
  /** Those of them that are not written where they stand. @default none */
  readonly moved?: ReadonlySet<TextRange>;
  /** @default nobody is told */
  readonly onStruck?: Sides["onStruck"];
}

/** How lines are read: in the file, and in its notes. */
interface Reading {
  /** Columns before a line, beyond which it may be code. */
  readonly maxIndent: number;
  /** Constructs of markdown that are text here. */
  readonly disabled: readonly string[];
}

export function createMarkdownWriter(
  source: MaskedSource,
  writer: BlockWriter,
  { notes = [], moved = new Set(), onStruck = () => {} }: MarkdownOptions = {},
): MarkdownWriter {
  const inNotes: Reading = { maxIndent: Number.POSITIVE_INFINITY, disabled: ["codeIndented"] };
  const inFile: Reading = source.hasTags ? inNotes : { maxIndent: maxIndentOf(source), disabled: [] };
  const definitions = linkDefinitions(source.masked);
  const tree = createTreeWriter({ source, writer, onStruck });
  let nextNote = 0;
  return { write, writeNote: (note) => writeParts(note, inNotes) };

  function write(start: number, end: number): void {
    const text = source.masked.slice(start, end);
    if (BLANK_RUN.test(text)) return;
    if (writer.isSingleLine) {
      // As the full parser has it: what a tag parts is two paragraphs.
      if (INLINE_SYNTAX.test(text)) parse(start, end, BLOCKS);
      else writeWords(start, end);
      return;
    }
    let at = start;
    for (let note = notes[nextNote]; note !== undefined && note.start < end; note = notes[++nextNote]) {
      writeParts({ start: at, end: note.start }, inFile);
      if (!moved.has(note)) writeParts(note, inNotes);
      at = note.end;
    }
    writeParts({ start: at, end }, inFile);
  }

  function writeParts(range: TextRange, { maxIndent, disabled }: Reading): void {
    let groupStart = -1;
    let groupEnd = -1;
    // Code inside of an item may go on behind empty lines, and shows the tags of lines that are empty but for them.
    let holdsFence = false;
    for (const part of segmentsOf(source.masked, range, maxIndent)) {
      const opensBlock = part.isCut || !mayContinueList(source.masked, part);
      const isSimple = part.kind === "hostile" || (part.kind === "words" && (groupStart < 0 || (opensBlock && !holdsFence)));
      const length = groupEnd - groupStart;
      const mayCut =
        part.isCut || (opensBlock && length > GROUP_LENGTH) || (!/\s/.test(source.masked[part.start] ?? "") && length > LIST_GROUP_LENGTH);
      if (groupStart >= 0 && (isSimple || mayCut)) {
        parse(groupStart, groupEnd, disabled);
        groupStart = -1;
      }
      if (isSimple) writeWords(part.start, part.end);
      else {
        if (groupStart < 0) [groupStart, holdsFence] = [part.start, false];
        holdsFence ||= INNER_FENCE.test(source.masked.slice(part.start, part.end));
        groupEnd = part.end;
      }
    }
    if (groupStart >= 0) parse(groupStart, groupEnd, disabled);
  }

  function writeWords(start: number, end: number): void {
    writer.paragraph();
    source.write(writer, start, end);
    writer.paragraph();
  }

  function parse(start: number, end: number, disabled: readonly string[]): void {
    const text = source.masked.slice(start, end);
    // First, as code that nothing closes would run on into them.
    const defined = definitions.usedIn(text);
    const children = fromMarkdown(defined + text, options(disabled, text.includes("|"))).children;
    // Definitions that turn out to be none would be text twice.
    tree.write(
      children.filter((node) => startOf(node) >= defined.length),
      start - defined.length,
    );
  }
}

/** Columns before a line, beyond which it may be code: in a file with HTML, indentation follows the tags and says nothing about code. */
export function maxIndentOf({ hasTags }: MaskedSource): number {
  return hasTags ? Number.POSITIVE_INFINITY : 3;
}

function mayContinueList(masked: string, part: Segment): boolean {
  return MAY_CONTINUE_LIST.test(masked.slice(part.start, part.start + 12));
}

function options(disabled: readonly string[], hasTables: boolean): Options {
  return {
    extensions: [...(hasTables ? [gfmTable()] : []), gfmStrikethrough({ singleTilde: false }), { disable: { null: [...disabled] } }],
    mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown()],
  };
}

/** The link definitions of a file: a part may refer to one wherever it stands. */
function linkDefinitions(masked: string): { usedIn(text: string): string } {
  const definitions = new Map<string, string[]>();
  for (const [, line = "", label] of masked.includes("]:") ? masked.matchAll(DEFINITION) : []) {
    const key = labelKey(label ?? "");
    const lines = definitions.get(key);
    if (lines === undefined) definitions.set(key, [line]);
    else if (lines.length < SAME_LABEL) lines.push(line);
  }
  return {
    usedIn(text) {
      if (definitions.size === 0) return "";
      const labels = new Set([...text.matchAll(REFERENCE)].map(([, label]) => labelKey(label ?? "")));
      return [...labels]
        .flatMap((label) => definitions.get(label) ?? [])
        .map((line) => `${line}\n\n`)
        .join("");
    },
  };
}

function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, " ").toLowerCase();
}

/** A part of markdown between places where a block surely ends. */
interface Segment extends TextRange {
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
/** The line below the header of a table. */
const DELIMITER_ROW = /^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t\r]*$/;
const NO_ROW = /(?:^|\n)[ \t]*[^ \t|]/;
const ITEM_LINE = /^(?:[-+*]|\d{1,9}[.)])[ \t]/;
const CONTAINER = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;

/** The parts of `text[start, end)` between empty lines. Headings and closed fences end a part, fenced code stays in one. */
function segmentsOf(text: string, { start, end }: TextRange, maxIndent: number): Segment[] {
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
  if (isTable(text.slice(start, end))) return [{ start, end, kind: "markdown", isCut: false }];
  return cutLong(text, start, end).map((range, i) => {
    const part = text.slice(range.start, range.end);
    const isHostile = countDelimiters(part) > MAX_DELIMITERS || containerDepth(part) > MAX_CONTAINERS;
    return { ...range, kind: isHostile ? "hostile" : "markdown", isCut: i > 0 };
  });
}

/** Whether a part is one table, each line of which begins with a pipe: the parser's time grows with its length alone. */
function isTable(part: string): boolean {
  const [head = "", delimiter = ""] = part.split("\n", 2);
  const columnsOf = (line: string) => line.trim().replace(/\\./g, "").split("|").length;
  if (!DELIMITER_ROW.test(delimiter) || columnsOf(head) !== columnsOf(delimiter) || NO_ROW.test(part)) return false;
  return part.split("\n").every((line) => countDelimiters(line) <= MAX_DELIMITERS);
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
