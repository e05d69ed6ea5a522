import { fromMarkdown, type Options } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import type { TextRange } from "../../shared/types.ts";
import { linesOf } from "../visible.ts";
import { createTreeWriter, type Sides, startOf } from "./markdown-tree.ts";
import type { MaskedSource } from "./masked-source.ts";

/** Maximum characters of segments that are parsed together, where a block begins; larger inside lists, which are cut only if needed. */
const GROUP_LENGTH = 1_000;
const LIST_GROUP_LENGTH = 8_000;

/** A link definition; it may be inside list items and quotes. */
const DEFINITION = /^ {0,3}(?:(?:[-+*]|\d{1,9}[.)]|>)[ \t]*)*(\[([^\]\n]{1,200})\]:[ \t]*\S.*)$/gm;
/** Maximum candidate definitions per label. The full parser decides which one is valid. */
const SAME_LABEL = 4;
const INNER_FENCE = /^[ \t]*(?:(?:[-+*]|\d{1,9}[.)]|>)[ \t]*)+(?:`{3}|~{3})/m;
const REFERENCE = /\[([^[\]\n]{1,200})\]/g;
const MAY_CONTINUE_LIST = /^(?:[ \t]|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;
const INLINE_SYNTAX = /[*_`~[\]<&\\\n\r]/;
const BLOCKS = [
  ...["blockQuote", "codeFenced", "codeIndented", "definition", "headingAtx", "htmlFlow", "list", "setextUnderline", "table"],
  "thematicBreak",
];
const BLANK_RUN = /^\s*$/;

/** The parser settings for a range of lines. */
interface Reading {
  /** Maximum columns before a line that cannot be indented code. */
  readonly maxIndent: number;
  /** Disabled markdown constructs, which are text here. */
  readonly disabled: readonly string[];
}

interface MarkdownNotes {
  /** Footnote definitions in order; each ends the block before it. */
  readonly notes: readonly TextRange[];
  /** The notes that are not written in place. */
  readonly moved: ReadonlySet<TextRange>;
}

/** Creates a writer of markdown from ranges of one source. */
export function createMarkdownWriter({ source, writer, leftOut }: Sides, { notes, moved }: MarkdownNotes) {
  const inNotes: Reading = { maxIndent: Number.POSITIVE_INFINITY, disabled: ["codeIndented"] };
  const inFile: Reading = source.hasTags ? inNotes : { maxIndent: maxIndentOf(source), disabled: [] };
  const definitions = linkDefinitions(source.masked);
  const writeNode = createTreeWriter({ source, writer, leftOut });
  let nextNote = 0;
  /** `writeNote` writes a footnote with its sign; indented lines in it are not code. */
  return { write, writeNote: (note: TextRange) => writeParts(note, inNotes) };

  /** Writes `source[start, end)` as blocks. In a heading or a cell, only inline syntax applies. */
  function write(start: number, end: number): void {
    const text = source.masked.slice(start, end);
    if (BLANK_RUN.test(text)) return;
    if (writer.isSingleLine) {
      // As in the full parser, a tag splits the text into two paragraphs.
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
    // A fence inside a list item may continue after empty lines and shows tags as text.
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
    // Definitions go first: an unclosed code fence would swallow them at the end.
    const defined = definitions.usedIn(text);
    const children = fromMarkdown(defined + text, options(disabled, text.includes("|"))).children;
    // A definition that the parser rejects would be text a second time.
    for (const node of children) if (startOf(node) >= defined.length) writeNode(node, start - defined.length);
  }
}

/** Returns the maximum columns before a line that cannot be code. In files with HTML, indentation follows the tags instead. */
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

/** Collects the link definitions of a file, since any segment may refer to them. */
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

/** A range of markdown between certain block boundaries. */
interface Segment extends TextRange {
  /** Cut out of a longer segment to keep parsing linear; always parsed alone. */
  readonly isCut: boolean;
  /** `words` is a paragraph without syntax; `hostile` is markdown that would take too long to parse. */
  readonly kind: "words" | "markdown" | "hostile";
}

/** Limits per segment. Parsing time is quadratic in containers and delimiters; beyond the limits, the text is kept unparsed. */
const MAX_CONTAINERS = 100;
const MAX_DELIMITERS = 2_000;
/** Parsing time is quadratic in lines. Longer segments are cut, at a list item or sentence if possible. */
const CUT_AFTER_LINES = 100;
const CUT_AT_LINES = 150;

/** The start of fenced code. No backtick may follow backticks on the same line. */
const FENCE = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING_LINE = /^#{1,6}[ \t]/;
/** Inline syntax, the start of another block, or a hard break. A paragraph without any is plain text. */
const SYNTAX = /^[ \t]|~~|[*_`[\]<&\\|]| {2}\r?\n|(?:^|\n)[ \t]*(?:[#>+\-=~:]|\d{1,9}[.)])/;
export const BLANK_LINE = /^[ \t\r]*$/;
/** The delimiter row below a table's header. */
const DELIMITER_ROW = /^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t\r]*$/;
const NO_ROW = /(?:^|\n)[ \t]*[^ \t|]/;
const ITEM_LINE = /^(?:[-+*]|\d{1,9}[.)])[ \t]/;
const CONTAINER = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;

/** Splits `text[start, end)` at empty lines, headings and the ends of closed fences. Fenced code stays whole. */
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

/** Returns the marks of the fence that is open after a line, given those before it; empty if none. */
export function fenceAfter(fence: string, line: string, maxIndent: number): string {
  const [, indent = "", marks = ""] = FENCE.exec(line) ?? [];
  // A deeper fence is code itself, or belongs to a list item.
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

/** Returns whether a segment is one pipe table, which parses in linear time. */
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

/** Returns the maximum nesting of lists and quotes that the lines can open, by markers and indentation. */
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
