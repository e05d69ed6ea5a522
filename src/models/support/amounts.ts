import { FIGURE, figureIn } from "../../reading/figures.ts";

/** A number, time of day or the like in a text: what a claim about it must share with the evidence. */
export interface Amount {
  /** Minutes after midnight for a time of day. */
  readonly number: number;
  readonly kind: "plain" | "percent" | "money" | "time" | "year";
  /** The singular word behind it when it is a unit; empty otherwise. */
  readonly unit: string;
  readonly start: number;
  readonly end: number;
}

const SPELLED: Readonly<Record<string, number>> = Object.fromEntries([
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ")
    .map((word, i) => [word, i] as const),
  ..."twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, i) => [word, 20 + 10 * i] as const),
  ["dozen", 12],
  ["hundred", 100],
  ["thousand", 1000],
  ["twice", 2],
  ["half", 0.5],
]);
const TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety";
const ONES = "one|two|three|four|five|six|seven|eight|nine";
const UNITS =
  "percent|percentage|days?|weeks?|months?|years?|hours?|minutes?|seconds?|miles?|feet|foot|inches|inch|meters?|kilometers?|km|mg|ml|kg|grams?|pounds?|ounces?|degrees?|dollars?|cents?|euros?|stars?|people|points?|times|goals|games|calories|teaspoons?|tablespoons?|cups?";

const AMOUNT = new RegExp(
  [
    String.raw`(?<clock>\b\d{1,2}(?::\d{1,2})?\s{0,2}(?:[ap]\.\s?m\.|[ap]m\b)|\b\d{1,2}:\d{1,2}(?!\d)(?::\d{2})?|\bnoon\b|\bmidnight\b)`,
    String.raw`(?<digits>(?<currency>[$€£]\s?)?(?<number>${FIGURE})(?<scale>\s?(?:million|billion|trillion|thousand|k|m|bn)\b)?(?<percent>\s?%)?)`,
    String.raw`\b(?<spelled>(?:${TENS})[- ](?:${ONES})|${Object.keys(SPELLED).join("|")})\b(?<spelledScale>\s(?:hundred|thousand|million|billion)\b)?`,
  ].join("|"),
  "giu",
);
const UNIT_BEHIND = new RegExp(String.raw`^[\s-]{0,2}(${UNITS})(?![\p{L}])`, "iu");
const SCALES: Readonly<Record<string, number>> = {
  hundred: 100,
  thousand: 1e3,
  k: 1e3,
  million: 1e6,
  m: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
};

/** Every amount of a text in order. A spelled "one" counts only with a unit: it is mostly no number. */
export function readAmounts(text: string): Amount[] {
  const amounts: Amount[] = [];
  for (const match of text.matchAll(AMOUNT)) {
    const amount = amountOf(match, text);
    if (amount !== null) amounts.push(amount);
  }
  return amounts;
}

function amountOf(match: RegExpMatchArray, text: string): Amount | null {
  const start = match.index as number;
  const end = start + match[0].length;
  const { clock, number, currency, scale, percent, spelled, spelledScale } = match.groups ?? {};
  if (clock !== undefined) {
    const minutes = minutesOf(clock);
    return minutes === null ? null : { number: minutes, kind: "time", unit: "", start, end };
  }
  const behind = UNIT_BEHIND.exec(text.slice(end, end + 16))?.[1]?.toLowerCase() ?? "";
  const unit = singular(behind);
  if (spelled !== undefined) {
    const value = spelledValue(spelled.toLowerCase()) * scaleOf(spelledScale);
    if (value === 1 && unit === "") return null;
    return { number: value, kind: unit === "percent" ? "percent" : "plain", unit, start, end };
  }
  if (number === undefined) return null;
  const value = (figureIn(number, currency !== undefined || unit === "dollar")?.value ?? Number.NaN) * scaleOf(scale);
  if (percent !== undefined || unit === "percent") return { number: value, kind: "percent", unit: "percent", start, end };
  if (currency !== undefined || unit === "dollar") return { number: value, kind: "money", unit: "dollar", start, end };
  const isYear = /^(?:1[5-9]|20)\d\d$/.test(number) && unit === "" && scale === undefined;
  return { number: value, kind: isYear ? "year" : "plain", unit, start, end };
}

function singular(unit: string): string {
  if (unit === "percentage") return "percent";
  if (unit === "feet") return "foot";
  if (unit === "inches") return "inch";
  return unit === "people" ? unit : unit.replace(/s$/, "");
}

function spelledValue(words: string): number {
  return words.split(/[- ]/).reduce((sum, word) => sum + (SPELLED[word] ?? 0), 0);
}

function scaleOf(scale: string | undefined): number {
  return SCALES[(scale ?? "").trim().toLowerCase()] ?? 1;
}

/** Minutes after midnight; `null` for what no clock shows (a ratio, a score). */
function minutesOf(clock: string): number | null {
  const plain = clock.toLowerCase().replaceAll(/[\s.]/g, "");
  if (plain === "noon") return 720;
  if (plain === "midnight") return 0;
  const [, hours, minutes = "0", half] = /^(\d{1,2})(?::(\d{1,2}))?(?::\d{2})?([ap])?/.exec(plain) ?? [];
  const hour = Number(hours);
  if (hours === undefined || hour > 24 || Number(minutes) > 59 || (half !== undefined && hour > 12)) return null;
  const of24 = half === undefined ? hour : (hour % 12) + (half === "p" ? 12 : 0);
  return (of24 * 60 + Number(minutes)) % 1440;
}

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const DAY = `(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?`;
const DAY_PHRASE = new RegExp(
  String.raw`\b(?<from>${DAY})\b\.?\s{0,2}(?:-|–|—|to|through|thru|until)\s{0,2}(?<to>${DAY})\b|\b(?<one>${DAY})\b|\b(?<set>weekdays?|weekends?|every\s?day|daily|seven days a week|7 days a week|all week)\b`,
  "giu",
);

/** Days of the week that a phrase names, one bit each from Monday. */
export interface DayPhrase {
  readonly days: number;
  readonly start: number;
  readonly end: number;
}

export function readDays(text: string): DayPhrase[] {
  return [...text.matchAll(DAY_PHRASE)].flatMap((match) => {
    const { from, to, one, set } = match.groups ?? {};
    // "We sat in the sun": a short form is a day only with a capital.
    if ([from, to, one].some((day) => day !== undefined && /^\p{Ll}/u.test(day) && !/days?$/i.test(day))) return [];
    const place = { start: match.index, end: match.index + match[0].length };
    if (from !== undefined && to !== undefined) return { ...place, days: dayRange(dayOf(from), dayOf(to)) };
    if (one !== undefined) return { ...place, days: 1 << dayOf(one) };
    const name = (set ?? "").toLowerCase();
    return { ...place, days: name.startsWith("weekd") ? 0b0011111 : name.startsWith("weeke") ? 0b1100000 : 0b1111111 };
  });
}

function dayOf(name: string): number {
  return DAYS.findIndex((day) => name.toLowerCase().startsWith(day));
}

function dayRange(from: number, to: number): number {
  let days = 0;
  for (let day = from; ; day = (day + 1) % 7) {
    days |= 1 << day;
    if (day === to) return days;
  }
}
