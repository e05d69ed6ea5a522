import { fromMarkdown, type Options } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import type { TextRange } from "../../types.ts";
import type { BlockWriter } from "../block-writer.ts";
import { type Segment, segmentsOf } from "./markdown-segments.ts";
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
