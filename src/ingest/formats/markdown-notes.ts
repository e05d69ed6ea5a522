import type { TextRange } from "../../types.ts";
import { maxIndentOf } from "./markdown-run.ts";
import { BLANK_LINE, fenceAfter, linesOf } from "./markdown-segments.ts";
import { COVER, type Mask, type MaskedSource, type Sign } from "./masked-source.ts";

/** What strikes text through, and what is passed over on the way: escapes, code and addresses. */
const MARK = new RegExp(
  [
    String.raw`\\[\s\S]|\`+|~+`,
    String.raw`<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>`,
    String.raw`\]\((?:<[^<>\n]*>|(?:[^\s()<\`]|\([^\s()\`]*\))*)(?=\)|[ \t]+["'(])`,
    String.raw`\b(?:https?:\/\/|www\.)[^\s<>\`]*[^\s<>\`?!.,:*_~'")]`,
  ].join("|"),
  "gi",
);
const MARK_LENGTH = 2;
/** What opens another block: nothing is struck from one into the next. */
const BLOCK_START = /^[ \t]*(?:[#>|]|(?:=+|-+)[ \t\r]*$|(?:[-+*]|\d{1,9}[.)])[ \t])/;

/** What parts the cells of a table. */
const BORDER = /(?<!\\)\|/;
/** The line below the header of a table. */
const DELIMITER_ROW = /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?\r?$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/** What stands before a line of a block inside of quotes. */
const QUOTED = /^[ \t>]*/;

/** What two tildes on either side strike through, as on GitHub, with its marks: within one block and one cell, not in code and addresses. Linear. */
export function findStruck(source: MaskedSource, from: number): TextRange[] {
  const { masked } = source;
  const found: TextRange[] = [];
  const spanAt = codeSpanFinder(masked);
  const maxIndent = maxIndentOf(source);
  let [fence, open, codeEnd, inTable] = ["", -1, 0, false];
  for (const line of linesOf(masked, from, masked.length)) {
    const wasFence = fence;
    fence = fenceAfter(fence, line.text, maxIndent);
    inTable = (inTable && !BLANK_LINE.test(line.text.replace(QUOTED, ""))) || headsTable(masked, line);
    if (wasFence !== "" || fence !== "" || inTable || BLANK_LINE.test(line.text) || BLOCK_START.test(line.text)) open = -1;
    if (wasFence !== "" || fence !== "") continue;
    for (const { 0: mark, index } of line.text.matchAll(MARK)) {
      const at = line.start + index;
      if (at < codeEnd) continue;
      if (mark.startsWith("`")) codeEnd = spanAt(at).end;
      if (!mark.startsWith("~") || mark.length !== MARK_LENGTH) continue;
      const end = index + MARK_LENGTH;
      const isRow = inTable || line.text.trimStart().startsWith("|");
      const isCell = isRow && BORDER.test(masked.slice(open, at));
      if (open >= 0 && !isCell && flanks(line.text, index - 1, end)) {
        found.push({ start: open, end: at + MARK_LENGTH });
        open = -1;
      } else if (flanks(line.text, end, index - 1)) open = at;
    }
  }
  return found;
}

/** CommonMark's rule for marks: what they enclose is no white space, and no punctuation unless such stands outside too. */
function flanks(line: string, inside: number, outside: number): boolean {
  const inner = line[inside] ?? " ";
  const outer = line[outside] ?? " ";
  if (/\s/.test(inner)) return false;
  return !PUNCTUATION.test(inner) || /\s/.test(outer) || PUNCTUATION.test(outer);
}

/** Whether the line below makes this one the header of a table. */
function headsTable(masked: string, { end, text }: TextRange & { readonly text: string }): boolean {
  if (!BORDER.test(text)) return false;
  const newline = masked.indexOf("\n", end + 1);
  const below = masked.slice(end + 1, newline < 0 ? masked.length : newline).replace(QUOTED, "");
  return DELIMITER_ROW.test(below);
}

/** Masks with what is struck through covered as a whole. */
export function withStruck(masks: readonly Mask[], struck: readonly TextRange[]): readonly Mask[] {
  if (struck.length === 0) return masks;
  const ends = new Map(struck.map(({ start, end }) => [start, end]));
  const all = [...masks, ...struck.map(({ start, end }): Mask => ({ start, end, effect: "struck", shown: "" }))];
  let covered = 0;
  return all
    .sort((a, b) => a.start - b.start)
    .filter((mask) => {
      const isOutside = mask.start >= covered;
      if (mask.effect === "struck") covered = ends.get(mask.start) ?? covered;
      return isOutside;
    });
}

/** What a footnote is called by, in `[^…]`: without white space, brackets, and tags within. */
const LABEL = `[^\\s[\\]${COVER}]{1,200}`;
const LEAD = new RegExp(`^ {0,3}(?=\\[\\^)(\\[\\^${LABEL}\\]:)`);
/** What is escaped calls nothing. */
const SIGN = new RegExp(`\\\\[\\s\\S]|\\[\\^(${LABEL})\\](:?)`, "g");
const IS_DEEPER = /^(?: {2}| ?\t)/;
/** What begins another block right behind the lines of a note, as it would behind those of an item. */
const OTHER_BLOCK = /^ ?(?:#{1,6}(?:[ \t\r]|$)|>|(?:[-+*]|1[.)])[ \t]|`{3}|~{3}|-{3,}[ \t\r]*$|[*_]{3,}[ \t\r]*$|={3,}[ \t\r]*$)/;

/**
 * The definitions of footnotes in `runs` of markdown, in order, each from its sign on: up to the empty line that no deeper line follows, the next definition or
 * another block. In code none begins. Linear.
 * @param maxIndent columns before a line, beyond which it may be code
 */
export function findNotes(masked: string, runs: readonly TextRange[], maxIndent: number): TextRange[] {
  return runs.flatMap((run) => (masked.slice(run.start, run.end).includes("[^") ? notesIn(masked, run, maxIndent) : []));
}

function notesIn(masked: string, run: TextRange, maxIndent: number): TextRange[] {
  const notes: TextRange[] = [];
  let note: { readonly start: number; readonly text: number; end: number } | null = null;
  let fence = "";
  let isBehindBlank = false;
  const close = (): void => {
    if (note !== null && /\S/.test(masked.slice(note.text, note.end))) notes.push({ start: note.start, end: note.end });
    note = null;
    fence = "";
  };
  for (const { start, end, text } of linesOf(masked, run.start, run.end)) {
    const isBlank = BLANK_LINE.test(text);
    const isOver = isBehindBlank || fence !== "" || OTHER_BLOCK.test(text);
    if (note !== null && !isBlank && !IS_DEEPER.test(text) && isOver) close();
    const [whole, lead = ""] = (fence === "" && LEAD.exec(text)) || [""];
    if (lead !== "") {
      close();
      note = { start: start + whole.length - lead.length, text: start + whole.length, end };
    } else {
      if (note !== null && !isBlank) note.end = end;
      fence = fenceAfter(fence, text, note === null ? maxIndent : Number.POSITIVE_INFINITY);
    }
    isBehindBlank = isBlank;
  }
  close();
  return notes;
}

/** The signs of footnotes from `from` on, in order. The first of several notes of one label is the one that is called. */
export function signsOf(masked: string, notes: readonly TextRange[], from: number): Sign[] {
  const leads = new Set(notes.map(({ start }) => start));
  const byLabel = new Map<string, TextRange>();
  for (const note of notes) {
    const label = masked.slice(note.start + 2, masked.indexOf("]", note.start)).toLowerCase();
    if (!byLabel.has(label)) byLabel.set(label, note);
  }
  const signs: Sign[] = [];
  SIGN.lastIndex = from;
  for (let match = SIGN.exec(masked); match !== null; match = SIGN.exec(masked)) {
    const [whole, label, colon = ""] = match;
    if (label === undefined) continue;
    const start = match.index;
    const end = start + whole.length;
    const note = byLabel.get(label.toLowerCase());
    if (leads.has(start)) signs.push({ start, end, effect: "lead" });
    else if (note !== undefined) signs.push({ start, end: end - colon.length, effect: "call", note });
    // To the full parser it might define a link, and be no text.
    else if (colon !== "") signs.push({ start, end, effect: "text" });
  }
  return signs;
}

/** Finds the end of the code span that a run of backticks opens, or of the run itself if nothing closes it in its paragraph. */
export function codeSpanFinder(source: string): (at: number) => { readonly end: number } {
  const blankLine = /\n[ \t\r]*\n/g;
  let paragraphEnd = -1;
  const closers = new Map<number, number[]>();
  return (at) => {
    if (at >= paragraphEnd) {
      blankLine.lastIndex = at;
      const paragraph = blankLine.exec(source)?.index ?? source.length;
      paragraphEnd = Math.max(paragraph, at + 1);
      closers.clear();
      const runs = /`+/g;
      const text = source.slice(at, paragraphEnd);
      for (const run of text.matchAll(runs)) {
        const found = closers.get(run[0].length);
        if (found === undefined) closers.set(run[0].length, [at + run.index]);
        else found.push(at + run.index);
      }
      for (const found of closers.values()) found.reverse();
    }
    let length = 1;
    while (source[at + length] === "`") length++;
    const candidates = closers.get(length) ?? [];
    while ((candidates.at(-1) ?? Number.POSITIVE_INFINITY) <= at) candidates.pop();
    const close = candidates.at(-1);
    return { end: close === undefined ? at + length : close + length };
  };
}
