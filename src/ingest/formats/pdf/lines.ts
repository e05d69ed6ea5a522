import { bottomOf, type PdfWord, rightOf } from "./words.ts";

/** Words beside each other that were written one after the other. */
export interface PdfLine {
  readonly words: readonly PdfWord[];
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly bottom: number;
  /** Of most of its letters. */
  readonly size: number;
  readonly isBold: boolean;
  /** Every letter of it is a typewriter's. */
  readonly isMono: boolean;
}

/** Wider white space inside one text operation parts columns, in parts of the letters' size: justified lines have up to two. */
const GAP_IN_RUN = 3;
/** The same between two operations. */
const GAP_BETWEEN_RUNS = 0.7;

export function toLine(words: readonly PdfWord[]): PdfLine {
  let [x, y, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [letters, bold] = [0, 0];
  let isMono = words.length > 0;
  for (const word of words) {
    x = Math.min(x, word.x);
    y = Math.min(y, word.y);
    right = Math.max(right, rightOf(word));
    bottom = Math.max(bottom, bottomOf(word));
    letters += word.text.length;
    if (word.isBold) bold += word.text.length;
    isMono &&= word.isMono;
  }
  return { words, x, y, right, bottom, size: mostUsedSize(words), isBold: bold > letters / 2, isMono };
}

/** The size of most letters: of equals, the first. */
function mostUsedSize(words: readonly PdfWord[]): number {
  const first = words[0]?.size ?? 0;
  if (words.every(({ size }) => size === first)) return first;
  const letters = new Map<number, number>();
  for (const { size, text } of words) letters.set(size, (letters.get(size) ?? 0) + text.length);
  const [size = 0] = [...letters].sort((a, b) => b[1] - a[1])[0] ?? [];
  return size;
}

/** What opens an item of a list: a sign, a number or a letter. */
export const BULLET = /^(?:[-–—•‣◦▪●○*·]|\(?(?:\d{1,3}|[a-zA-Z])[.)])$/;

/** Whether two boxes stand on one line. */
export function areLevel(a: { readonly y: number; readonly bottom: number }, b: { readonly y: number; readonly bottom: number }): boolean {
  const overlap = Math.min(a.bottom, b.bottom) - Math.max(a.y, b.y);
  return overlap > Math.min(a.bottom - a.y, b.bottom - b.y) / 2;
}

/** Words in the order of the file as stretches of lines: a jump, a step back or wide white space ends one. */
export function fragmentsOf(words: readonly PdfWord[]): PdfLine[] {
  const fragments: PdfLine[] = [];
  let open: PdfWord[] = [];
  for (const word of words) {
    const last = open.at(-1);
    if (last !== undefined && !follows(last, word)) {
      fragments.push(toLine(open));
      open = [];
    }
    open.push(word);
  }
  if (open.length > 0) fragments.push(toLine(open));
  return fragments;
}

/** A fragment stands level with one of so many strips above it, or with none. */
const NEAR_STRIPS = 3;

function follows(last: PdfWord, word: PdfWord): boolean {
  if (!areLevel({ y: last.y, bottom: bottomOf(last) }, { y: word.y, bottom: bottomOf(word) })) return false;
  const gap = word.x - rightOf(last);
  const size = Math.max(last.size, word.size);
  return gap > -size && gap < size * (last.run === word.run ? GAP_IN_RUN : GAP_BETWEEN_RUNS);
}

/** Fragments as lines from top to bottom, those on one line joined from left to right. */
export function linesOf(fragments: readonly PdfLine[]): PdfLine[] {
  return stripsOf(fragments).map(joinStrip);
}

/** Fragments of one strip as a line. */
export function joinStrip(strip: readonly PdfLine[]): PdfLine {
  const [only] = strip;
  if (only !== undefined && strip.length === 1) return only;
  return toLine([...strip].sort((a, b) => a.x - b.x).flatMap(({ words }) => words));
}

/** Fragments that stand level with the first of their strip, from top to bottom. */
export function stripsOf(fragments: readonly PdfLine[]): PdfLine[][] {
  const strips: { readonly anchor: PdfLine; readonly members: PdfLine[] }[] = [];
  for (const fragment of [...fragments].sort((a, b) => a.bottom - b.bottom || a.x - b.x)) {
    let strip: (typeof strips)[number] | undefined;
    for (let i = strips.length - 1; i >= Math.max(0, strips.length - NEAR_STRIPS) && strip === undefined; i--) {
      if (areLevel((strips[i] as (typeof strips)[number]).anchor, fragment)) strip = strips[i];
    }
    if (strip === undefined) strips.push({ anchor: fragment, members: [fragment] });
    else strip.members.push(fragment);
  }
  return strips.map(({ members }) => members);
}
