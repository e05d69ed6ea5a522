import type { TextRange } from "../shared/types.ts";
import type { ValueKind } from "./units.ts";

/** Side that a value bounds: "at least 60 days" is `least`, "up to" and "within" are `most`. */
type Bound = "least" | "most" | "none";

/** An exact value or a range. */
export interface ExactValue {
  readonly kind: ValueKind;
  /** Base unit: `day`, `month` or `minute` of a duration, the currency of money. Empty for kinds without a unit. */
  readonly unit: string;
  /**
   * Lower end in the base unit, equal to `high` unless the value is a range. `Infinity` means explicitly unlimited. A
   * time of day is in minutes. Dates, codes and other non-numbers are strings, for example `2003-12-16` or `--12-16`.
   * For a date, `low` is the date as written and `high` the first or last day that counts.
   */
  readonly low: number | string;
  readonly high: number | string;
  readonly bound: Bound;
  /** True after "about", "a little over" and the like: a near value may be meant. */
  readonly approximate: boolean;
  /**
   * Qualifier that separates values of one unit: a period ("per month"), working days or a time zone. Empty without
   * one.
   */
  readonly per: string;
}

/** An exact value with its place in a text. */
export interface Value extends ExactValue, TextRange {}

/** A value without the qualifiers from the words around it. */
export type UnboundValue = Omit<Value, "bound" | "approximate" | "per">;

const BEFORE: readonly (readonly [RegExp, Bound])[] = [
  [
    /(?:\b(?:at least|no (?:less|fewer) than|not (?:less|fewer) than|(?:a )?minimum(?: of)?|no sooner than)\s|(?:≥|(?<![^\s(])>)\s?)(?:the |an? |age )?$/,
    "least",
  ],
  [/(?:\b(?:no|not|never) (?:more|longer|later|greater|higher|older) than\s|(?:≤|(?<![^\s(])<)\s?)(?:the |an? |age )?$/, "most"],
  [/(?:n['’]t|\bnot|\bnever|\bcannot)\s[^.;]{0,40}\b(?:more|longer|greater|higher) than\s(?:the |a )?$/, "most"],
  [
    /\b(?:more|longer|greater|higher|older|later|farther|larger) than\s(?:the |an? |age )?$|\b(?:over|above|exceed(?:s|ing)?|past)\s(?:the |an? |age )?$/,
    "least",
  ],
  [/\b(?:up to|at most|(?:a )?maximum(?: of)?|as much as|as many as|within)\s(?:the |an? |age )?$/, "most"],
  [/\b(?:less|fewer|lower|younger|shorter|sooner|smaller) than\s(?:the |an? |age )?$|\b(?:under|below)\s(?:the |an? |age )?$/, "most"],
];
const AFTER: readonly (readonly [RegExp, Bound])[] = [
  [/^(?:\+|,? (?:years? (?:old|of age) )?(?:or|and) (?:more|older|over|higher|greater|above|longer|up|later|farther)\b)/, "least"],
  [/^,? (?:years? (?:old|of age) )?(?:or|and) (?:less|fewer|younger|under|lower|below|shorter|sooner)\b/, "most"],
];
const FROM = /\b(?:after|since|from|starting|beginning|as of)\s(?:the )?$/;
const UNTIL = /\b(?:before|until|by|through|prior to|ending)\s(?:the )?$/;
const ABOUT =
  /\b(?:about|approximately|approx\.?|around|roughly|nearly|almost|close to|some|an average of|(?:a )?(?:little|bit|slightly) (?:over|under|more than|less than))\s(?:the )?$/;
const ON_AVERAGE = /^[^.;]{0,24}\bon average\b/;
/** Number of characters before a value to search for its bound. */
const BOUND_REACH = 64;
/** Number of characters around a value to search for other qualifiers. */
export const REACH = 28;

/**
 * Adds the bound ("at least"), approximation ("about") and period ("per month") that the words around a value state.
 */
export function withBound(value: UnboundValue, plain: string): Value {
  const { kind, low, start, end } = value;
  const [long, after] = [plain.slice(Math.max(0, start - BOUND_REACH), start), plain.slice(end, end + 32)];
  const before = long.slice(-REACH);
  const approximate = ABOUT.test(before) || ON_AVERAGE.test(after.slice(0, REACH));
  const per = [
    /(?:business|working)\sday/.test(plain.slice(start, end)) ? "working" : "",
    kind === "money" || kind === "percent" || kind === "times" ? periodOf(before, after) : "",
    kind === "time" ? (/^[^.;]{0,12}\b([ecmp])[sd]?t\b/.exec(after)?.[1] ?? "") : "",
  ].join("");
  if (kind === "date") {
    const bound = FROM.test(before) ? "least" : UNTIL.test(before) ? "most" : boundOf(long, after);
    return { ...value, high: firstOrLastDay(String(low), before), bound, approximate, per };
  }
  return { ...value, bound: boundOf(long, after), approximate, per };
}

function boundOf(before: string, after: string): Bound {
  return AFTER.find(([pattern]) => pattern.test(after))?.[1] ?? BEFORE.find(([pattern]) => pattern.test(before))?.[1] ?? "none";
}

/** "After September 10" means "on or after September 11". Returns the first or last day that counts. */
function firstOrLastDay(date: string, before: string): string {
  const step = /\b(?<!on or )after\s$/.test(before) ? 1 : /\b(?<!on or )before\s$/.test(before) ? -1 : 0;
  const day = new Date(`${date}T00:00:00Z`);
  if (step === 0 || !/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(day.getTime())) return date;
  day.setUTCDate(day.getUTCDate() + step);
  return day.toISOString().slice(0, 10);
}

const PER =
  /^(?:[\s-]?(?:per|an?|each|every|\/)[\s-]?(hour|day|week|month|year|person|child|page|mile|visit|claim|term|semester)\b|\s(monthly|yearly|annually|annual|weekly|daily|hourly)\b)/;
const BEFORE_PER = /\b(monthly|yearly|annual|weekly|daily|hourly)\s[a-z]+\s(?:[a-z]+\s){0,3}$/;

function periodOf(before: string, after: string): string {
  const found = PER.exec(after);
  const word = found?.[1] ?? found?.[2] ?? BEFORE_PER.exec(before)?.[1] ?? "";
  return word
    .replace(/^annual(?:ly)?$/, "year")
    .replace(/ly$/, "")
    .replace(/^dai$/, "day");
}
