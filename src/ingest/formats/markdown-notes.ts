import type { TextRange } from "../../shared/types.ts";
import { linesOf } from "../visible.ts";
import { COVER, type MaskedSource, type Sign } from "./masked-source.ts";

/** Pattern of the label of a footnote in `[^…]`. A label contains no white space, brackets or tags. */
const LABEL = `[^\\s[\\]${COVER}]{1,200}`;
const LEAD = new RegExp(`^ {0,3}(?=\\[\\^)(\\[\\^${LABEL}\\]:)`);
/** Matches a footnote sign such as `[^1]`. Escapes are matched first, so that an escaped sign is ignored. */
const SIGN = new RegExp(`\\\\[\\s\\S]|\\[\\^(${LABEL})\\](:?)`, "g");
const BLANK_LINE = /^[ \t\r]*$/;
/** Matches the line that starts fenced code. No backtick may follow on this line after a fence of backticks. */
const FENCE = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})/;
const IS_DEEPER = /^(?: {2}| ?\t)/;
/** Matches the start of another block, e.g. a heading or list, directly below a footnote. */
const OTHER_BLOCK = /^ ?(?:#{1,6}(?:[ \t\r]|$)|>|(?:[-+*]|1[.)])[ \t]|`{3}|~{3}|-{3,}[ \t\r]*$|[*_]{3,}[ \t\r]*$|={3,}[ \t\r]*$)/;

/**
 * Finds the footnote definitions in the ranges `runs` of Markdown, in order. A definition extends to the next definition, to another block,
 * or to an empty line that no indented line follows. Definitions in code are ignored. Linear time.
 * @param maxIndent maximum number of columns before a code fence
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

/** Returns the footnote signs, e.g. `[^1]`, from offset `from` on, in order. A label of several notes refers to the first of them. */
export function signsOf(masked: string, notes: readonly TextRange[], from: number): Sign[] {
  const leads = new Set(notes.map(({ start }) => start));
  const byLabel = new Map<string, TextRange>();
  for (const note of notes) {
    const label = masked.slice(note.start + 2, masked.indexOf("]", note.start)).toLowerCase();
    if (!byLabel.has(label)) byLabel.set(label, note);
  }
  const signs: Sign[] = [];
  for (const match of masked.slice(from).matchAll(SIGN)) {
    const [whole, label, colon = ""] = match;
    if (label === undefined) continue;
    const start = from + match.index;
    const end = start + whole.length;
    const note = byLabel.get(label.toLowerCase());
    if (leads.has(start)) signs.push({ start, end, effect: "lead" });
    else if (note !== undefined) signs.push({ start, end: end - colon.length, effect: "call", note });
    // A sign without a note, e.g. `[^a]:`, is text. The parser might take it for a link definition and drop it.
    else if (colon !== "") signs.push({ start, end, effect: "text" });
  }
  return signs;
}

/**
 * Creates a function that takes the offset of a run of backticks and returns the end of the code span that it opens. If
 * nothing in the paragraph closes the span, it returns the end of the run.
 */
export function codeSpanFinder(source: string): (at: number) => { readonly end: number } {
  const blankLine = /\n[ \t\r]*\n/g;
  let paragraphEnd = -1;
  /** Runs of backticks of the paragraph, from the last to the first, by length. */
  let closers = new Map<number, { readonly at: number }[]>();
  return (at) => {
    if (at >= paragraphEnd) {
      blankLine.lastIndex = at;
      const paragraph = blankLine.exec(source)?.index ?? source.length;
      paragraphEnd = Math.max(paragraph, at + 1);
      const runs = [...source.slice(at, paragraphEnd).matchAll(/`+/g)].reverse();
      closers = Map.groupBy(
        runs.map((run) => ({ at: at + run.index, length: run[0].length })),
        ({ length }) => length,
      );
    }
    let length = 1;
    while (source[at + length] === "`") length++;
    const candidates = closers.get(length) ?? [];
    while ((candidates.at(-1)?.at ?? Number.POSITIVE_INFINITY) <= at) candidates.pop();
    return { end: (candidates.at(-1)?.at ?? at) + length };
  };
}

/**
 * Returns the maximum indentation, in columns, of a line that is not indented code. In files with HTML, indentation
 * follows the nesting of tags and never means code.
 */
export function maxIndentOf({ hasTags }: MaskedSource): number {
  return hasTags ? Number.POSITIVE_INFINITY : 3;
}

/**
 * Returns the opening marks, e.g. `~~~`, of the code fence that is open after `line`; empty if none is open.
 * @param fence marks of the fence that is open before the line
 */
export function fenceAfter(fence: string, line: string, maxIndent: number): string {
  const [, indent = "", marks = ""] = FENCE.exec(line) ?? [];
  // Fence marks indented by more than `maxIndent` belong to an indented code block or a list item, so they neither open
  // nor close a fence.
  if (indent.length > maxIndent || (indent.includes("\t") && maxIndent < 4)) return fence;
  if (fence === "") return marks;
  return marks.startsWith(fence) && line.trim() === marks ? "" : fence;
}
