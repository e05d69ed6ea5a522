import { boundsOf, lettersOf, type PdfBox, type PdfWord } from "./words.ts";

/** Maximum distance between a drawn dot and the text of its item, as a multiple of the letter size. */
const DOT_GAP = 2;
/** Maximum difference between line starts that count as equal, as a multiple of the letter size. */
export const SAME_START = 0.3;
/** Minimum indent of a paragraph's first line, as a multiple of the letter size. */
export const INDENT = 0.8;
/** Maximum difference between letter sizes that count as equal, in points. */
export const SAME_SIZE = 0.6;
/** Minimum hanging indent of items, as a multiple of the letter size. */
const HUNG = 0.8;
/** Matches marks that begin a list item. A bullet is removed from the text of the item; a number stays. */
export const ITEM_MARK = /^(?:[-–—•‣◦▪●○*·]|\d{1,3}[.)])$/;
/** Matches the end of a sentence. */
export const ENDED = /[.!?:;]["”)\]]*$/;

export function markOf({ words }: PdfLine): string | null {
  const mark = words[0]?.text ?? "";
  return words.length > 1 && BULLET.test(mark) ? mark : null;
}

export function hasDot({ x, y, bottom, size }: PdfLine, dots: readonly PdfBox[]): boolean {
  return dots.some((dot) => {
    const middle = (dot.y + dot.bottom) / 2;
    return dot.right <= x && x - dot.right < size * DOT_GAP && middle > y && middle < bottom && dot.bottom - dot.y < size * 0.7;
  });
}

/**
 * Checks whether a line is full: the first word of the next line would not have fitted on this line.
 * @param right right edge to which lines may extend, in points
 */
export function isFull(last: PdfLine, line: PdfLine, right: number): boolean {
  const [first] = line.words;
  return right - last.right <= (first === undefined ? 0 : first.right - first.x) + line.size;
}

/**
 * Checks whether a line begins at the hanging indent of an item.
 * @param start start of the item's text
 * @param left left edge of the column
 */
export function isHung({ x, size }: PdfLine, start: number, left: number): boolean {
  return start - left > size * HUNG && Math.abs(x - start) < size * SAME_START;
}

/**
 * Returns the x coordinate at which the continuation lines of a block start. This is the start of its last line. If the
 * block has only one line, it is the start of the text after the mark.
 */
export function textStart(block: readonly PdfLine[], isMarked: boolean): number {
  const [first] = block;
  if (block.length > 1 || first === undefined) return block.at(-1)?.x ?? 0;
  return (isMarked && markOf(first) !== null ? first.words[1]?.x : first.x) ?? 0;
}

/**
 * Checks whether a line begins with a mark only by chance, such as "3)" after a line that ends with "(see Fig.". A real item begins at
 * another indent than the text before it. It may also begin directly below the mark of the item before it, with the next mark of the list.
 * If the text of the item before begins at the same position, it must also end with a sentence.
 * @param shift how far the column of `line` is to the right of the block's column, in points
 */
export function isMarkInText(
  line: PdfLine,
  block: readonly PdfLine[],
  { isMarked, shift = 0 }: { isMarked: boolean; shift?: number },
): boolean {
  const [first, last] = [block[0], block.at(-1)];
  if (first === undefined || last === undefined) return false;
  const start = line.x - shift;
  const near = line.size * SAME_START;
  const isAtText = Math.abs(start - textStart(block, isMarked)) < near;
  const isIndented = block.length === 1 && !isMarked && start < first.x;
  const isAtMark = isMarked && Math.abs(start - first.x) < near;
  if (!isAtText && !isIndented && !isAtMark) return false;
  const isEnded = ENDED.test(last.words.at(-1)?.text ?? "");
  return !(isAtMark && (isEnded || !isAtText) && isNextMark(markOf(first), markOf(line)));
}

/** Returns whether a mark is the next of its list: "2." after "1.", "(c)" after "(b)", "•" after "•". */
function isNextMark(before: string | null, mark: string | null): boolean {
  if (before === null || mark === null) return false;
  if (before.replace(/[\p{L}\p{N}]+/u, "") !== mark.replace(/[\p{L}\p{N}]+/u, "")) return false;
  const [a, b] = [before, mark].map((one) => /[\p{L}\p{N}]+/u.exec(one)?.[0] ?? "") as [string, string];
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) return Number(b) === Number(a) + 1;
  return a === b ? a === "" : a.charCodeAt(0) + 1 === b.charCodeAt(0);
}

