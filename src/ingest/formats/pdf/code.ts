import { joinStrip, type PdfLine, stripsOf } from "./lines.ts";
import type { PdfPage, PdfWord } from "./words.ts";

/** Share of monospaced letters above which the whole document is monospaced, so that they do not indicate code. */
const TYPEWRITTEN_SHARE = 0.9;
/** Minimum vertical overlap of fragments side by side, as a share of their height. */
const BESIDE = 0.2;
/** Maximum distance of lines in a table cell, as a share of their height. */
const NEAR = 0.9;
/** Tolerance for white space in code, which is a whole number of letters wide, as a share of a letter. */
const LETTER_PART = 0.12;
/** Maximum distance of consecutive code lines, as a multiple of the usual distance. */
const NEXT_LINE = 1.2;
/** Maximum line breaks within a code block, and the tolerance for whole line distances. Larger gaps separate two blocks. */
const MAX_BREAKS = 3;
const LINE_PART = 0.12;
/** Maximum lines of code within a sentence. */
const INLINE_LINES = 3;

/** A run of full-width lines whose letters suggest code. */
export interface CodeArea {
  readonly lines: readonly PdfLine[];
  readonly fragments: readonly PdfLine[];
}

/** Lines of a code block with the number of line breaks before each; 0 before the rest of a wrapped line. */
export interface CodeLines {
  readonly lines: readonly PdfLine[];
  readonly breaks: readonly number[];
}

export function isTypewritten(pages: readonly PdfPage[]): boolean {
  let [letters, mono] = [0, 0];
  for (const { words } of pages) {
    for (const { text, isMono } of words) {
      letters += text.length;
      if (isMono) mono += text.length;
    }
  }
  return mono > letters * TYPEWRITTEN_SHARE;
}

function baselineOf({ words, bottom }: PdfLine): number {
  return words[0]?.baseline ?? bottom;
}

/** Returns the width of one letter, in points. */
export function advanceOf({ words }: PdfLine): number {
  const longest = words.reduce<PdfWord | undefined>((a, b) => (a !== undefined && a.text.length >= b.text.length ? a : b), undefined);
  return longest === undefined ? 0 : longest.width / longest.text.length;
}

/** Returns runs of full-width monospaced lines. Their indents and inner white space must not count as column gaps. */
export function codeAreasOf(fragments: readonly PdfLine[]): CodeArea[] {
  if (!fragments.some(({ isMono }) => isMono)) return [];
  const strips = stripsOf(fragments);
  const areas: CodeArea[] = [];
  for (let from = 0; from < strips.length; from++) {
    let to = from;
    while (to < strips.length && strips[to]?.every(({ isMono }) => isMono)) to++;
    if (to === from) continue;
    const area = strips.slice(from, to);
    const isInTable = isInRow(area[0], strips[from - 1]) || isInRow(area.at(-1), strips[to]);
    if (!isInTable) areas.push({ lines: area.map(joinStrip), fragments: area.flat() });
    from = to;
  }
  return areas;
}

/** Returns whether a strip is as close to another strip as cells of a table row are. */
function isInRow(strip: readonly PdfLine[] = [], other: readonly PdfLine[] = []): boolean {
  if (other.length === 0) return false;
  return strip.some((one) =>
    other.some((two) => {
      const overlap = Math.min(one.bottom, two.bottom) - Math.max(one.y, two.y);
      const height = one.bottom - one.y;
      const isBeside = one.x > two.right || two.x > one.right;
      return other.length > 1 ? overlap > -height * NEAR : isBeside && overlap > height * BESIDE;
    }),
  );
}

/** The text around code. */
export interface AroundCode {
  /** Right edge of the text lines, in points. */
  readonly right: number;
  /** Distance of the text lines, in points. */
  readonly pitch: number;
  readonly canBeCode: (line: PdfLine) => boolean;
}

