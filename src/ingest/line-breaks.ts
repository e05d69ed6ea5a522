import { isStopWord } from "../text/tokens.ts";
import { NO_HEADING_END } from "./bold-heads.ts";
import { linesOf } from "./visible.ts";

/** A head is at most so long, in characters: one that asks is longer than one that names. */
const MAX_HEAD = 120;
/** Of a paragraph below a clear head the first line is at least so many times as long as the head: lines of verse and addresses are of one length. */
const CLEAR = 2;
/** Clear heads, at least so many, and over this share of the paragraphs that have two lines or more: then a head above its text is how the document is written. */
const LEAST_HEADS = 3;
const HABIT = 0.5;
/** A line without marks begins so: no bold words, items, links or tags. */
const PLAIN = /^["'“‘«(¿¡]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u;
/** Columns that white space parts: such a line is a row. */
const COLUMNS = /\S {3,}\S/;
/** "Name: …" above "Berth: …": lines of a record, each of which says something. */
const LABELLED = /^[^:]{1,40}: /;
/** "Winter fee: 5 pounds" says something by itself. */
const VALUED = /^[^:]{1,40}: .*\d/;

/**
 * Places of the line breaks of `source` from `from` on before which a line is the heading of the paragraph that follows it at once, without any mark: how pages are
 * copied into text ("How to cancel", and on the next line what to do). One such line may be anything; where a document has the habit, all of them are heads. A
 * heuristic on form alone: it knows no words. Linear.
 */
export function headBreaks(source: string, from = 0): ReadonlySet<number> {
  const paragraphs = [...proseLines(source, from)].filter(
    (lines) => lines.length > 1 && beginsParagraph(source, lines[0] as ProseLine, from),
  );
  const widths = paragraphs.map((lines) => Math.max(...lines.map(({ text }) => text.length))).sort((a, b) => a - b);
  // One address in a line of its own is no measure of how wide the lines of a document are.
  const width = widths[Math.floor(widths.length / 2)] ?? 0;
  const headed = paragraphs.filter((lines) => isHeaded(lines, width));
  const clear = headed.filter(([head, first]) => (first as ProseLine).text.length >= CLEAR * (head as ProseLine).text.length).length;
  if (clear < LEAST_HEADS || clear < HABIT * paragraphs.length) return new Set();
  return new Set(headed.map(([head]) => (head as ProseLine).end));
}

/** Does nothing stand right above the line but a heading? Behind other lines it goes on with their paragraph. */
function beginsParagraph(source: string, { end }: ProseLine, from: number): boolean {
  const start = source.lastIndexOf("\n", end - 1) + 1;
  if (start <= from) return true;
  const above = source.slice(source.lastIndexOf("\n", start - 2) + 1, start - 1).trim();
  return above === "" || /^#{1,6} /.test(above);
}

/** Is the first line like a title, ended although there was room, and is what follows prose? */
function isHeaded(lines: readonly ProseLine[], width: number): boolean {
  const [{ text: head }, { text: first }] = lines as readonly [ProseLine, ProseLine];
  if (![head, first].every((text) => PLAIN.test(text) && !COLUMNS.test(text)) || [head, first].every((text) => LABELLED.test(text)))
    return false;
  const isTitleLike = head.length <= MAX_HEAD && /\p{L}/u.test(head) && !NO_HEADING_END.test(head) && !VALUED.test(head);
  const hadRoom = head.length + 1 + (/^\S+/.exec(first)?.[0].length ?? 0) <= width;
  return isTitleLike && hadRoom && PROSE_WORD.test(first);
}

/** A line of a paragraph. */
export interface ProseLine {
  /** Where its line break stands. */
  readonly end: number;
  readonly text: string;
}

/** Lines that markdown reads as something else than a paragraph. */
const SYNTAX = /^(?:[#>|<]|[-*+] |\d{1,9}[.)] |={3,}$|-{3,}$|\s{4})/;
const FENCE = /^(?:`{3}|~{3})/;

/** The lines of `source` from `from` on that stand together, without an empty line, code or marks of markdown between them. Linear. */
export function* proseLines(source: string, from = 0): Generator<readonly ProseLine[]> {
  let lines: ProseLine[] = [];
  let fence = "";
  for (const { end, text: raw } of linesOf(source, from, source.length)) {
    const text = raw.trim();
    const mark = FENCE.exec(text)?.[0] ?? "";
    if (mark !== "" && (fence === "" || fence === mark)) fence = fence === "" ? mark : "";
    if (fence !== "" || mark !== "" || text === "" || SYNTAX.test(raw)) {
      if (lines.length > 0) yield lines;
      lines = [];
    } else lines.push({ end, text });
  }
  if (lines.length > 0) yield lines;
}

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
const PROSE_WORD = /(?<![\p{L}\p{N}])\p{Ll}{4}/u;
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
interface SetLine {
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

/** What the line ends that a break within a paragraph ends: a row, or the heading of what follows. */
export type LineBreak = "row" | "head";

/** Line breaks within paragraphs of `source` from `from` on that say something, by their place. */
export function lineBreaks(source: string, from = 0): ReadonlyMap<number, LineBreak> {
  const found = new Map<number, LineBreak>();
  for (const at of rowBreaks(source, from)) found.set(at, "row");
  for (const at of headBreaks(source, from)) found.set(at, "head");
  return found;
}

/** A heading that stands alone is at most so long, in characters. */
const MAX_LONE_HEAD = 80;
const SECTION = /^\d+(?:\.\d+)*\.?\s+/;
const SENTENCE_END = /[.!?:]["'”’»)\]]*$/;

/**
 * Places of the paragraphs that are the heading of what follows, without any mark: a line like a title with an empty line behind it, as text copied from a page or a
 * PDF has them ("5 Bottling", "Sheds and greenhouses"). One such line may be anything; where a document has the habit, all of them are heads. A heuristic on form alone:
 * it knows no words. Linear.
 * @param paragraphs lines of each, in order
 */
export function loneHeads(paragraphs: readonly (readonly string[])[]): ReadonlySet<number> {
  // What stands right behind a line that asks is its answer.
  const candidates = paragraphs.flatMap((lines, i) => (isTitleLike(lines) && !asks(paragraphs[i - 1]) ? [i] : []));
  const alone = new Set(candidates);
  const heads = candidates.filter((i) => {
    // A chapter's name may stand above that of its first section.
    const below = paragraphs[alone.has(i + 1) ? i + 2 : i + 1] ?? [];
    return (below.length > 1 && PLAIN.test(below[0] as string)) || isProse(below);
  });
  const clear = heads.filter((i) => {
    const below = paragraphs[i + 1] ?? [];
    return isProse(below) && below.join(" ").length >= CLEAR * (paragraphs[i]?.[0] ?? "").length;
  });
  return clear.length < LEAST_HEADS || clear.length < HABIT * candidates.length ? new Set() : new Set(heads);
}

function isTitleLike([line, ...others]: readonly string[]): boolean {
  if (line === undefined || others.length > 0 || line.length > MAX_LONE_HEAD) return false;
  // A line with a figure says something by itself, and one whose last word announces another goes on behind an empty line, as at the end of a page.
  const says = line.replace(SECTION, "");
  if (/\d/.test(says) || isStopWord(/\p{Ll}+$/u.exec(says)?.[0] ?? "")) return false;
  return PLAIN.test(line) && /\p{L}{2}/u.test(says) && ![NO_HEADING_END, COLUMNS, LABELLED].some((form) => form.test(line));
}

function asks(lines: readonly string[] | undefined): boolean {
  return lines?.length === 1 && isTitleLike(lines) && (lines[0] as string).endsWith("?");
}

function isProse(lines: readonly string[]): boolean {
  const [first = "", last = ""] = [lines[0], lines.at(-1)];
  return PLAIN.test(first) && PROSE_WORD.test(first) && SENTENCE_END.test(last);
}
