import type { DocumentMetadata, TextRange } from "../../types.ts";
import { BlockWriter } from "../block-writer.ts";
import { readLooseFrontMatter } from "./front-matter.ts";
import { type FormatResult, titleOf } from "./parsed.ts";
import { type TableCell, writeTable } from "./table.ts";

/** A line of a text whose structure is told line by line. */
export interface MarkupLine extends TextRange {
  /** Without the white space around it. */
  readonly text: string;
  /** White space before it, in characters. */
  readonly indent: number;
  readonly kind: "text" | "empty" | "heading" | "code" | "code-gap" | "table";
  /** Of headings. */
  readonly level?: number;
  /** What is written in the place of a line of the kind `table`. */
  readonly table?: MarkupTable;
}

/** A table of a text whose structure is told line by line. */
export interface MarkupTable {
  readonly rows: readonly (readonly TableCell[])[];
  readonly hasHeader: boolean;
}

/** A note that stands apart from what calls it. */
export interface LineNote {
  readonly sign: TextRange;
  /** Its sign as readers see it. */
  readonly shown: string;
  /** Its lines without its sign. */
  readonly lines: readonly MarkupLine[];
}

/** The notes of a text and what calls them, both in order. */
export interface LineNotes {
  readonly notes: readonly LineNote[];
  readonly calls: readonly (TextRange & { readonly note: LineNote })[];
  /** Those that something else than a note calls. */
  readonly called: ReadonlySet<LineNote>;
}

const NO_NOTES: LineNotes = { notes: [], calls: [], called: new Set() };

