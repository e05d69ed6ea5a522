import { NO_HEADING_END } from "./bold-heads.ts";
import { type ProseLine, proseLines } from "./prose-lines.ts";
import { PROSE_WORD } from "./row-lines.ts";

/** A head is at most so long, in characters: one that asks is longer than one that names. */
const MAX_HEAD = 120;
/** Of a paragraph below a clear head the first line is at least so many times as long as the head: lines of verse and addresses are of one length. */
const CLEAR = 2;
/** Clear heads, at least so many, and over this share of the paragraphs that have two lines or more: then a head above its text is how the document is written. */
const LEAST_HEADS = 3;
const HABIT = 0.5;
/** A line without marks begins so: no bold words, items, links or tags. */
export const PLAIN = /^["'“‘«(¿¡]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u;
/** Columns that white space parts: such a line is a row. */
export const COLUMNS = /\S {3,}\S/;
/** "Name: …" above "Berth: …": lines of a record, each of which says something. */
export const LABELLED = /^[^:]{1,40}: /;
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
