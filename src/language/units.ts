import { foldMarks, literally } from "../text/normalise.ts";
import units from "./units.json" with { type: "json" };

type CountKind = "number" | "ordinal" | "share" | "times" | "percent" | "money";
type TimeKind = "duration" | "age" | "date" | "time";
type MeasureKind = "length" | "area" | "mass" | "volume" | "temperature" | "speed";
type TechnicalKind = "data" | "energy" | "power" | "voltage";
type IdentifierKind = "code" | "form" | "phone" | "version";
/** Kind of a value. Only values of one kind can be equal or contradict each other. A share ("half") is compared as a percentage. */
export type ValueKind = CountKind | TimeKind | MeasureKind | TechnicalKind | IdentifierKind;

/**
 * A unit as a factor of a base unit of its kind. Minutes, days and months are separate bases of durations, because months
 * differ in length.
 */
export interface Unit {
  readonly kind: ValueKind;
  readonly base: string;
  readonly factor: number;
  /** Number to add after the multiplication, in the base unit: 0 °F is -17.8 °C. */
  readonly offset?: number;
}

/** Kind, base unit, and the factor of each unit name. */
const TABLE = units as unknown as readonly (readonly [ValueKind, string, Readonly<Record<string, number>>])[];

const UNITS: ReadonlyMap<string, Unit> = new Map([
  ...TABLE.flatMap(([kind, base, names]) => Object.entries(names).map(([name, factor]) => [name, { kind, base, factor }] as const)),
  ...["°f", "degrees fahrenheit", "degree fahrenheit", "degrees f"].map(
    (name) => [name, { kind: "temperature", base: "°C", factor: 5 / 9, offset: -160 / 9 } as const] as const,
  ),
]);

const longestFirst = (names: readonly string[]) =>
  names
    .toSorted((a, b) => b.length - a.length)
    .map(literally)
    .join("|");
const names = [...UNITS.keys()];
/** Regular expression source for a lower-case unit after a number. */
export const UNIT = String.raw`(?:(?:(?:square|cubic|sq\.?|cu\.?)\s)?(?:(?:${longestFirst(names.filter((name) => name.length > 2))})s?|${longestFirst(names.filter((name) => name.length <= 2))})(?![\p{L}\d$])(?:[²³]|\^[23])?|(?:[kcm]?m|ft|mi)[23](?![\p{L}\d]))`;
/** Regular expression source for a currency before a number: a sign such as `$` or `US$`, or a code in capitals. */
export const CURRENCY_BEFORE = String.raw`(?:(?:(?<![A-Za-z])(?:US|CA|AU|NZ|HK|[CAS])\s?)?\$|[€£¥₹]|\b(?:${[...UNITS.values()].flatMap(({ kind, base }) => (kind === "money" && base.length === 3 ? [base] : [])).join("|")}))`;

/**
 * Matches units of one letter. They are recognised in lower case only, because "5 M" and "5G" have no unit. The litre
 * may also be a capital.
 */
const LETTER = /^[mghl]$/;

/** Returns the unit of a match of `UNIT` or `CURRENCY_BEFORE`. Returns `null` if its spelling shows that it is no unit ("5 M"). */
export function unitOf(written: string): Unit | null {
  const text = written.trim();
  const name = text.toLowerCase().replaceAll(/\s+/g, " ");
  const [, power, plain = name] = /^(square|cubic|sq\.?|cu\.?)\s(.+)$/.exec(name) ?? [];
  const [, root = plain, raised = ""] = /^(.*?)(?:\^?([23²³]))?$/.exec(plain) ?? [];
  const unit = UNITS.get(root) ?? UNITS.get(root.replace(/s$/, "")) ?? UNITS.get(root.replaceAll(/\s/g, ""));
  if (unit === undefined || (LETTER.test(root) && !text.startsWith(root) && root !== "l")) return null;
  if (/^[A-Za-z]{3}$/.test(text) && unit.kind === "money" && unit.base === text.toUpperCase() && text !== unit.base) return null;
  const exponent = power?.startsWith("s") || raised === "2" || raised === "²" ? 2 : power === undefined && raised === "" ? 1 : 3;
  if (exponent === 1) return unit;
  if (unit.kind !== "length") return power === undefined ? unit : null;
  return exponent === 2
    ? { kind: "area", base: "m²", factor: unit.factor ** 2 }
    : { kind: "volume", base: "l", factor: unit.factor ** 3 * 1000 };
}

/** A day of the week or a month, counted from 1. */
export interface NamedTime {
  readonly unit: "weekday" | "month";
  readonly number: number;
}

/** Matches names that need a capital. In lower case, "may", "march" and abbreviations such as "sun" mean something else. */
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
/** Matches the start of a range that "between" introduces. Only then does "and" join the ends of a range. */
const BETWEEN = new RegExp(String.raw`\bbetween\s(?:the\s)?${DAY_OF_MONTH}$`, "iu");
const BOUND = new RegExp(
  String.raw`\b(?:before|until|till|by|from|after|since)\s(?:the\s)?(?:(?:end|beginning|start|middle)\sof\s)?${DAY_OF_MONTH}(\p{L}{3,9})(?!\p{L})`,
  "giu",
);

/**
 * Checks whether a text contains a range that includes the weekday or month ("Monday to Friday"). For a month, it is enough that the text
 * limits a time by any month ("before 31 March"), because the time before or after that limit may include the month.
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
    // A range from October to March continues into the next year.
    if (from <= to ? from <= number && number <= to : number >= from || number <= to) return true;
  }
  return unit === "month" && [...line.matchAll(BOUND)].some(([, word]) => own(word) !== null);
}

/** Returns names and their first three letters with their positions, counted from 1. */
function numbered(names: string): [string, number][] {
  return names.split(" ").flatMap((name, i) => [name, name.slice(0, 3)].map((one): [string, number] => [one, i + 1]));
}

/** Month names and abbreviations, in lower case, with their numbers. */
export const MONTHS: ReadonlyMap<string, number> = new Map([
  ...numbered("january february march april may june july august september october november december"),
  ["sept", 9],
]);

/** Weekday names and abbreviations, in lower case, with their numbers; Monday is 1. */
const WEEKDAYS: ReadonlyMap<string, number> = new Map([
  ...numbered("monday tuesday wednesday thursday friday saturday sunday"),
  ...Object.entries({ tues: 2, weds: 3, thur: 4, thurs: 4 }),
]);
