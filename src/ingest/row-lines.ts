import { type ProseLine, proseLines } from "./prose-lines.ts";

/** Lines without an empty one between them, at least so many, may be rows. */
const LEAST_LINES = 3;
/** Share of the breaks between lines that were meant, from which on the lines are rows. */
const MEANT = 0.6;
/** Of the breaks that were meant, at most this share may lie within a sentence. */
const WITHIN = 0.2;
/** A line that ends like this runs on. */
const RUNS_ON = /[,;\-–—]$/;
const CONTINUES = /^[\p{Ll}(]/u;
/** The end of a sentence, or of what announces the next line. */
const ENDS = /[.!?:…。！？]["'”’»)\]*_`]*$/;
/** Share of lines that end a sentence, from which on an author of prose broke them, unless one begins or ends with a figure. */
const PROSE = 0.5;
const FIGURE = /^\d[\d.]*\s|[\d%\])][*_]*$/;
/** A line with a word of prose; one without is a name or a title. Prose is not finished where it ends in a small letter. */
export const PROSE_WORD = /(?<![\p{L}\p{N}])\p{Ll}{4}/u;
const UNFINISHED = /\p{Ll}[*_`]*$/u;

/**
 * Places of the line breaks of `source` from `from` on that part rows: "Flexion limited to 30° 20" is one. Whoever wraps prose fills each line until the next word
 * does not fit; where that word would have fitted into the longest line of the paragraph, the break was meant. A heuristic on form alone: it knows no words. Linear.
 */
export function rowBreaks(source: string, from = 0): ReadonlySet<number> {
  const found = new Set<number>();
  for (const lines of proseLines(source, from)) for (const at of breaksOf(lines)) found.add(at);
  return found;
}

function breaksOf(lines: readonly ProseLine[]): number[] {
  const longest = lines.reduce((most, { text }) => Math.max(most, text.length), 0);
  const meant = lines.map(({ text }, i) => {
    const next = lines[i + 1]?.text ?? "";
    return { text, hadRoom: text.length + 1 + (/^\S+/.exec(next)?.[0].length ?? 0) <= longest };
  });
  return rowEnds(meant).map((i) => (lines[i] as ProseLine).end);
}

/** A line, and whether the next line's first word would have had room on it. */
export interface SetLine {
  readonly text: string;
  readonly hadRoom: boolean;
}

/** Lines of one paragraph that end a row, by their index; none where they are wrapped prose, or fewer than `least`. */
export function rowEnds(lines: readonly SetLine[], least = LEAST_LINES): number[] {
  if (lines.length < least) return [];
  const ended = lines.filter(({ text }) => ENDS.test(text)).length;
  const isProse = ended >= PROSE * lines.length && !lines.some(({ text }) => FIGURE.test(text));
  const breaks = lines.slice(0, -1).map(({ text, hadRoom }, index) => {
    const next = (lines[index + 1] as SetLine).text;
    const isUnfinished = isProse && UNFINISHED.test(text) && PROSE_WORD.test(text);
    return { index, hadRoom, within: CONTINUES.test(next) || RUNS_ON.test(text), isUnfinished };
  });
  const meant = breaks.filter((one) => one.hadRoom);
  const within = meant.filter((one) => one.within).length;
  if (meant.length < MEANT * breaks.length || within > WITHIN * meant.length) return [];
  return breaks.filter((one) => !one.within && !one.isUnfinished).map(({ index }) => index);
}