/** A run of words on one line. */
export interface PdfLine extends PdfBox {
  readonly words: readonly PdfWord[];
  /** Letter size of most of the letters, in points. */
  readonly size: number;
  readonly isBold: boolean;
  /** True if all letters are monospaced. */
  readonly isMono: boolean;
}

/** Minimum gap between columns within one text operation, as a multiple of the letter size. In justified lines, gaps reach 2. */
const GAP_IN_RUN = 3;
/** Minimum gap between columns across two text operations, as a multiple of the letter size. */
const GAP_BETWEEN_RUNS = 0.7;

export function toLine(words: readonly PdfWord[]): PdfLine {
  const [bold, letters] = [lettersOf(words.filter(({ isBold }) => isBold)), lettersOf(words)];
  const isMono = words.length > 0 && words.every((word) => word.isMono);
  return { ...boundsOf(words), words, size: mostUsed(words, ({ size }) => size) ?? 0, isBold: bold > letters / 2, isMono };
}

/** Returns the number, such as the size, that most letters have. Of equally frequent numbers, returns the one that occurs first. */
export function mostUsed(words: readonly PdfWord[], numberOf: (word: PdfWord) => number): number | undefined {
  const letters = new Map<number, number>();
  for (const word of words) letters.set(numberOf(word), (letters.get(numberOf(word)) ?? 0) + word.text.length);
  return [...letters].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Matches the mark of a list item: a bullet, a number or a letter. */
export const BULLET = /^(?:[-–—•‣◦▪●○*·]|\(?(?:\d{1,3}|[a-zA-Z])[.)])$/;

/** Checks whether two boxes are on the same line: they overlap vertically by more than half of the smaller height. */
export function areLevel(a: { readonly y: number; readonly bottom: number }, b: { readonly y: number; readonly bottom: number }): boolean {
  const overlap = Math.min(a.bottom, b.bottom) - Math.max(a.y, b.y);
  return overlap > Math.min(a.bottom - a.y, b.bottom - b.y) / 2;
}

/** Groups words in file order into fragments of lines. A fragment ends at a change of line, a step to the left, or wide white space. */
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

/** Maximum number of strips (fragments on one line) with which `stripsOf` compares a fragment: the nearest above it. */
const NEAR_STRIPS = 3;

function follows(last: PdfWord, word: PdfWord): boolean {
  if (!areLevel(last, word)) return false;
  const gap = word.x - last.right;
  const size = Math.max(last.size, word.size);
  return gap > -size && gap < size * (last.run === word.run ? GAP_IN_RUN : GAP_BETWEEN_RUNS);
}

/** Joins fragments into lines, from top to bottom and left to right. */
export function linesOf(fragments: readonly PdfLine[]): PdfLine[] {
  return stripsOf(fragments).map(joinStrip);
}

export function joinStrip(strip: readonly PdfLine[]): PdfLine {
  const [only] = strip;
  if (only !== undefined && strip.length === 1) return only;
  return toLine([...strip].sort((a, b) => a.x - b.x).flatMap(({ words }) => words));
}

/**
 * Groups fragments into horizontal strips, from top to bottom. A strip contains the fragments that are on the same line
 * as its first fragment.
 */
export function stripsOf(fragments: readonly PdfLine[]): PdfLine[][] {
  const strips: PdfLine[][] = [];
  for (const fragment of [...fragments].sort((a, b) => a.bottom - b.bottom || a.x - b.x)) {
    const strip = strips.slice(-NEAR_STRIPS).findLast(([first]) => first !== undefined && areLevel(first, fragment));
    if (strip === undefined) strips.push([fragment]);
    else strip.push(fragment);
  }
  return strips;
}
