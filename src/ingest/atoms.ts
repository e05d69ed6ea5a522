import type { Block, StoredDocument, TextRange, Unit } from "../shared/types.ts";
import type { TokenCounter } from "../text/cl100k.ts";
import { isInsidePair } from "../text/sentences.ts";

/**
 * Kind of boundary before an atom. `introduction`: after a colon; `word`: inside a sentence or other unit; `attached`: before a table or
 * footnote that belongs to the text above; `whole`: inside a table or quotation; `heading`: after a heading.
 */
export type Boundary = "section" | "block" | "list" | "row" | "sentence" | "introduction" | "word" | "attached" | "whole" | "heading";

/** A unit (e.g. a sentence or table row), or a piece of a long unit. Chunks and windows are sequences of atoms. */
export interface Atom extends TextRange {
  /**
   * Token count of the atom, including one space before it and the line breaks after it. So the counts of adjacent
   * atoms add up to nearly the count of their joint text.
   */
  readonly tokens: number;
  readonly boundary: Boundary;
}

type AtomSource = Pick<StoredDocument, "text" | "blocks" | "units">;

/**
 * Splits a document into atoms of at most `atomTokens` tokens. If a table, or a quotation with its attribution, has at
 * most `wholeTokens` tokens, the boundaries inside it become `whole`, where a cut is expensive.
 */
export function atomsOf(
  source: AtomSource,
  count: TokenCounter,
  limits: { readonly atomTokens: number; readonly wholeTokens: number },
): Atom[] {
  const { text, units } = source;
  const atoms: Atom[] = [];
  let whole = -1;
  for (const [i, unit] of units.entries()) {
    const previous = units[i - 1];
    const boundary = boundaryBetween(source, previous, unit);
    if (boundary === "attached" && unit.type === "paragraph") keepFromCall(atoms, callOf(source, unit));
    if (boundary !== "row" && !(whole >= 0 && belongsToQuotation(source, previous, unit))) {
      keepWhole(atoms, whole, limits.wholeTokens);
      whole = unit.type === "table-row" || unit.type === "quote" ? atoms.length : -1;
    }
    for (const part of splitRange(text, unit, { limit: limits.atomTokens, count })) {
      const isFirst = part.start === unit.start;
      atoms.push({ ...part, tokens: tokensWithSpace(text, part, count), boundary: isFirst ? boundary : "word" });
    }
  }
  keepWhole(atoms, whole, limits.wholeTokens);
  return atoms;
}

/** Matches the attribution of a quotation: a line that begins with a dash, e.g. "— Jane Austen". */
const ATTRIBUTION = /^[\u2013\u2014\u2015]{1,2}\s*\S|^--\s*\p{Lu}/u;
const MAX_ATTRIBUTION = 200;

/** Checks whether a unit belongs to the quotation before it: as further quoted text, or as its attribution. */
function belongsToQuotation({ text, blocks }: AtomSource, previous: Unit | undefined, unit: Unit): boolean {
  if (previous?.type !== "quote") return false;
  if (unit.type === "quote") return true;
  const block = blocks[unit.block];
  if (block === undefined || block.start !== unit.start || block.type !== "paragraph") return false;
  return block.end - block.start <= MAX_ATTRIBUTION && ATTRIBUTION.test(text.slice(block.start, block.end));
}

function boundaryBetween(source: AtomSource, previous: Unit | undefined, unit: Unit): Boundary {
  const { text, blocks } = source;
  if (previous === undefined) return "section";
  if (previous.type === "heading") return "heading";
  if (unit.type === "heading") return "section";
  if (previous.block === unit.block) return "sentence";
  const before = blocks[previous.block];
  const after = blocks[unit.block];
  const isTight = before !== undefined && after !== undefined && after.start - before.end === 1;
  if (isTight && previous.type === "table-row" && unit.type === "table-row") return "row";
  // A table stays with its caption or with the sentence before it.
  if (unit.type === "table-row" && previous.type === "paragraph") return "attached";
  if (callOf(source, unit) >= 0) return "attached";
  if (text[previous.end - 1] === ":") return "introduction";
  return isTight && unit.type === "list-item" ? "list" : "block";
}

/**
 * Matches the start of a footnote: its mark, a space and its text, e.g. "[3] See page 9" or "* Estimated". The parsers
 * of EPUB, PDF and DOCX write footnotes in this form, below the paragraph that cites them.
 */
