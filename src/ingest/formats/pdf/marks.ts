import { BULLET, type PdfLine } from "./lines.ts";
import type { PdfBox } from "./words.ts";

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
