import { bottomOf, type PdfBox, type PdfWord, rightOf } from "./words.ts";

/** A drawn dot stands this far before its item at most, in parts of the letters' size. */
const DOT_GAP = 2;
/** Lines that begin as near to each other as this, in parts of the letters' size, begin at the same place. */
export const SAME_START = 0.3;
/** First lines of paragraphs are indented by this, in parts of the letters' size. */
export const INDENT = 0.8;
/** Letters whose sizes differ by more, in points, are those of another text. */
export const SAME_SIZE = 0.6;
/** Text of items stands this far to the right of other text, in parts of the letters' size. */
const HUNG = 0.8;
/** A mark that a list's item loses, as its text goes without it. */
export const ITEM_MARK = /^(?:[-–—•‣◦▪●○*·]|\d{1,3}[.)])$/;
/** How a sentence ends. */
export const ENDED = /[.!?:;]["”)\]]*$/;

export function endsInFigure({ words }: PdfLine): boolean {
  return /\d%?$/.test(words.at(-1)?.text ?? "");
}

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

/** Whether the first word of a line would not have had room on the line before, which ends at `right` at the latest. */
export function isFull(last: PdfLine, line: PdfLine, right: number): boolean {
  return right - last.right <= (line.words[0]?.width ?? 0) + line.size;
}

/** Whether a line begins where the lines of an item go on, and other text does not. */
export function isHung({ x, size }: PdfLine, start: number, left: number): boolean {
  return start - left > size * HUNG && Math.abs(x - start) < size * SAME_START;
}

/** Where the lines of a block go on: behind the mark of its first, or below its last. */
export function textStart(block: readonly PdfLine[], isMarked: boolean): number {
  const [first] = block;
  if (block.length > 1 || first === undefined) return block.at(-1)?.x ?? 0;
  return (isMarked && markOf(first) !== null ? first.words[1]?.x : first.x) ?? 0;
}

/**
 * Whether a line that fills its column goes on in one that begins with a mark by chance: "(see Fig." and "3)". Items of a list begin elsewhere than the
 * text before them goes on; where they do not, a mark opens one only as the next of its list, behind the end of a sentence.
 * @param shift how far the column of `line` stands to the right of the block's
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
  if (!ENDED.test(last.words.at(-1)?.text ?? "")) return !(isAtMark && !isAtText && isNextMark(markOf(first), markOf(line)));
  const [before, mark] = [isMarked ? markOf(first) : null, markOf(line)];
  const opens = isAtMark ? isNextMark(before, mark) : !isMarked && isFirstOrdinal(mark) && (last.words.at(-1)?.text ?? "").endsWith(":");
  return !opens;
}

function isFirstOrdinal(mark: string | null): boolean {
  return mark !== null && /^\(?(?:1|[aAiI])[.)]$/.test(mark);
}

/** "2." behind "1.", "(c)" behind "(b)", "•" behind "•". */
function isNextMark(before: string | null, mark: string | null): boolean {
  if (before === null || mark === null) return false;
  if (before.replace(/[\p{L}\p{N}]+/u, "") !== mark.replace(/[\p{L}\p{N}]+/u, "")) return false;
  const [a, b] = [before, mark].map((one) => /[\p{L}\p{N}]+/u.exec(one)?.[0] ?? "") as [string, string];
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) return Number(b) === Number(a) + 1;
  return a === b ? a === "" : a.charCodeAt(0) + 1 === b.charCodeAt(0);
}

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
