import { isStopWord } from "../text/tokens.ts";
import { NO_HEADING_END } from "./bold-heads.ts";
import { COLUMNS, LABELLED, PLAIN } from "./head-lines.ts";
import { PROSE_WORD } from "./row-lines.ts";

/** A heading that stands alone is at most so long, in characters. */
const MAX_HEAD = 80;
/** What clearly is the text below a heading is at least so many times as long as it. */
const CLEAR = 2;
/** Clear heads, at least so many, and over this share of the lines that might be one: then a head alone above its text is how the document is written. */
const LEAST_HEADS = 3;
const HABIT = 0.5;
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
  if (line === undefined || others.length > 0 || line.length > MAX_HEAD) return false;
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
