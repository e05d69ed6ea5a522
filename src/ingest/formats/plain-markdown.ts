import type { TextRange } from "../../types.ts";

/** What a part of plain markdown becomes: a paragraph first (maybe empty), then the items of one list. */
export interface PlainMarkdown {
  readonly paragraph: readonly TextRange[];
  readonly items: readonly (readonly TextRange[])[];
}

const ITEM = /^([ \t]*)(?:([-*+])|(\d{1,9})([.)]))(?: {1,4}|\t)(?=\S)/;
/** What starts another block, or might, at the beginning of a line. */
const BLOCK_SYNTAX = /^[ \t]*(?:[#>+\-=~|]|\*(?=[ \t\r]|$)|\d{1,9}[.)])/;
const TEXT = /(?:[^*_`[\]<&\\|!\n]|!(?!\[)|&(?!#?\w{1,32};))+/y;
/** Underscores inside a word mark nothing. */
const INNER_UNDERSCORES = /(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])/y;
/** Code between two lone backticks, without blanks at its ends. */
const CODE = /(?<!`)`([^`\s](?:[^`\n]*[^`\s])?)`(?!`)/y;
/** Brackets that no address follows are themselves where the file defines no links. */
const BRACKET = /(?<!!)\[|\](?!\()/y;
const LINK = /\[((?:[^*_`[\]<&\\|!\n]|!(?!\[)|&(?!#?\w{1,32};))+)\]\([ \t]*[^\s()<>\\]*[ \t]*\)/y;
const STRONG = /(\*{1,2})([^*_`[\]<&\\|\s](?:[^*_`[\]<&\\|\n]*[^*_`[\]<&\\|\s])?)\1(?!\*)/y;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** What is known of the file in which a part stands. */
export interface PlainFile {
  /** A line with more columns of white space before it may be code. */
  readonly maxIndent: number;
  /** Whether a bracket may name a link that is defined elsewhere. */
  readonly hasDefinitions: boolean;
}

/**
 * Reads a part of markdown that consists of plain lines, one flat list, bold and emphasised words, code within a line and plain links, which is
 * most of what people write. `null` for anything else: then the full parser, which would give the same for these, is asked. It takes
 * a tenth of the full parser's time.
 */
export function readPlainMarkdown(text: string, { start, end }: TextRange, { maxIndent, hasDefinitions }: PlainFile): PlainMarkdown | null {
  const paragraph: TextRange[] = [];
  const items: TextRange[][] = [];
  let mark = "";
  for (let lineStart = start; lineStart < end; ) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 || newline >= end ? end : newline;
    const line = text.slice(lineStart, lineEnd);
    const item = ITEM.exec(line);
    const indent = indentOf(line);
    const content = item === null ? line : line.slice(item[0].length);
    if (lineEnd < end && /(?: {2}|\\)\r?$/.test(line.slice(-3))) return null;
    if (item !== null) {
      const [, blanks, bullet, number, delimiter] = item;
      const found = `${blanks}${bullet ?? delimiter}`;
      // Behind a paragraph only a list from 1 on is one.
      if (number !== undefined && mark === "" && paragraph.length > 0 && number !== "1") return null;
      if (indent > maxIndent || (mark !== "" && found !== mark) || BLOCK_SYNTAX.test(content)) return null;
      mark = found;
      items.push([]);
    } else if (BLOCK_SYNTAX.test(line) || (lineStart === start && indent > maxIndent)) return null;
    const into = items.at(-1) ?? paragraph;
    if (!readInline(content, lineEnd - content.length, { into, hasDefinitions })) return null;
    if (lineEnd < end) into.push({ start: lineEnd, end: lineEnd + 1 });
    lineStart = lineEnd + 1;
  }
  return { paragraph, items };
}

/** The rows of a table as the ranges of their cells, the header first. Cells may still hold inline syntax. */
export type PlainTable = readonly (readonly TextRange[])[];

const DELIMITER_ROW = /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?\r?$/;

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

/** Appends the visible ranges of a line that begins at `base`; `false` if it needs the full parser. */
function readInline(
  line: string,
  base: number,
  { into, hasDefinitions }: { readonly into: TextRange[]; readonly hasDefinitions: boolean },
): boolean {
  for (let at = 0; at < line.length; ) {
    const plain = match(TEXT, line, at) ?? match(INNER_UNDERSCORES, line, at);
    if (plain !== null) {
      into.push({ start: base + at, end: base + at + plain[0].length });
      at += plain[0].length;
      continue;
    }
    const link = match(LINK, line, at);
    if (link !== null) {
      into.push({ start: base + at + 1, end: base + at + 1 + (link[1]?.length ?? 0) });
      at += link[0].length;
      continue;
    }
    const code = match(CODE, line, at);
    if (code !== null) {
      into.push({ start: base + at + 1, end: base + at + code[0].length - 1 });
      at += code[0].length;
      continue;
    }
    if (!hasDefinitions && match(BRACKET, line, at) !== null) {
      into.push({ start: base + at, end: base + at + 1 });
      at++;
      continue;
    }
    const strong = match(STRONG, line, at);
    const marks = strong?.[1]?.length ?? 0;
    const stop = at + (strong?.[0].length ?? 0);
    if (strong === null || !flanks(line, at + marks, at - 1) || !flanks(line, stop - marks - 1, stop)) return false;
    into.push({ start: base + at + marks, end: base + stop - marks });
    at = stop;
  }
  return true;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** CommonMark's rule for asterisks: what they mark is no white space, and no punctuation unless such stands outside too. */
function flanks(line: string, inside: number, outside: number): boolean {
  const inner = line[inside] ?? " ";
  const outer = line[outside] ?? " ";
  if (/\s/.test(inner)) return false;
  return !PUNCTUATION.test(inner) || /\s/.test(outer) || PUNCTUATION.test(outer);
}
