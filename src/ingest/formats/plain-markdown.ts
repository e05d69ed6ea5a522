import type { TextRange } from "../../types.ts";

/** What a part of plain markdown becomes: a paragraph first (maybe empty), then the items of one list. */
export interface PlainMarkdown {
  readonly paragraph: readonly TextRange[];
  readonly items: readonly (readonly TextRange[])[];
}

const ITEM = /^([ \t]*)([-*+])[ \t]{1,3}(?=\S)/;
/** What starts another block, or might, at the beginning of a line. */
const BLOCK_SYNTAX = /^[ \t]*(?:[#>+\-=~|]|\*(?=[ \t\r]|$)|\d{1,9}[.)])/;
const TEXT = /(?:[^*_`[\]<&\\|!\n]|!(?!\[)|&(?!#?\w{1,32};))+/y;
const LINK = /\[((?:[^*_`[\]<&\\|!\n]|!(?!\[)|&(?!#?\w{1,32};))+)\]\([ \t]*[^\s()<>\\]*[ \t]*\)/y;
const STRONG = /(\*{1,2})([^*_`[\]<&\\|\s](?:[^*_`[\]<&\\|\n]*[^*_`[\]<&\\|\s])?)\1(?!\*)/y;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/**
 * Reads a part of markdown that consists of plain lines, one flat list of bullets, bold and emphasised words and plain links, which is
 * most of what people write. `null` for anything else: then the full parser, which would give the same for these, is asked. It takes
 * a tenth of the full parser's time.
 */
export function readPlainMarkdown(text: string, start: number, end: number, maxIndent: number): PlainMarkdown | null {
  const paragraph: TextRange[] = [];
  const items: TextRange[][] = [];
  let mark = "";
  for (let lineStart = start; lineStart < end; ) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 || newline >= end ? end : newline;
    const line = text.slice(lineStart, lineEnd);
    const item = ITEM.exec(line);
    const indent = line.length - line.trimStart().length;
    if (lineEnd < end && /(?: {2}|\\)\r?$/.test(line)) return null;
    if (item !== null) {
      const found = `${item[1]}${item[2]}`;
      if (indent > maxIndent || (mark !== "" && found !== mark) || BLOCK_SYNTAX.test(line.slice(item[0].length))) return null;
      mark = found;
      items.push([]);
    } else if (BLOCK_SYNTAX.test(line) || (lineStart === start && indent > maxIndent)) return null;
    const contentStart = lineStart + (item?.[0].length ?? 0);
    const into = items.at(-1) ?? paragraph;
    if (!readInline(text, contentStart, lineEnd, into)) return null;
    if (lineEnd < end) into.push({ start: lineEnd, end: lineEnd + 1 });
    lineStart = lineEnd + 1;
  }
  return { paragraph, items };
}

/** Appends the visible ranges of a line; `false` if it needs the full parser. */
function readInline(text: string, start: number, end: number, into: TextRange[]): boolean {
  for (let at = start; at < end; ) {
    const plain = match(TEXT, text, at, end);
    if (plain !== null) {
      into.push({ start: at, end: at + plain[0].length });
      at += plain[0].length;
      continue;
    }
    const link = match(LINK, text, at, end);
    if (link !== null) {
      into.push({ start: at + 1, end: at + 1 + (link[1]?.length ?? 0) });
      at += link[0].length;
      continue;
    }
    const strong = match(STRONG, text, at, end);
    const marks = strong?.[1]?.length ?? 0;
    const stop = at + (strong?.[0].length ?? 0);
    if (strong === null || !flanks(text, at + marks, at - 1, start) || !flanks(text, stop - marks - 1, stop, start, end)) return false;
    into.push({ start: at + marks, end: stop - marks });
    at = stop;
  }
  return true;
}

function match(pattern: RegExp, text: string, at: number, end: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (found === null || pattern.lastIndex <= end) return found;
  return null;
}

/** CommonMark's rule for asterisks: what they mark is no white space, and no punctuation unless such stands outside too. */
function flanks(text: string, inside: number, outside: number, start: number, end = text.length): boolean {
  const inner = charAt(text, inside);
  const outer = outside < start || outside >= end ? " " : charAt(text, outside);
  if (/\s/.test(inner)) return false;
  return !PUNCTUATION.test(inner) || /\s/.test(outer) || PUNCTUATION.test(outer);
}

/** The whole character at or around an offset. */
function charAt(text: string, offset: number): string {
  const code = text.charCodeAt(offset);
  const from = code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset;
  return String.fromCodePoint(text.codePointAt(from) ?? 32);
}
