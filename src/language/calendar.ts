import { foldMarks } from "../text/normalise.ts";

/** A day of the week or a month, counted from 1. */
export interface NamedTime {
  readonly unit: "weekday" | "month";
  readonly number: number;
}

/** Matches names that need a capital: "may", "march" and abbreviations such as "sun" mean something else in lower case. */
const ONLY_CAPITAL = /^(?:may|march|.{2,3}|tues|weds|thurs?|sept)$/;

/** Returns the weekday or month that a word names, or `null`. Abbreviations need a capital. */
export function namedTime(word: string): NamedTime | null {
  const folded = foldMarks(word);
  if (!/^\p{Lu}/u.test(word) && ONLY_CAPITAL.test(folded)) return null;
  const [day, month] = [WEEKDAYS.get(folded), MONTHS.get(folded)];
  return day !== undefined ? { unit: "weekday", number: day } : month !== undefined ? { unit: "month", number: month } : null;
}

const DAY_OF_MONTH = String.raw`(?:\d{1,2}(?:st|nd|rd|th)?\s(?:of\s)?)?`;
const AFTER_MONTH = String.raw`\.?(?:\s\d{1,2}(?:st|nd|rd|th)?)?(?:,?\s\d{4})?`;
const RANGE = new RegExp(
  String.raw`(\p{L}{3,9})${AFTER_MONTH}\s?(?:to|through|until|till|and|–|—|-)\s?(?:the\s)?${DAY_OF_MONTH}(\p{L}{3,9})(?!\p{L})`,
  "giu",
);
/** Matches the start of a range with "and", which joins the ends of a range only after "between". */
const BETWEEN = new RegExp(String.raw`\bbetween\s(?:the\s)?${DAY_OF_MONTH}$`, "iu");
const BOUND = new RegExp(
  String.raw`\b(?:before|until|till|by|from|after|since)\s(?:the\s)?(?:(?:end|beginning|start|middle)\sof\s)?${DAY_OF_MONTH}(\p{L}{3,9})(?!\p{L})`,
  "giu",
);

/**
 * Checks whether a text gives a range that includes the time ("Monday to Friday") or, for months, a bound that may
 * include it ("before 31 March").
 */
export function mayCover(text: string, { unit, number }: NamedTime): boolean {
  const own = (word: string | undefined) => {
    const time = word === undefined ? null : namedTime(word);
    return time?.unit === unit ? time.number : null;
  };
  const line = text.replaceAll(/\s+/g, " ");
  for (const { 0: range, 1: first, 2: last, index } of line.matchAll(RANGE)) {
    const [from, to] = [own(first), own(last)];
    if (from === null || to === null) continue;
    if (/\sand\s/i.test(range) && !BETWEEN.test(line.slice(Math.max(0, index - 40), index))) continue;
    // A range from October to March spans the turn of the year.
    if (from <= to ? from <= number && number <= to : number >= from || number <= to) return true;
  }
  return unit === "month" && [...line.matchAll(BOUND)].some(([, word]) => own(word) !== null);
}

const MONTH_NAMES = "january february march april may june july august september october november december".split(" ");

/** Month names and abbreviations, in lower case, with their numbers. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  MONTH_NAMES.flatMap((name, i) => [
    [name, i + 1] as const,
    ...(name === "may" ? [] : [[name.slice(0, 3), i + 1] as const]),
    ...(name === "september" ? [["sept", 9] as const] : []),
  ]),
);

const WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split(" ");

/** Weekday names and abbreviations, in lower case, with their numbers; Monday is 1. */
export const WEEKDAYS: ReadonlyMap<string, number> = new Map([
  ...WEEKDAY_NAMES.flatMap((name, i) => [[name, i + 1] as const, [name.slice(0, 3), i + 1] as const]),
  ...(["tues", "weds", "thur", "thurs"] as const).map(
    (name) => [name, WEEKDAY_NAMES.findIndex((day) => day.startsWith(name.slice(0, 3))) + 1] as const,
  ),
]);
