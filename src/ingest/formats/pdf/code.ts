import { joinStrip, type PdfLine, stripsOf } from "./lines.ts";
import { type PdfPage, type PdfWord, rightOf } from "./words.ts";

/** Share of typewriter's letters from which they are those of the whole document, and say nothing of code. */
const TYPEWRITTEN_SHARE = 0.9;
/** Fragments that share this part of their height stand beside each other. */
const BESIDE = 0.2;
/** Lines of a cell are no further apart than this, in parts of their height. */
const NEAR = 0.9;
/** White space within code is whole letters wide, but for this part of one. */
const LETTER_PART = 0.12;
/** Lines of code this far apart, in parts of their usual distance, have nothing between them. */
const NEXT_LINE = 1.2;
/** Line breaks within a piece of code: with more, or with white space that is no whole lines, two pieces are parted. */
const MAX_BREAKS = 3;
const LINE_PART = 0.12;
/** Code within a sentence may fill so many lines. */
const INLINE_LINES = 3;

/** Lines of a page with nothing beside them that are code, as far as their letters tell. */
export interface CodeArea {
  readonly lines: readonly PdfLine[];
  readonly fragments: readonly PdfLine[];
}

/** Lines of one piece of code, and how many line breaks stand before each: none before the rest of a line that had no room. */
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

/** Where the letters of a line stand. */
function baselineOf({ words, bottom }: PdfLine): number {
  return words[0]?.baseline ?? bottom;
}

/** The width of a letter. */
export function advanceOf({ words }: PdfLine): number {
  const longest = words.reduce<PdfWord | undefined>((a, b) => (a !== undefined && a.text.length >= b.text.length ? a : b), undefined);
  return longest === undefined ? 0 : longest.width / longest.text.length;
}

/** Stretches of lines in typewriter's letters with nothing beside them: their indents and inner white space part no columns. */
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
    const lines = area.map(joinStrip);
    if (!isInTable && lines.every(isOnLetterGrid)) areas.push({ lines, fragments: area.flat() });
    from = to;
  }
  return areas;
}

/** Whether a strip stands as near to one of several fragments, or as much beside one, as lines of cells in a row do. */
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

/** Whether the words of a line stand whole letters apart, as in one text: cells beside each other do so by chance only. */
function isOnLetterGrid(line: PdfLine): boolean {
  const advance = advanceOf(line);
  return line.words.slice(1).every((word, i) => {
    const letters = (word.x - rightOf(line.words[i] as PdfWord)) / advance;
    return letters > -LETTER_PART && Math.abs(letters - Math.round(letters)) < LETTER_PART;
  });
}

/** What is known of the text around code. */
export interface AroundCode {
  /** How far lines of text go. */
  readonly right: number;
  /** Distance of lines of text. */
  readonly pitch: number;
  readonly canBeCode: (line: PdfLine) => boolean;
}

/** Pieces of code among the lines of a column, by their first line. */
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

/** `null`: they are lines of two pieces. */
function breaksBetween(last: PdfLine, line: PdfLine, { first, pitch }: { readonly first: PdfLine; readonly pitch: number }): number | null {
  const step = (baselineOf(line) - baselineOf(last)) / pitch;
  if (step <= 0) return null;
  // An indent that was typed is whole letters wide: another one is that of the rest of a line that had no room.
  const indent = (line.x - first.x) / advanceOf(line);
  if (indent > 0 && step <= NEXT_LINE && Math.abs(indent - Math.round(indent)) > LETTER_PART) return 0;
  if (step <= NEXT_LINE) return 1;
  // A heading that stands alone may be in the same letters, and bold.
  return isAllBold(last) || isAllBold(line) ? null : wholeLines(step);
}

function isAllBold({ words }: PdfLine): boolean {
  return words.every(({ isBold }) => isBold);
}

/** The distance of lines of code: that of the text around them, or of two of them, whichever most of them stand apart by, or by its double or treble. */
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

/** `null`: no distance of lines with nothing but empty ones between them. */
function wholeLines(step: number): number | null {
  const whole = Math.round(step);
  return whole > 0 && whole <= MAX_BREAKS && Math.abs(step - whole) < LINE_PART ? whole : null;
}

/** Whether lines are code within a sentence that goes on from the line before, or on the line behind: no word would have had room there. */
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
