import type { WrittenBlocks } from "../block-writer.ts";
import { shiftedBy } from "./join.ts";

/** Blocks that may stand between a title and the heading that says it again: a subtitle, authors, a date. */
const MAX_BETWEEN = 4;
/** Longer ones are text, in characters, and so is what ends a sentence. */
const MAX_LINE = 200;
const ENDS_SENTENCE = /[.!?:;]["'”’)]?$/;
const MONTHS =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const DATES = [`(?:${DAY}\\.?\\s+)?(?<month>${MONTHS})\\.?,?`, `(?<month>${MONTHS})\\.?\\s+${DAY},?`].map(
  (date) => new RegExp(`^${date}\\s+(?<year>\\d{4})$`, "i"),
);

/** Whether a line says this ISO date (a day, a month or a year) and nothing else: no sentence of the text, where its file says the same of itself. */
export function saysDate(line: string, date: string): boolean {
  const text = line.trim();
  return text === date || isoOf(text) === date;
}

/** A date in English words as ISO writes it: `3 May 2026`, `May 3, 2026`, `May 2026`. */
function isoOf(text: string): string | null {
  const found = DATES.map((date) => date.exec(text)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return null;
  const { year, month = "", day } = found;
  const number = 1 + "janfebmaraprmayjunjulaugsepoctnovdec".indexOf(month.slice(0, 3).toLowerCase()) / 3;
  return [year, String(number), ...(day === undefined ? [] : [day])].map((part) => part?.padStart(2, "0")).join("-");
}

/** A title before a heading of the same words is that heading, as title pages and converters write it, some of them twice: the last one is kept. */
export function withoutRepeatedTitle(written: WrittenBlocks): WrittenBlocks {
  const { text, blocks, sourceMap } = written;
  let count = 0;
  while (isSaidAgain(written, count)) count++;
  if (count === 0) return written;
  const cut = blocks[count]?.start ?? 0;
  const map: number[] = [];
  for (let i = 0; i < sourceMap.length; i += 4) {
    const [outStart = 0, outEnd = 0, start = 0, end = 0] = sourceMap.slice(i, i + 4);
    if (outStart >= cut) map.push(outStart - cut, outEnd - cut, start, end);
  }
  return {
    text: text.slice(cut),
    blocks: blocks.slice(count).map((block) => ({
      ...shiftedBy(block, -cut),
      header: block.header < 0 ? block.header : block.header - count,
    })),
    sourceMap: map,
  };
}

/** Whether a heading has the words of one behind it, with nothing but short lines between them. */
function isSaidAgain({ text, blocks }: WrittenBlocks, index: number): boolean {
  const heading = blocks[index];
  if (heading?.type !== "heading") return false;
  const title = wordsOf(text.slice(heading.start, heading.end));
  const rest = blocks.slice(index + 1, index + MAX_BETWEEN + 2);
  const at = rest.findIndex(({ type, start, end }) => type === "heading" && wordsOf(text.slice(start, end)) === title);
  return at >= 0 && rest.slice(0, at).every(({ start, end }) => end - start <= MAX_LINE && !ENDS_SENTENCE.test(text.slice(start, end)));
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
