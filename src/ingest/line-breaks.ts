import type { Block } from "../shared/types.ts";
import { linesOf } from "./visible.ts";

/** Maximum length of a heading, in characters. Long enough for a heading that is a question. */
const MAX_HEAD = 120;
/**
 * A heading without markup is clear if the line below it is at least this many times as long. Lines of verse and
 * addresses all have similar lengths.
 */
const CLEAR = 2;
/**
 * Minimum number of clear headings in a text, for lines without markup to count as headings. `HABIT` is the minimum
 * share of paragraphs, among those of two or more lines, that begin with a clear heading.
 */
const LEAST_HEADS = 3;
const HABIT = 0.5;
/**
 * Matches a line that begins with a capital, a caseless letter or a digit. Lines that begin with markup, e.g. `**` or `[`, do not match.
 */
const PLAIN = /^["'“‘«(¿¡]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u;
/** Matches columns separated by at least three spaces. A line with columns is a table row. */
const COLUMNS = /\S {3,}\S/;
/** Matches a line that begins with a label, e.g. "Name: …". */
const LABELLED = /^[^:]{1,40}: /;
/** Matches a labelled value such as "Winter fee: 5 pounds". This is a statement, not a heading. */
const VALUED = /^[^:]{1,40}: .*\d/;

/**
 * Finds headings without markup in `source`, from offset `from` on. Returns the offsets of the line breaks that end them. Such a heading is
 * a line directly above its paragraph, as in text copied from web pages ("How to cancel", then the instructions). A single such line may be
 * chance, so at least half of the paragraphs must clearly begin with a heading. Judges by form alone, without a word list. Linear time.
 */
export function headBreaks(source: string, from = 0, syntax = SYNTAX): ReadonlySet<number> {
  const paragraphs = [...proseLines(source, from, syntax)].filter(
    (lines) => lines.length > 1 && beginsParagraph(source, lines[0] as ProseLine, from),
  );
  const widths = paragraphs.map((lines) => Math.max(...lines.map(({ text }) => text.length))).sort((a, b) => a - b);
  // The median ignores outliers, e.g. a paragraph with one long address.
  const width = widths[Math.floor(widths.length / 2)] ?? 0;
  const headed = paragraphs.filter((lines) => isHeaded(lines, width));
  const clear = headed.filter(([head, first]) => (first as ProseLine).text.length >= CLEAR * (head as ProseLine).text.length).length;
  if (clear < LEAST_HEADS || clear < HABIT * paragraphs.length) return new Set();
  return new Set(headed.map(([head]) => (head as ProseLine).end));
}

/** Checks whether a line begins a paragraph: it is the first line, or follows an empty line or a heading. */
function beginsParagraph(source: string, { end }: ProseLine, from: number): boolean {
  const start = source.lastIndexOf("\n", end - 1) + 1;
  if (start <= from) return true;
  const above = source.slice(source.lastIndexOf("\n", start - 2) + 1, start - 1).trim();
  return above === "" || /^#{1,6} /.test(above);
}

/**
 * Checks whether the first line is a heading: it looks like a title, the next word would have fitted on it, and prose
 * follows. `width` is the usual length of a full line, in characters.
 */
function isHeaded(lines: readonly ProseLine[], width: number): boolean {
  const [{ text: head }, { text: first }] = lines as readonly [ProseLine, ProseLine];
  if (![head, first].every((text) => PLAIN.test(text) && !COLUMNS.test(text)) || [head, first].every((text) => LABELLED.test(text)))
    return false;
  const isTitleLike = head.length <= MAX_HEAD && /\p{L}/u.test(head) && !NO_HEADING_END.test(head) && !VALUED.test(head);
  return isTitleLike && hadRoom(head, first, width) && PROSE_WORD.test(first);
}

/** A line of text. `end` is the offset of its line break. */
type ProseLine = { readonly end: number; readonly text: string };

/** Matches the start of a line that Markdown does not parse as a paragraph, e.g. `#`, `>` or `1.`. */
const SYNTAX = /^(?:[#>|<]|[-*+] |\d{1,9}[.)] |={3,}$|-{3,}$|\s{4})/;
/** Like `SYNTAX`, but for plain text, where a number may begin a heading: "2. Rats" above a paragraph about rats. */
export const TEXT_SYNTAX = /^(?:[#>|<]|[-*+] |={3,}$|-{3,}$|\s{4})/;
const FENCE = /^(?:`{3}|~{3})/;

/**
 * Yields groups of consecutive lines of `source`, from `from` on. Empty lines, code and markdown block syntax separate
 * the groups and are left out. Linear time.
 */
function* proseLines(source: string, from = 0, syntax = SYNTAX): Generator<readonly ProseLine[]> {
  let lines: ProseLine[] = [];
  let fence = "";
  for (const { end, text: raw } of linesOf(source, from, source.length)) {
    const text = raw.trim();
    const mark = FENCE.exec(text)?.[0] ?? "";
    if (mark !== "" && (fence === "" || fence === mark)) fence = fence === "" ? mark : "";
    if (fence !== "" || mark !== "" || text === "" || syntax.test(raw)) {
      if (lines.length > 0) yield lines;
      lines = [];
    } else lines.push({ end, text });
  }
  if (lines.length > 0) yield lines;
}

/** Minimum number of consecutive lines that can count as rows: separate entries, not wrapped prose. */
const LEAST_LINES = 3;
/** Minimum share of deliberate line breaks, for lines to be rows. A break is deliberate if the next word would have fitted on the line. */
const MEANT = 0.6;
/** Maximum share of the deliberate line breaks that may be within a sentence, for lines to be rows. */
const WITHIN = 0.2;
/** `RUNS_ON` matches the end of a line whose sentence continues on the next line, `CONTINUES` the start of such a next line. */
const RUNS_ON = /[,;\-–—]$/;
const CONTINUES = /^[\p{Ll}(]/u;
/** Matches the end of a sentence, or of a text that introduces the next line with a colon. */
const ENDS = /[.!?:…。！？]["'”’»)\]*_`]*$/;
/** A paragraph is prose if at least this share of its lines end a sentence and no line begins or ends with a number (`FIGURE`). */
const PROSE = 0.5;
const FIGURE = /^\d[\d.]*\s|[\d%\])][*_]*$/;
/**
 * `PROSE_WORD` matches a lower-case word of at least four letters. A line without one counts as a name or title.
 * `UNFINISHED` matches a line that ends in a lower-case letter, so its sentence continues.
 */
const PROSE_WORD = /(?<![\p{L}\p{N}])\p{Ll}{4}/u;
const UNFINISHED = /\p{Ll}[*_`]*$/u;

/**
 * Returns the offsets of the line breaks in `source`, from offset `from` on, that end a row: an entry on a line of its own, e.g. "Flexion
 * limited to 30° 20". In wrapped prose, a line ends because the next word does not fit. A line break is deliberate if the next word would
 * have fitted: the longest line of the paragraph tells how much fits. Judges by form alone, without a word list. Linear time.
 */
export function rowBreaks(source: string, from = 0): ReadonlySet<number> {
  return new Set([...proseLines(source, from)].flatMap(breaksOf));
}

function breaksOf(lines: readonly ProseLine[]): number[] {
  const longest = lines.reduce((most, { text }) => Math.max(most, text.length), 0);
  const meant = lines.map(({ text }, i) => ({ text, hadRoom: hadRoom(text, lines[i + 1]?.text ?? "", longest) }));
  return rowEnds(meant).map((i) => (lines[i] as ProseLine).end);
}

/** Checks whether the first word of the next line would have fitted on a line, which holds `width` characters. */
function hadRoom(text: string, next: string, width: number): boolean {
  return text.length + 1 + (/^\S+/.exec(next)?.[0].length ?? 0) <= width;
}

/** A line, and whether the first word of the next line would have fitted on it. */
type SetLine = Readonly<{ text: string; hadRoom: boolean }>;

/** Returns the indexes of those lines of a paragraph that end a row. Returns none for wrapped prose, or for fewer than `least` lines. */
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

/** What a significant line break inside a paragraph ends: a row, or a heading of the text after it. */
export type LineBreak = "row" | "head";

/** Returns the line breaks inside paragraphs of `source`, from offset `from` on, that end a row or a heading: offset → kind. */
export function lineBreaks(source: string, from = 0, syntax = SYNTAX): ReadonlyMap<number, LineBreak> {
  const rows = [...rowBreaks(source, from)].map((at) => [at, "row"] as const);
  return new Map([...rows, ...[...headBreaks(source, from, syntax)].map((at) => [at, "head"] as const)]);
}

/** A written block, with the data that decides whether it becomes a heading. */
export interface BoldBlock extends Omit<Block, "runIn" | "sectionEnd"> {
  /** Offset where the bold text at the start of the block ends; `start` if there is none. */
  readonly boldEnd: number;
  /** True if the block is a line that serves as the heading of the next block but has no markup (`headBreaks`). */
  readonly isHeadLine: boolean;
  /** Level of the last heading before the block. */
  readonly above: number;
  /** Offset where the section around the block ends; absent outside sections. */
  readonly sectionEnd?: number;
}

/** Maximum length of a bold heading, in characters. */
const MAX_BOLD_HEAD = 80;
/**
 * `HEAD_END` matches the end of a run-in heading: bold words before the text of a paragraph, e.g. "Opening hours:".
 * `BEHIND_HEAD` matches punctuation after the bold words.
 */
const HEAD_END = /[.:?!–—][)\]"”’]*$/;
const BEHIND_HEAD = /^\s*[.:–—]/;
/** Matches the end of a sentence or of an introduction. Bold text with this end is not a heading. */
export const NO_HEADING_END = /[.,;:!…][)\]"”’]*$/;

/**
 * Turns bold paragraphs and lines that serve as headings into headings one level below the last heading. Sets the end
 * of run-in headings (`runIn`).
 */
export function withBoldHeads(blocks: readonly BoldBlock[], text: string): Block[] {
  const headings = boldHeadings(blocks, text);
  return blocks.map((block, i): Block => {
    const { boldEnd, isHeadLine, above, sectionEnd, ...rest } = block;
    const heading = { ...rest, type: "heading" as const, ...(sectionEnd === undefined ? {} : { sectionEnd }) };
    if (block.type === "heading") return heading;
    if (headings.has(i) || isHeadLine) return { ...heading, level: Math.min(6, above + 1) };
    const runIn = runInOf(block, text);
    return runIn === null ? rest : { ...rest, runIn };
  });
}

/**
 * Returns the indexes of bold paragraphs that serve as headings: short, without digits, and not punctuated as a
 * sentence. If two bold paragraphs follow each other, only the second can be a heading. Returns none if most of the
 * text is bold.
 */
function boldHeadings(blocks: readonly BoldBlock[], text: string): ReadonlySet<number> {
  const isBold = blocks.map(({ start, end, boldEnd }) => boldEnd > start && text.slice(boldEnd, end).trim() === "");
  const letters = blocks.reduce((sum, { start, end }, i) => sum + (isBold[i] ? end - start : 0), 0);
  if (letters === 0 || letters * 2 > text.length) return new Set();
  const found = blocks.flatMap((block, i) => {
    const next = blocks[i + 1];
    const canHead = next !== undefined && next.type !== "heading" && next.type !== "table-row" && !isBold[i + 1] && block.above < 6;
    return isBold[i] && canHead && isTitleLike(block, text) ? [i] : [];
  });
  // A single bold paragraph in the middle of a text without headings does not become a heading, because it would become
  // the document's title.
  const isLone = found.length === 1 && found[0] !== 0 && blocks.every(({ type }) => type !== "heading");
  return new Set(isLone ? [] : found);
}

function isTitleLike({ type, start, end }: BoldBlock, text: string): boolean {
  const line = text.slice(start, end);
  return type === "paragraph" && line.length <= MAX_BOLD_HEAD && /\p{L}/u.test(line) && !/[\d\n:]/.test(line) && !NO_HEADING_END.test(line);
}

/**
 * Returns the offset where a run-in heading ends. This is short bold text at the start of a block, with punctuation
 * between it and the text after it. Returns `null` if there is none, or if the whole block is bold.
 */
function runInOf({ type, start, end, boldEnd }: BoldBlock, text: string): number | null {
  if (boldEnd <= start || (type !== "paragraph" && type !== "list-item")) return null;
  const head = text.slice(start, boldEnd).trimEnd();
  const behind = text.slice(boldEnd, end);
  const isHead = head.length <= MAX_BOLD_HEAD && behind.trim() !== "" && (HEAD_END.test(head) || BEHIND_HEAD.test(behind));
  return isHead ? start + head.length : null;
}
