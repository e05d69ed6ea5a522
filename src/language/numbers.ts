import { foldMarks } from "../text/normalise.ts";

/** A day of the week or a month, from 1. */
export interface NamedTime {
  readonly unit: "weekday" | "month";
  readonly number: number;
}

/** Words that mean something else in small letters, and all that are cut short: "may", "march", "sun". */
const ONLY_CAPITAL = /^(?:may|march|.{2,3}|tues|weds|thurs?|sept)$/;

/** The day or month that a word names, in full or, with a capital, in short; `null`: neither. */
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
/** "and" joins the ends of a range only behind it. */
const BETWEEN = new RegExp(String.raw`\bbetween\s(?:the\s)?${DAY_OF_MONTH}$`, "iu");
const BOUND = new RegExp(
  String.raw`\b(?:before|until|till|by|from|after|since)\s(?:the\s)?(?:(?:end|beginning|start|middle)\sof\s)?${DAY_OF_MONTH}(\p{L}{3,9})(?!\p{L})`,
  "giu",
);

/** Does a text give a range in which the time lies ("Monday to Friday"), or a bound on one side of which it may ("before 31 March")? */
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
    // From October to March the year ends in between.
    if (from <= to ? from <= number && number <= to : number >= from || number <= to) return true;
  }
  return unit === "month" && [...line.matchAll(BOUND)].some(([, word]) => own(word) !== null);
}

const SMALL =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SMALL_ORDINALS =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(
    " ",
  );
const SMALL_WORD = SMALL.toReversed().join("|");
const TENS_WORD = TENS.join("|");

/** A number in words up to 999 thousand, as a regular expression's source. */
export const SPELLED_NUMBER = `(?:(?:${TENS_WORD})(?:[\\s-](?:${SMALL.slice(0, 9).join("|")})(?![a-z]))?|(?:${SMALL_WORD}|a)\\shundred(?:\\sand\\s(?:${SMALL_WORD}))?|(?:${SMALL_WORD})(?:\\sthousand)?)(?![a-z])`;

/** Value of a text that starts with a spelled number ("twenty-five", "two hundred"); NaN of anything else. */
export function numberValue(text: string): number {
  let total = Number.NaN;
  for (const word of text.toLowerCase().split(/[\s-]+/)) {
    const small = SMALL.indexOf(word);
    const tens = TENS.indexOf(word);
    if (small >= 0) total = (Number.isNaN(total) ? 0 : total) + small + 1;
    else if (tens >= 0) total = (Number.isNaN(total) ? 0 : total) + (tens + 2) * 10;
    else if (word === "a") total = 1;
    else if (word === "hundred") total *= 100;
    else if (word === "thousand") total *= 1000;
    else if (word !== "and") break;
  }
  return total;
}

/** An ordinal in words from "first" to "ninety-ninth", as a regular expression's source. */
export const SPELLED_ORDINAL = `(?:(?:${TENS_WORD})[\\s-](?:${SMALL_ORDINALS.slice(0, 9).join("|")})|(?:${SMALL_ORDINALS.toReversed().join("|")})|(?:${TENS.map(tenth).join("|")}))(?![a-z])`;

function tenth(ten: string): string {
  return ten.replace(/y$/, "ieth");
}

/** Value of a spelled ordinal ("fourth", "twenty-first"); NaN of anything else. */
export function ordinalValue(text: string): number {
  const [last = "", ten] = text
    .toLowerCase()
    .split(/[\s-]+/)
    .toReversed();
  const tens = TENS.map(tenth).indexOf(last);
  if (tens >= 0) return (tens + 2) * 10;
  const small = SMALL_ORDINALS.indexOf(last);
  return small < 0 ? Number.NaN : small + 1 + (ten === undefined ? 0 : numberValue(ten));
}

const MONTH_NAMES = "january february march april may june july august september october november december".split(" ");

/** Month names and their abbreviations, in lower case, with their numbers. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  MONTH_NAMES.flatMap((name, i) => [
    [name, i + 1] as const,
    ...(name === "may" ? [] : [[name.slice(0, 3), i + 1] as const]),
    ...(name === "september" ? [["sept", 9] as const] : []),
  ]),
);

const WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split(" ");

/** Names of weekdays and their abbreviations, in lower case, with their numbers: Monday is 1. */
export const WEEKDAYS: ReadonlyMap<string, number> = new Map([
  ...WEEKDAY_NAMES.flatMap((name, i) => [[name, i + 1] as const, [name.slice(0, 3), i + 1] as const]),
  ...(["tues", "weds", "thur", "thurs"] as const).map(
    (name) => [name, WEEKDAY_NAMES.findIndex((day) => day.startsWith(name.slice(0, 3))) + 1] as const,
  ),
]);
