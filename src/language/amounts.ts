import type { TextRange } from "../shared/types.ts";
import type { Measure, Quantity } from "./quantities.ts";

/** What amounts are compared by: amounts of one kind can contradict each other. */
export type AmountKind = "duration" | "percent" | Exclude<Measure, "days" | "months" | "minutes" | "percent" | "share">;

/** One value, or a range, of a text as it is compared with the values of other texts: units normalised, bounds kept. */
export interface Amount extends TextRange {
  readonly kind: AmountKind;
  /**
   * Days, percent, dollars …; both ends are equal unless it is a range. `Infinity`: explicitly without limit. Texts for what is no number; of a date
   * as written, and the first or last day that counts.
   */
  readonly low: number | string;
  readonly high: number | string;
  readonly bound: "least" | "most" | "none";
  /** "about", "a little over": near values say the same. */
  readonly approximate: boolean;
  /** Which units it was given in: months have no exact number of days. */
  readonly unit: Measure;
  /** What tells amounts of one kind apart: per month or per year, working days, dollars or euros. */
  readonly per: string;
}

const DAYS_PER_MONTH = 30.4375;
const MINUTES_PER_DAY = 1440;
/** Two units of time with no fixed ratio: "4 months" and "125 days". */
const UNIT_TOLERANCE = 0.035;
/** What "about" allows. */
const ABOUT_TOLERANCE = 0.15;

const ABOUT =
  /\b(?:about|approximately|approx\.?|around|roughly|nearly|almost|close to|some|an average of|(?:a )?(?:little|bit|slightly) (?:over|under|more than|less than))\s(?:the )?$/;
const ON_AVERAGE = /^[^.;]{0,24}\bon average\b/;
const RANGE = /^\s?(?:to|through|–|—|-|and|or)\s?$/;
const TO = /^\s?(?:to|through|–|—|-)\s?$/;
const BETWEEN = /\b(?:between|from)\s(?:about )?\$?$/;
const COMPOUND = /^,?\s(?:and|plus)\s$/;
const PER =
  /^(?:[\s-]?(?:per|a|an|each|every|\/)[\s-]?(hour|day|week|month|year|person|child|page|mile|visit|claim|term|semester)\b|\s(monthly|yearly|annually|annual|weekly|daily|hourly)\b)/;
