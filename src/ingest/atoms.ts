import { isInsidePair } from "../text/sentences.ts";
import type { TokenCounter } from "../text/token-counter.ts";
import type { Block, TextRange, Unit } from "../types.ts";

/** What a cut before an atom would divide, from best to worst place. */
export type Boundary = "section" | "block" | "list" | "row" | "sentence" | "introduction" | "word" | "whole-table" | "heading";

/** A unit, or a part of a long one: what chunks and windows are made of. */
export interface Atom extends TextRange {
  /** Tokens with the white space that tokenises with it, so that sums hold for slices. */
  readonly tokens: number;
  readonly boundary: Boundary;
}

interface AtomSource {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly units: readonly Unit[];
}

/** The units of a document in order with their tokens by `count`, those of more than `atomTokens` in parts. Tables of up to `wholeTableTokens` stay whole. */
export function atomsOf(
  source: AtomSource,
  count: TokenCounter,
  limits: { readonly atomTokens: number; readonly wholeTableTokens: number },
): Atom[] {
  const { text, blocks, units } = source;
  const atoms: Atom[] = [];
  let tableStart = -1;
  for (const [i, unit] of units.entries()) {
    const boundary = boundaryBetween(text, blocks, units[i - 1], unit);
    if (boundary !== "row") {
      keepWhole(atoms, tableStart, limits.wholeTableTokens);
      tableStart = unit.type === "table-row" ? atoms.length : -1;
    }
    for (const part of splitRange(text, unit, { limit: limits.atomTokens, count })) {
      const isFirst = part.start === unit.start;
      atoms.push({ ...part, tokens: tokensWithSpace(text, part, count), boundary: isFirst ? boundary : "word" });
    }
  }
  keepWhole(atoms, tableStart, limits.wholeTableTokens);
  return atoms;
}

function boundaryBetween(text: string, blocks: readonly Block[], previous: Unit | undefined, unit: Unit): Boundary {
  if (previous === undefined) return "section";
  if (previous.type === "heading") return "heading";
  if (unit.type === "heading") return "section";
  if (previous.block === unit.block) return "sentence";
  const before = blocks[previous.block];
  const after = blocks[unit.block];
  const isTight = before !== undefined && after !== undefined && after.start - before.end === 1;
  if (isTight && previous.type === "table-row" && unit.type === "table-row") return "row";
  if (text[previous.end - 1] === ":") return "introduction";
  return isTight && unit.type === "list-item" ? "list" : "block";
}

/** Marks the cuts inside the table that begins at atom `from` and ends with the last atom, if it is small enough. */
function keepWhole(atoms: Atom[], from: number, limit: number): void {
  if (from < 0) return;
  const rows = atoms.slice(from);
  if (rows.reduce((sum, atom) => sum + atom.tokens, 0) > limit) return;
  for (const [k, atom] of rows.entries()) {
    if (k > 0) atoms[from + k] = { ...atom, boundary: "whole-table" };
  }
}

/** A blank goes with the word after it, line breaks with what stands before them: so does the encoding. */
function tokensWithSpace(text: string, { start, end }: TextRange, count: TokenCounter): number {
  const from = text[start - 1] === " " ? start - 1 : start;
  let to = end;
  while (text[to] === "\n") to++;
  return count({ start: from, end: to });
}

/** Halves a range until no part has more than `limit` tokens: at the blank nearest to the middle, else at a whole character. */
function splitRange(text: string, range: TextRange, counted: { readonly limit: number; readonly count: TokenCounter }): TextRange[] {
  const { limit, count } = counted;
  const { start, end } = range;
  // A token has at least one UTF-8 byte, and a code unit at most three.
  if ((end - start) * 3 <= limit || end - start < 2) return [range];
  if (count(range) <= limit) return [range];
  const middle = start + ((end - start) >> 1);
  const cut = nearestBlank(text, start, end, middle) ?? { end: middle, start: middle };
  if (cut.start === cut.end && isInsidePair(text, cut.end)) {
    cut.end++;
    cut.start++;
    if (cut.end >= end) return [range];
  }
  return [...splitRange(text, { start, end: cut.end }, counted), ...splitRange(text, { start: cut.start, end }, counted)];
}

/** The white space nearest to `middle`: where it begins and where it ends. */
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
