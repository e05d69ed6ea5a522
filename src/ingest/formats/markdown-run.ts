import { fromMarkdown, type Options } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import type { TextRange } from "../../types.ts";
import type { BlockWriter } from "../block-writer.ts";
import { type Segment, segmentsOf } from "./markdown-segments.ts";
import { codePieces, createTreeWriter, type Sides, startOf } from "./markdown-tree.ts";
import type { MaskedSource } from "./masked-source.ts";
import { type PlainFile, type PlainItem, type PlainMarkdown, type PlainPiece, readPlainLine } from "./plain-markdown.ts";

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
const INLINE_SYNTAX = /[*_`[\]<&\\]/;
const BLANK_RUN = /^\s*$/;

/** Writes markdown from ranges of one source. */
export interface MarkdownWriter {
  /** `source[start, end)` as blocks; on a single line (a heading, a cell) only inline syntax counts. */
  write(start: number, end: number): void;
  /** A footnote with its sign: the lines of it that stand deeper are no code. */
  writeNote(note: TextRange): void;
}

export interface MarkdownOptions {
  /** Nothing takes the short way past the full parser; the result must be the same. @default false */
  readonly alwaysParse?: boolean | undefined;
  /** Definitions of footnotes, in order: no other block goes on over one. @default none */
  readonly notes?: readonly TextRange[];
  /** Those of them that are not written where they stand. @default none */
  readonly moved?: ReadonlySet<TextRange>;
}

/** How lines are read: in the file, and in its notes. */
interface Reading {
  readonly file: PlainFile;
  readonly blocks: Options;
}

export function createMarkdownWriter(
  source: MaskedSource,
  writer: BlockWriter,
  { alwaysParse = false, notes = [], moved = new Set() }: MarkdownOptions = {},
): MarkdownWriter {
  const inline = options([
    ...["blockQuote", "codeFenced", "codeIndented", "definition", "headingAtx", "htmlFlow", "list", "setextUnderline", "table"],
    "thematicBreak",
  ]);
  const hasDefinitions = source.masked.includes("]:");
  const inNotes: Reading = { file: { maxIndent: Number.POSITIVE_INFINITY, hasDefinitions }, blocks: options(["codeIndented"]) };
  const inFile = source.hasTags ? inNotes : { file: { maxIndent: maxIndentOf(source), hasDefinitions }, blocks: options([]) };
  const definitions = linkDefinitions(source.masked, hasDefinitions);
  const tree = createTreeWriter(source, writer);
  let nextNote = 0;
  return { write, writeNote: (note) => writeParts(note, inNotes) };

  function write(start: number, end: number): void {
    const text = source.masked.slice(start, end);
    if (BLANK_RUN.test(text)) return;
    if (writer.isSingleLine) {
      writeLine(start, end);
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

  function writeParts(range: TextRange, { file, blocks }: Reading): void {
    const parts = segmentsOf(source.masked, range, file);
    let groupStart = -1;
    let groupEnd = -1;
    // Code inside of an item may go on behind empty lines, and shows the tags of lines that are empty but for them.
    let holdsFence = false;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as Segment;
      const next = parts[i + 1];
      const opensBlock = part.isCut || !mayContinueList(source.masked, part);
      const isContinued =
        part.kind === "plain" && part.plain.items.length > 0 && next !== undefined && mayContinueList(source.masked, next);
      const isSimple =
        part.kind !== "markdown" &&
        !alwaysParse &&
        !isContinued &&
        (groupStart < 0 || (opensBlock && !holdsFence) || part.kind === "hostile");
      const length = groupEnd - groupStart;
      const mayCut =
        part.isCut || (opensBlock && length > GROUP_LENGTH) || (!/\s/.test(source.masked[part.start] ?? "") && length > LIST_GROUP_LENGTH);
      if (groupStart >= 0 && (isSimple || mayCut)) {
        parse(groupStart, groupEnd, blocks);
        groupStart = -1;
      }
      if (isSimple) {
        writeSimple({ source, writer }, part, writeLine);
      } else {
        if (groupStart < 0) [groupStart, holdsFence] = [part.start, false];
        holdsFence ||= INNER_FENCE.test(source.masked.slice(part.start, part.end));
        groupEnd = part.end;
      }
    }
    if (groupStart >= 0) parse(groupStart, groupEnd, blocks);
  }

  function writeLine(start: number, end: number): void {
    if (start === end) return;
    const text = source.masked.slice(start, end);
    const pieces = alwaysParse ? null : INLINE_SYNTAX.test(text) ? plainPieces(text, start) : [{ start, end }];
    if (pieces === null) parse(start, end, inline);
    else {
      // As the full parser has it: what a tag parts is two paragraphs.
      writer.paragraph();
      writePieces({ source, writer }, pieces);
      writer.paragraph();
    }
  }

  /** The full parser takes blanks away at both ends and reads each kind of line break. */
  function plainPieces(text: string, start: number): PlainPiece[] | null {
    if (/[\n\r]/.test(text)) return null;
    let [from, to] = [0, text.length];
    while (from < to && isBlank(text[from])) from++;
    while (to > from && isBlank(text[to - 1])) to--;
    return readPlainLine(source.masked, { start: start + from, end: start + to }, inFile.file);
  }

  function parse(start: number, end: number, parseOptions: Options): void {
    const text = source.masked.slice(start, end);
    // First, as code that nothing closes would run on into them.
    const defined = definitions.usedIn(text);
    const children = fromMarkdown(defined + text, parseOptions).children;
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

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

function mayContinueList(masked: string, part: Segment): boolean {
  return MAY_CONTINUE_LIST.test(masked.slice(part.start, part.start + 12));
}

/** Writes what needs no parser. @param writeLine writes a cell, which may need one */
function writeSimple({ source, writer }: Sides, part: Segment, writeLine: MarkdownWriter["write"]): void {
  if (part.kind === "heading") {
    writer.beginHeading(/#+/.exec(source.masked.slice(part.start, part.end))?.[0].length ?? 1);
    writePieces({ source, writer }, part.words);
    writer.end();
  } else if (part.kind === "plain") writePlain({ source, writer }, part.plain);
  else if (part.kind === "code") {
    const lines = source.masked.slice(part.start, part.end).split("\n").slice(1, -1);
    source.writeCode(writer, codePieces(source.masked, lines.join("\n"), part.start, part.end));
  } else if (part.kind === "table") {
    const table = writer.beginTable();
    for (const [index, row] of part.table.entries()) {
      writer.beginRow(table, index === 0);
      for (const cell of row) {
        writer.beginCell();
        writeLine(cell.start, cell.end);
      }
      writer.end();
    }
  } else if (part.kind !== "rule") {
    writer.paragraph();
    source.write(writer, part.start, part.end);
    writer.paragraph();
  }
}

function writePlain(sides: Sides, { paragraph, items }: PlainMarkdown): void {
  const { writer } = sides;
  writer.paragraph();
  writePieces(sides, paragraph);
  writer.paragraph();
  if (items.length === 0) return;
  writer.beginList();
  writeItems(sides, items);
  writer.endList();
}

function writeItems(sides: Sides, items: readonly PlainItem[]): void {
  const { writer } = sides;
  let depth = -1;
  const leave = (to: number) => {
    for (; depth > to; depth--) {
      writer.end();
      if (depth > 0) writer.endList();
    }
  };
  for (const item of items) {
    if (item.depth <= depth) {
      leave(item.depth);
      writer.end();
    } else if (item.depth > 0) writer.beginList();
    depth = item.depth;
    writer.beginItem();
    writePieces(sides, item.pieces);
  }
  leave(-1);
}

function writePieces({ source, writer }: Sides, pieces: readonly PlainPiece[]): void {
  for (const [i, { start, end, text, isBold = false, isCode = false }] of pieces.entries()) {
    if (isBold && pieces[i - 1]?.isBold !== true) writer.beginBold();
    if (!isBold && pieces[i - 1]?.isBold === true) writer.endBold();
    if (start === end) writer.lineBreak();
    else if (text !== undefined) writer.opaque(text, start, end);
    else source.write(writer, start, end, isCode);
  }
  if (pieces.at(-1)?.isBold === true) writer.endBold();
}

function options(disabled: readonly string[]): Options {
  return { extensions: [gfmTable(), { disable: { null: [...disabled] } }], mdastExtensions: [gfmTableFromMarkdown()] };
}

/** The link definitions of a file: a part may refer to one wherever it stands. */
function linkDefinitions(masked: string, hasDefinitions: boolean): { usedIn(text: string): string } {
  const definitions = new Map<string, string[]>();
  for (const [, line = "", label] of hasDefinitions ? masked.matchAll(DEFINITION) : []) {
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