/** Returns the code blocks of a column by their first line. */
export function codeOf(lines: readonly PdfLine[], around: AroundCode): Map<PdfLine, CodeLines> {
  const pieces = new Map<PdfLine, CodeLines>();
  const pitch = codePitch(lines, around);
  for (let at = 0; at < lines.length; at++) {
    if (!around.canBeCode(lines[at] as PdfLine)) continue;
    const breaks = [0];
    for (let end = at + 1; end < lines.length && around.canBeCode(lines[end] as PdfLine); end++) {
      const between = breaksBetween(lines[end - 1] as PdfLine, lines[end] as PdfLine, { first: lines[at] as PdfLine, pitch });
      if (between === null) break;
      breaks.push(between);
    }
    const piece = lines.slice(at, at + breaks.length);
    if (!piece.every(isAllBold) && !isInSentence(piece, lines[at - 1], lines[at + piece.length], around)) {
      pieces.set(piece[0] as PdfLine, { lines: piece, breaks });
    }
    at += piece.length - 1;
  }
  return pieces;
}

/** Returns the number of line breaks between two lines, or `null` if they belong to different blocks. */
function breaksBetween(last: PdfLine, line: PdfLine, { first, pitch }: { readonly first: PdfLine; readonly pitch: number }): number | null {
  const step = (baselineOf(line) - baselineOf(last)) / pitch;
  if (step <= 0) return null;
  // Typed indents are whole letters wide. Another indent marks the rest of a wrapped line.
  const indent = (line.x - first.x) / advanceOf(line);
  if (indent > 0 && step <= NEXT_LINE && Math.abs(indent - Math.round(indent)) > LETTER_PART) return 0;
  if (step <= NEXT_LINE) return 1;
  // A separate heading may be monospaced and bold.
  return isAllBold(last) || isAllBold(line) ? null : wholeLines(step);
}

function isAllBold({ words }: PdfLine): boolean {
  return words.every(({ isBold }) => isBold);
}

/** Returns the code line distance: the candidate (of the text, or measured) that divides the most gaps into whole lines. */
function codePitch(lines: readonly PdfLine[], { canBeCode, pitch }: AroundCode): number {
  const steps = lines.flatMap((line, i) => {
    const last = lines[i - 1];
    return last !== undefined && canBeCode(last) && canBeCode(line) ? [baselineOf(line) - baselineOf(last)] : [];
  });
  const size = lines.find(canBeCode)?.size ?? 0;
  let [best, most] = [pitch, -1];
  for (const distance of new Set(
    [pitch, ...steps.filter((step) => step > size && step < size * 2)].map((step) => Math.round(step * 10) / 10),
  )) {
    const fitting = steps.filter((step) => step > 0 && wholeLines(step / distance) !== null).length;
    if (fitting > most) [best, most] = [distance, fitting];
  }
  return best;
}

/** Returns the gap in whole lines; `null` if it is no whole number or too large. */
function wholeLines(step: number): number | null {
  const whole = Math.round(step);
  return whole > 0 && whole <= MAX_BREAKS && Math.abs(step - whole) < LINE_PART ? whole : null;
}

/** Returns whether lines are inline code: the sentence before or after continues without room for another word. */
function isInSentence(
  piece: readonly PdfLine[],
  before: PdfLine | undefined,
  after: PdfLine | undefined,
  { right, pitch }: AroundCode,
): boolean {
  const [first, last] = [piece[0] as PdfLine, piece.at(-1) as PdfLine];
  const runsOn = (a: PdfLine, b: PdfLine) =>
    baselineOf(b) - baselineOf(a) < pitch * NEXT_LINE &&
    baselineOf(b) > baselineOf(a) &&
    right - a.right < (b.words[0]?.width ?? 0) + a.size;
  if (piece.length > INLINE_LINES) return false;
  return (before !== undefined && runsOn(before, first)) || (after !== undefined && runsOn(last, after));
}