const ITEM = /^(?:[-*•+]|\.{1,5}|\*{2,5}|\(?(?:\d{1,3}|[a-zA-Z#])[.)])[ \t]+(?=\S)/;

/** The lines of `source` from `from` on. */
function linesOf(source: string, from: number): MarkupLine[] {
  const lines: MarkupLine[] = [];
  for (const match of source.slice(from).matchAll(/[^\n]*(?:\n|$)/g)) {
    const at = from + match.index;
    const raw = match[0].replace(/[\r\n]+$/, "");
    const text = raw.replace(/^\ufeff/, "").trim();
    const indent = text === "" ? 0 : raw.length - raw.trimStart().length;
    lines.push({
      start: at + indent,
      end: at + raw.trimEnd().length,
      text,
      indent,
      kind: text === "" ? "empty" : "text",
    });
    if (at + match[0].length >= source.length) break;
  }
  return lines;
}

/** Writes classified lines: paragraphs are runs of text lines, items begin at their mark, code keeps its lines. */
function writeMarkupText(writer: BlockWriter, source: string, lines: readonly MarkupLine[], words: WriteWords): void {
  let inList = false;
  let inItem = false;
  const endItem = () => {
    if (inItem) writer.end();
    inItem = false;
  };
  const endList = () => {
    endItem();
    if (inList) writer.endList();
    inList = false;
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as MarkupLine;
    if (line.kind === "empty" || line.kind === "code-gap") {
      endItem();
      writer.paragraph();
      continue;
    }
    if (line.table !== undefined) {
      endList();
      writeTable(writer, line.table.rows, { hasHeader: line.table.hasHeader, onCell: () => {} });
    } else if (line.kind === "heading") {
      endList();
      writer.beginHeading(line.level ?? 1);
      words(line.start, line.end);
      writer.end();
    } else if (line.kind === "code") {
      endList();
      const last = lastOfCode(lines, i);
      writer.code([{ start: line.start - line.indent, end: (lines[last] as MarkupLine).end }]);
      i = last;
    } else {
      const mark = ITEM.exec(line.text)?.[0];
      if (mark !== undefined) {
        endItem();
        if (!inList) writer.beginList();
        inList = true;
        writer.beginItem();
        inItem = true;
        words(line.start + (/^[-*•+.]/.test(mark) ? mark.length : 0), withBreak(source, line.end));
      } else {
        if (!inItem) endList();
        words(line.start, withBreak(source, line.end));
      }
    }
  }
  endList();
}

/** Writes a range of the source as running text. */
type WriteWords = (start: number, end: number) => void;

/**
 * Writes text with the signs of its notes as readers see them, and each note behind the paragraph, list or table that calls it first. What no text calls
 * stays where it stands.
 */
function writeWithNotes(writer: BlockWriter, source: string, lines: readonly MarkupLine[], { notes, calls, called }: LineNotes): void {
  const written = new Set<LineNote>();
  const words: WriteWords = (start, end) => {
    let at = start;
    for (let i = firstFrom(calls, start); i < calls.length; i++) {
      const call = calls[i];
      if (call === undefined || call.end > end) break;
      const { note } = call;
      writer.text(at, call.start);
      writer.opaque(note.shown, call.start, call.end);
      at = call.end;
      if (!called.has(note) || written.has(note)) continue;
      written.add(note);
      writer.writeBehind(() => writeNote(note));
    }
    writer.text(at, end);
  };
  const writeNote = ({ sign, shown, lines: own }: LineNote) => {
    writer.paragraph();
    writer.opaque(`${shown} `, sign.start, sign.end);
    writeMarkupText(writer, source, own, words);
    writer.paragraph();
  };
  let from = 0;
  for (const note of notes) {
    if (called.has(note)) continue;
    const to = firstFrom(lines, note.sign.start);
    writeMarkupText(writer, source, lines.slice(from, to), words);
    writeNote(note);
    from = to;
  }
  writeMarkupText(writer, source, lines.slice(from), words);
}

/** Index of the first range that begins at an offset or behind it. */
function firstFrom(ranges: readonly TextRange[], offset: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The line break after a line is the blank between it and the next. */
function withBreak(source: string, end: number): number {
  return Math.min(source.length, end + 1);
}

function lastOfCode(lines: readonly MarkupLine[], from: number): number {
  let last = from;
  for (let i = from; i < lines.length && (lines[i]?.kind === "code" || lines[i]?.kind === "code-gap"); i++)
    if (lines[i]?.kind === "code") last = i;
  return last;
}

/** `:name: value` lines of the head of a document, and the lines of `lines` that are none of its text. */
export interface DocumentHead {
  readonly fields: ReadonlyMap<string, string>;
  readonly lines: ReadonlySet<MarkupLine>;
}

const FIELD = /^:([\w-][\w -]*):(?:[ \t]+(.*))?$/;

/** The fields from line `from` on up to the first line that is neither a field, nor more of one, nor empty before the first. */
export function readFields(lines: readonly MarkupLine[], from: number): DocumentHead {
  const fields = new Map<string, string>();
  const taken = new Set<MarkupLine>();
  let last = "";
  for (const line of lines.slice(from)) {
    const [, name, value = ""] = line.indent === 0 ? (FIELD.exec(line.text) ?? []) : [];
    if (name !== undefined) {
      last = name.toLowerCase();
      fields.set(last, value.trim());
    } else if (line.text !== "" && line.indent > 0 && last !== "") fields.set(last, `${fields.get(last)} ${line.text}`.trim());
    else if (line.text !== "" || last !== "") break;
    taken.add(line);
  }
  return { fields, lines: taken };
}

/** What the fields of a head say of the document, over what its front matter says. */
function metadataOfFields(fields: DocumentHead["fields"], front: DocumentMetadata): DocumentMetadata {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(fields.get("date") ?? fields.get("revdate") ?? "")?.[0];
  return {
    ...front,
    description: front.description ?? (fields.get("description") || fields.get("abstract") || null),
    asOf: front.asOf ?? day ?? null,
  };
}

/** How a format of lines tells what is what. */
export interface LineMarkup {
  /** What stands above the text and says something of the document. */
  readonly headOf: (lines: readonly MarkupLine[]) => DocumentHead;
  /** Which lines are headings, code or nothing. */
  readonly classify: (lines: readonly MarkupLine[]) => MarkupLine[];
  /** Notes that stand apart from what calls them. @default none */
  readonly notesOf?: (lines: readonly MarkupLine[]) => LineNotes;
}

/** A document whose structure is told line by line: its head is metadata, the rest text. `name` is the last resort for a title. */
export function parseLineMarkup(source: string, name: string, { headOf, classify, notesOf = () => NO_NOTES }: LineMarkup): FormatResult {
  const front = readLooseFrontMatter(source);
  const writer = new BlockWriter(source);
  const lines = linesOf(source, front.bodyStart);
  const head = headOf(lines);
  const shown = lines.map((line): MarkupLine => (head.lines.has(line) ? { ...line, text: "", kind: "empty" } : line));
  writeWithNotes(writer, source, classify(shown), notesOf(shown));
  const written = writer.finish();
  return {
    ...written,
    metadata: { ...metadataOfFields(head.fields, front.metadata), title: front.title ?? titleOf(written) ?? name },
    access: front.access,
    tenant: front.tenant,
  };
}
