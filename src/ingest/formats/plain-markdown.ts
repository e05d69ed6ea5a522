import { decodeHTMLStrict } from "entities";
import type { TextRange } from "../../types.ts";

/** A range of the source that is shown as it is, or as `text`. One of no length is a hard line break. */
export interface PlainPiece extends TextRange {
  readonly text?: string;
  readonly isBold?: boolean;
  readonly isCode?: boolean;
}

/** What a part of plain markdown becomes: a paragraph first (maybe empty), then the items of one list and of those inside it. */
export interface PlainMarkdown {
  readonly paragraph: readonly PlainPiece[];
  readonly items: readonly PlainItem[];
  /** Holds more than plain words and one flat list: where the part is long or full of marks, the full parser is asked. */
  readonly isRich: boolean;
}

export interface PlainItem {
  /** 0: an item of the outermost list. */
  readonly depth: number;
  readonly pieces: readonly PlainPiece[];
}

const ITEM = /^([ \t]*)(?:([-*+])|(\d{1,9})([.)]))(?: {1,4}|\t)(?=\S)/;
/** What starts another block, or might, at the beginning of a line. Before a number that might, blanks may stand for a tag. */
const BLOCK_SYNTAX = /^(?:[ \t]*(?:[#>+\-=~|]|\*(?=[ \t\r]|$))|[ \t]+\d{1,9}[.)]|\d{1,9}[.)](?=[ \t\r]|$))/;
const TEXT = /(?:[^*_`[\]<&\\|!\n]|!(?!\[)|&(?!#?\w{1,32};))+/y;
/** A character by its name. Those by their numbers are left to the full parser: some are no characters. */
const ENTITY = /&[A-Za-z][A-Za-z0-9]{1,31};/y;
/** Underscores inside a word mark nothing. */
const INNER_UNDERSCORES = /(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])/y;
/** Code between two lone backticks, without blanks at its ends. */
const CODE = /(?<!`)`([^`\s](?:[^`\n]*[^`\s])?)`(?!`)/y;
/** Brackets that no address follows are themselves where the file defines no links. */
const BRACKET = /(?<!!)\[|\](?!\()/y;
const LINK = /\[([^[\]\n<\\]+)\]\([ \t]*[^\s()<>\\]*[ \t]*\)/y;
const STRONG = /(\*{1,2})([^*\s](?:[^*\n]*[^*\s])?)\1(?!\*)/y;
/** Two blanks or more at the end of a line; a tab among them breaks nothing. */
const HARD_BREAK = /[^ \t] {2,}$/;
/** What underscores mark, without any mark that might reach beyond it. */
const UNDERLINED = /(_{1,2})([^*_\s](?:[^*_\n]*[^*_\s])?)\1(?!_)/y;
/** A number with a stop: the mark of an item only before a blank. */
const NUMBER_MARK = /^\d{1,9}[.)]/;
/** What a mark encloses without any mark in it. */
const BARE = /^[^*_`[\]<&\\|!]*$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** What is known of the file in which a part stands. */
export interface PlainFile {
  /** A line with more columns of white space before it may be code. */
  readonly maxIndent: number;
  /** Whether a bracket may name a link that is defined elsewhere. */
  readonly hasDefinitions: boolean;
}

/** Lists in each other; what is deeper is left to the full parser. */
const MAX_DEPTH = 20;

/** A list that is open where a line begins. */
interface OpenList {
  readonly blanks: string;
  readonly mark: string;
  /** Column from which on a line belongs to the item; -1: unknown, for want of a width of tabs. */
  readonly content: number;
}

/**
 * Reads a part of markdown that consists of plain lines, lists, bold and emphasised words, code within a line and plain links, which is
 * most of what people write. `null` for anything else: then the full parser, which would give the same for these, is asked. It takes
 * a tenth of the full parser's time.
 */
export function readPlainMarkdown(text: string, { start, end }: TextRange, { maxIndent, hasDefinitions }: PlainFile): PlainMarkdown | null {
  const paragraph: PlainPiece[] = [];
  const items: { readonly depth: number; readonly pieces: PlainPiece[] }[] = [];
  const open: OpenList[] = [];
  const found = { hasDefinitions, isRich: false };
  /** A line ends in white space, which the full parser takes away from the text: what follows comes from another place then. */
  let hasSpaceAtEnd = false;
  for (let lineStart = start; lineStart < end; ) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 || newline >= end ? end : newline;
    const line = text.slice(lineStart, lineEnd);
    const item = ITEM.exec(line);
    const indent = indentOf(line);
    const content = item === null ? line : line.slice(item[0].length);
    const isBroken = lineEnd < end && HARD_BREAK.test(line);
    if (lineEnd < end && !isBroken && /(?: {2}|\\)\r?$/.test(line.slice(-3))) return null;
    if (lineEnd < end && !isBroken && /[ \t\r]$/.test(line)) hasSpaceAtEnd = true;
    if (item !== null) {
      // Behind a paragraph only a list from 1 on is one.
      if (open.length === 0 && item[3] !== undefined && paragraph.length > 0 && item[3] !== "1") return null;
      if ((open.length === 0 && indent > maxIndent) || BLOCK_SYNTAX.test(content) || !enterItem(open, item)) return null;
      if (open.length > 1) found.isRich = true;
      items.push({ depth: open.length - 1, pieces: [] });
    } else if (BLOCK_SYNTAX.test(line) || (lineStart === start && indent > maxIndent)) return null;
    const into = items.at(-1)?.pieces ?? paragraph;
    if (!readInline(content, lineEnd - content.length, into, found)) return null;
    if (isBroken || NUMBER_MARK.test(content)) found.isRich = true;
    if (lineEnd < end) into.push({ start: lineEnd, end: isBroken ? lineEnd : lineEnd + 1 });
    lineStart = lineEnd + 1;
  }
  return found.isRich && hasSpaceAtEnd ? null : { paragraph, items, isRich: found.isRich };
}

/** Opens or goes on with the list that an item belongs to, by the column of its mark; `false` where the grammar has more to say. */
function enterItem(open: OpenList[], [whole, blanks = "", bullet, number = "", delimiter = ""]: RegExpExecArray): boolean {
  const mark = bullet ?? delimiter;
  const indent = blanks.length;
  const hasTabs = whole.includes("\t");
  const last = open.at(-1);
  if (last !== undefined && blanks !== last.blanks && indent > last.blanks.length) {
    if (hasTabs || last.content < 0 || indent < last.content || indent > last.content + 3 || open.length > MAX_DEPTH) return false;
    // Behind the words of an item, as behind a paragraph.
    if (number !== "" && number !== "1") return false;
  } else {
    while (open.length > 0 && open.at(-1)?.blanks !== blanks) open.pop();
    const list = open.pop();
    if (last !== undefined && list?.mark !== mark) return false;
  }
  open.push({ blanks, mark, content: hasTabs ? -1 : whole.length });
  return true;
}

/** What a line of inline syntax shows, such as the words of a heading; `null` if it needs the full parser. */
export function readPlainLine(text: string, { start, end }: TextRange, { hasDefinitions }: PlainFile): PlainPiece[] | null {
  const into: PlainPiece[] = [];
  return readInline(text.slice(start, end), start, into, { hasDefinitions, isRich: false }) ? into : null;
}

/** The rows of a table as the ranges of their cells, the header first. Cells may still hold inline syntax. */
export type PlainTable = readonly (readonly TextRange[])[];

/** The line below the header of a table. */
export const DELIMITER_ROW = /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?\r?$/;

/** Reads a part that is one pipe table, each line of which begins and ends with a pipe; `null` for anything else. */
export function readPlainTable(text: string, { start, end }: TextRange, { maxIndent }: PlainFile): PlainTable | null {
  const rows: TextRange[][] = [];
  let isHeaderDone = false;
  for (let lineStart = start; lineStart < end; ) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 || newline >= end ? end : newline;
    const line = text.slice(lineStart, lineEnd);
    const trimmed = line.trim();
    if (indentOf(line) > maxIndent) return null;
    if (!trimmed.startsWith("|") || !trimmed.endsWith("|") || trimmed.length < 2 || /\\\|$/.test(trimmed)) return null;
    if (rows.length === 1 && !isHeaderDone) {
      if (!DELIMITER_ROW.test(line) || cellsOf(line, lineStart).length !== rows[0]?.length) return null;
      isHeaderDone = true;
    } else {
      rows.push(cellsOf(line, lineStart));
    }
    lineStart = lineEnd + 1;
  }
  return isHeaderDone ? rows : null;
}

/** Columns of white space before the text, a tab as at most four. */
function indentOf(line: string): number {
  const blanks = /^[ \t]*/.exec(line)?.[0] ?? "";
  return blanks.replaceAll("\t", "    ").length;
}

/** The ranges between unescaped pipes, without blanks around. */
function cellsOf(line: string, base: number): TextRange[] {
  const cells: TextRange[] = [];
  let from = line.indexOf("|") + 1;
  for (let at = from; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === "|") {
      const content = line.slice(from, at);
      const start = base + from + content.length - content.trimStart().length;
      cells.push({ start, end: Math.max(start, base + from + content.trimEnd().length) });
      from = at + 1;
    }
  }
  return cells;
}

/** Appends what a line that begins at `base` shows; `false` if it needs the full parser. */
function readInline(line: string, base: number, into: PlainPiece[], found: { readonly hasDefinitions: boolean; isRich: boolean }): boolean {
  for (let at = 0; at < line.length; ) {
    const plain = match(TEXT, line, at) ?? match(INNER_UNDERSCORES, line, at);
    if (plain !== null) {
      into.push({ start: base + at, end: base + at + plain[0].length });
      at += plain[0].length;
      continue;
    }
    const link = match(LINK, line, at);
    if (link !== null) {
      if (!readInner(link[1] ?? "", base + at + 1, into, found)) return false;
      at += link[0].length;
      continue;
    }
    const entity = match(ENTITY, line, at)?.[0] ?? "";
    const decoded = decodeHTMLStrict(entity);
    if (decoded !== entity) {
      found.isRich = true;
      into.push({ start: base + at, end: base + at + entity.length, text: decoded });
      at += entity.length;
      continue;
    }
    const code = match(CODE, line, at);
    if (code !== null) {
      into.push({ start: base + at + 1, end: base + at + code[0].length - 1, isCode: true });
      at += code[0].length;
      continue;
    }
    if (!found.hasDefinitions && match(BRACKET, line, at) !== null) {
      into.push({ start: base + at, end: base + at + 1 });
      at++;
      continue;
    }
    const underlined = match(UNDERLINED, line, at);
    const marked = underlined ?? match(STRONG, line, at);
    const marks = marked?.[1]?.length ?? 0;
    const stop = at + (marked?.[0].length ?? 0);
    if (marked === null || !flanks(line, at + marks, at - 1) || !flanks(line, stop - marks - 1, stop)) return false;
    if (underlined !== null) {
      if (!partsWords(line[at - 1]) || !partsWords(line[stop])) return false;
      found.isRich = true;
    }
    const inner: PlainPiece[] = [];
    if (!readInner(marked[2] ?? "", base + at + marks, inner, found)) return false;
    for (const piece of inner) into.push(marks === 2 ? { ...piece, isBold: true } : piece);
    at = stop;
  }
  return true;
}

/** What a link or a mark encloses. A bracket without its other half may be one of a link that reaches beyond. */
function readInner(inner: string, base: number, into: PlainPiece[], found: { isRich: boolean }): boolean {
  if (BARE.test(inner)) {
    into.push({ start: base, end: base + inner.length });
    return true;
  }
  found.isRich = true;
  return readInline(inner, base, into, { hasDefinitions: true, isRich: true });
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Underscores mark no part of a word. */
function partsWords(outer = " "): boolean {
  return /\s/.test(outer) || PUNCTUATION.test(outer);
}

/** CommonMark's rule for asterisks: what they mark is no white space, and no punctuation unless such stands outside too. */
export function flanks(line: string, inside: number, outside: number): boolean {
  const inner = line[inside] ?? " ";
  const outer = line[outside] ?? " ";
  if (/\s/.test(inner)) return false;
  return !PUNCTUATION.test(inner) || /\s/.test(outer) || PUNCTUATION.test(outer);
}