const BEFORE_PER = /\b(monthly|yearly|annual|weekly|daily|hourly)\s[a-z]+\s(?:[a-z]+\s){0,3}$/;
const ZONE = /^[^.;]{0,12}\b([ecmp])[sd]?t\b/;
const WORKING = /(business|working)\sday/;
/** Explicitly no limit of time. */
const UNLIMITED =
  /\b(?:no (?:set )?(?:time limit|deadline|expiration date)s?|(?:at )?any time(?! (?:before|within|during|of))|indefinitely|never expires?|(?:do|does|will|wo)(?:n['’]t| not) expire|for life)\b/giu;

const REACH = 28;

/** Values of a text as amounts, in order: ranges joined, "1 year and 120 days" added up, "no time limit" read as a duration without end. */
export function amountsOf(text: string, quantities: readonly Quantity[]): Amount[] {
  const plain = text.toLowerCase();
  const single = quantities.map((quantity) => toAmount(quantity, plain));
  const joined: Amount[] = [];
  for (const amount of single) {
    const before = joined.at(-1);
    const merged = before === undefined ? null : join(before, amount, plain);
    if (merged === null) joined.push(amount);
    else joined[joined.length - 1] = merged;
  }
  for (const match of text.matchAll(UNLIMITED)) {
    joined.push({
      kind: "duration",
      low: Number.POSITIVE_INFINITY,
      high: Number.POSITIVE_INFINITY,
      bound: "none",
      approximate: false,
      unit: "days",
      per: "",
      start: match.index,
      end: match.index + match[0].length,
    });
  }
  return joined.sort((a, b) => a.start - b.start);
}

function toAmount({ measure, amount, bound, start, end }: Quantity, plain: string): Amount {
  const before = plain.slice(Math.max(0, start - REACH), start);
  const after = plain.slice(end, end + REACH);
  const approximate = ABOUT.test(before) || ON_AVERAGE.test(after);
  const [kind, written] = valueIn(measure, amount);
  const per = [
    measure === "money" ? amount.charAt(0) : "",
    WORKING.test(plain.slice(start, end)) ? "working" : "",
    measure === "money" || measure === "percent" ? periodOf(before, after) : "",
    measure === "time" ? (ZONE.exec(after)?.[1] ?? "") : "",
  ].join("");
  const ends = { approximate, unit: measure, per, start, end };
  if (kind === "date") return { kind, low: written, high: firstOrLastDay(String(written), before), bound: sideOf(before), ...ends };
  return { kind, low: written, high: written, bound: approximate ? "none" : bound, ...ends };
}

const FROM = /\b(?:after|since|from|starting|beginning|as of)\s(?:the )?$/;
const UNTIL = /\b(?:before|until|by|through|prior to|ending)\s(?:the )?$/;

function sideOf(before: string): Amount["bound"] {
  return FROM.test(before) ? "least" : UNTIL.test(before) ? "most" : "none";
}

/** "After September 10" is "on or after September 11": the first, or the last, day that counts. */
function firstOrLastDay(date: string, before: string): string {
  const step = /\b(?<!on or )after\s$/.test(before) ? 1 : /\b(?<!on or )before\s$/.test(before) ? -1 : 0;
  if (step === 0 || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return date;
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return date;
  day.setUTCDate(day.getUTCDate() + step);
  return day.toISOString().slice(0, 10);
}

function periodOf(before: string, after: string): string {
  const found = PER.exec(after);
  const word = found?.[1] ?? found?.[2] ?? BEFORE_PER.exec(before)?.[1] ?? "";
  return word
    .replace(/^annual(?:ly)?$/, "year")
    .replace(/ly$/, "")
    .replace(/^dai$/, "day");
}

function valueIn(measure: Measure, amount: string): readonly [AmountKind, number | string] {
  switch (measure) {
    case "days":
      return ["duration", Number(amount)];
    case "months":
      return ["duration", Number(amount) * DAYS_PER_MONTH];
    case "minutes":
      return ["duration", Number(amount) / MINUTES_PER_DAY];
    case "share":
      return ["percent", Number(amount) * 100];
    case "money":
      return ["money", Number(amount.slice(1))];
    case "time": {
      const [hour = 0, minute = 0] = amount.split(":").map(Number);
      return ["time", hour * 60 + minute];
    }
    case "date":
    case "code":
    case "form":
    case "phone":
      return [measure, amount];
    default:
      return [measure, Number(amount)];
  }
}

/** Two values that are one: the ends of a range, or parts of a sum. */
function join(a: Amount, b: Amount, plain: string): Amount | null {
  if (a.kind !== b.kind || a.low !== a.high || b.low !== b.high || typeof a.low !== "number" || typeof b.high !== "number") return null;
  const between = plain.slice(a.end, b.start);
  const ends = { start: a.start, end: b.end, approximate: a.approximate || b.approximate };
  const spans = TO.test(between) || (RANGE.test(between) && BETWEEN.test(plain.slice(Math.max(0, a.start - REACH), a.start)));
  if (spans && (a.kind === "time" || a.low <= b.high)) return { ...b, ...ends, low: a.low, high: b.high, bound: "none" };
  if (a.kind === "duration" && COMPOUND.test(between) && a.unit !== b.unit && a.low > b.high) {
    const sum = a.low + b.high;
    return { ...a, ...ends, low: sum, high: sum };
  }
  return null;
}

/** Can both be true of the same? Bounds and ranges that overlap, roundings and restated units can. */
export function compatible(a: Amount, b: Amount): boolean {
  if (a.kind !== b.kind) return true;
  if (typeof a.low === "string" || typeof b.low === "string") {
    if (a.kind === "date" && a.bound !== b.bound && a.bound !== "none" && b.bound !== "none") return true;
    return [a.low, a.high].some((one) => [b.low, b.high].some((other) => sameText(String(one), String(other), a.kind)));
  }
  const [low1, high1, low2, high2] = [a.low, a.high as number, b.low, b.high as number];
  if (a.kind === "time") return low1 === low2 && high1 === high2;
  if (low1 === Number.POSITIVE_INFINITY || low2 === Number.POSITIVE_INFINITY) return low1 === low2;
  const scale = Math.max(Math.abs(high1), Math.abs(high2));
  const slack = scale * (a.approximate || b.approximate ? ABOUT_TOLERANCE : a.unit !== b.unit ? UNIT_TOLERANCE : 1e-9);
  const isRange = low1 !== high1 || low2 !== high2;
  if (isRange) return low1 <= high2 + slack && low2 <= high1 + slack;
  if (Math.abs(low1 - low2) <= slack) return true;
  // "Up to 30" allows 20, "more than 21 days" 25; two different limits exclude each other.
  if (a.bound === b.bound) return false;
  if (a.bound !== "none" && b.bound !== "none") return true;
  const [limit, exact] = a.bound === "none" ? [b, low1] : [a, low2];
  return limit.bound === "most" ? exact <= (limit.high as number) : exact >= (limit.low as number);
}

/** Do both say the same, so that one bears the other out? A range that only covers a value does not. */
export function sameAmount(a: Amount, b: Amount): boolean {
  if (typeof a.low === "number" && (a.low === a.high) !== (b.low === b.high)) return false;
  return a.kind === b.kind && compatible(a, b) && (a.bound === b.bound || a.low === b.low);
}

function sameText(a: string, b: string, kind: AmountKind): boolean {
  if (a === b) return true;
  if (kind !== "date") return false;
  return (
    a.startsWith(`${b}-`) ||
    b.startsWith(`${a}-`) ||
    (a.startsWith("--") ? b.endsWith(a.slice(1)) : b.startsWith("--") && a.endsWith(b.slice(1)))
  );
}
