import { NO_HEADING_END } from "./bold-heads.ts";
import { COLUMNS, LABELLED, PLAIN, VALUED } from "./head-lines.ts";
import { PROSE_WORD } from "./row-lines.ts";

/** A heading that stands alone is at most so long, in characters. */
const MAX_HEAD = 80;
/** What clearly is the text below a heading is at least so many times as long as it. */
const CLEAR = 2;
/** Clear heads, at least so many, and over this share of the lines that might be one: then a head alone above its text is how the document is written. */
const LEAST_HEADS = 3;
const HABIT = 0.5;
const SENTENCE_END = /[.!?:]["'”’»)\]]*$/;

/**
 * Places of the paragraphs that are the heading of what follows, without any mark: a line like a title with an empty line behind it, as text copied from a page or a
 * PDF has them ("5 Bottling", "Sheds and greenhouses"). One such line may be anything; where a document has the habit, all of them are heads. A heuristic on form alone:
 * it knows no words. Linear.
 * @param paragraphs lines of each, in order
 */
export function loneHeads(paragraphs: readonly (readonly string[])[]): ReadonlySet<number> {
  const candidates = paragraphs.flatMap((lines, i) => (isTitleLike(lines) ? [i] : []));
  const alone = new Set(candidates);
  const heads = candidates.filter((i) => {
    // A chapter's name may stand above that of its first section.
    const below = paragraphs[alone.has(i + 1) ? i + 2 : i + 1] ?? [];
    return below.length > 1 || isProse(below);
  });
  const clear = heads.filter((i) => {
    const below = paragraphs[i + 1] ?? [];
    return isProse(below) && below.join(" ").length >= CLEAR * (paragraphs[i]?.[0] ?? "").length;
  });
  return clear.length < LEAST_HEADS || clear.length < HABIT * candidates.length ? new Set() : new Set(heads);
}

function isTitleLike([line, ...others]: readonly string[]): boolean {
  if (line === undefined || others.length > 0 || line.length > MAX_HEAD) return false;
  return PLAIN.test(line) && /\p{L}{2}/u.test(line) && ![NO_HEADING_END, COLUMNS, LABELLED, VALUED].some((form) => form.test(line));
}

function isProse(lines: readonly string[]): boolean {
  const [first = "", last = ""] = [lines[0], lines.at(-1)];
  return PLAIN.test(first) && PROSE_WORD.test(first) && SENTENCE_END.test(last);
}