const NOTE = /^(?:\[(\d{1,3}|\*{1,3}|[\u2020\u2021])\]|(\d{1,3}|\*{1,3}|[\u2020\u2021])) \S/;
/** Maximum number of footnotes below one paragraph. */
const MOST_NOTES = 20;

/**
 * If the unit begins a footnote, returns the offset of the mark that cites the footnote, e.g. of "[3]". The mark must
 * be in the nearest paragraph above that is not a footnote itself. Otherwise returns -1.
 */
function callOf({ text, blocks }: AtomSource, unit: Unit): number {
  const textOf = (block: Block | undefined) => (block?.type === "paragraph" ? text.slice(block.start, block.end) : "");
  const markOf = (block: Block | undefined) => {
    const [, bracketed, bare] = NOTE.exec(textOf(block).slice(0, 10)) ?? [];
    return bracketed === undefined ? bare : `[${bracketed}]`;
  };
  if (blocks[unit.block]?.start !== unit.start) return -1;
  const mark = markOf(blocks[unit.block]);
  if (mark === undefined) return -1;
  let caller = unit.block - 1;
  while (caller > 0 && unit.block - caller < MOST_NOTES && markOf(blocks[caller]) !== undefined) caller--;
  const called = textOf(blocks[caller]);
  // A bare number must be a separate word: "15" does not cite footnote 5.
  const at = /^\d/.test(mark) ? called.search(new RegExp(`(?<=\\s)${mark}(?=\\s|$)`)) : called.indexOf(mark);
  return at < 0 ? -1 : at + (blocks[caller]?.start ?? 0);
}

/** Makes cuts expensive between a footnote and the mark at offset `call` that cites it: sentence boundaries there become `attached`. */
function keepFromCall(atoms: Atom[], call: number): void {
  for (let k = atoms.length - 1; k > 0; k--) {
    const atom = atoms[k] as Atom;
    if (atom.start <= call) return;
    if (atom.boundary === "sentence") atoms[k] = { ...atom, boundary: "attached" };
  }
}

/** Makes cuts expensive inside a table or quotation that has at most `limit` tokens. It consists of the atoms from index `from` on. */
function keepWhole(atoms: Atom[], from: number, limit: number): void {
  if (from < 0) return;
  const inside = atoms.slice(from);
  if (inside.reduce((sum, atom) => sum + atom.tokens, 0) > limit) return;
  for (const [k, atom] of inside.entries()) if (k > 0) atoms[from + k] = { ...atom, boundary: "whole" };
}

/**
 * Counts the tokens of an atom, a space before it and the line breaks after it, because the cl100k tokenizer merges these with the text.
 */
function tokensWithSpace(text: string, { start, end }: TextRange, count: TokenCounter): number {
  const from = text[start - 1] === " " ? start - 1 : start;
  let to = end;
  while (text[to] === "\n") to++;
  return count({ start: from, end: to });
}

/**
 * Halves a range until each piece has at most `limit` tokens. Cuts at the white space nearest to the middle. If there
 * is none, cuts between two characters.
 */
function splitRange(text: string, range: TextRange, counted: { readonly limit: number; readonly count: TokenCounter }): TextRange[] {
  const { limit, count } = counted;
  const { start, end } = range;
  // A UTF-16 code unit takes at most three UTF-8 bytes, and a token at least one. So a range this short needs no count.
  if ((end - start) * 3 <= limit || end - start < 2) return [range];
  if (count(range) <= limit) return [range];
  const middle = start + ((end - start) >> 1);
  const between = isInsidePair(text, middle) ? middle + 1 : middle;
  const cut = nearestBlank(text, start, end, middle) ?? { end: between, start: between };
  if (cut.end >= end) return [range];
  return [...splitRange(text, { start, end: cut.end }, counted), ...splitRange(text, { start: cut.start, end }, counted)];
}

/** Finds the white space nearest to `middle`. The text before the white space ends at offset `end`; the text after it begins at `start`. */
function nearestBlank(text: string, start: number, end: number, middle: number): { start: number; end: number } | null {
  for (let distance = 0; distance < (end - start) >> 1; distance++) {
    for (const at of [middle - distance, middle + distance]) {
      if (!isBlank(text[at]) || at <= start || at >= end - 1) continue;
      let from = at;
      let to = at + 1;
      while (from > start && isBlank(text[from - 1])) from--;
      while (to < end && isBlank(text[to])) to++;
      if (from > start && to < end) return { end: from, start: to };
    }
  }
  return null;
}

function isBlank(char: string | undefined): boolean {
  return char === " " || char === "\n";
}
