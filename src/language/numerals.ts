import type { TextRange } from "../shared/types.ts";
import { digitOf, RAISED } from "../text/normalise.ts";
import type { ValueKind } from "./units.ts";

const SIGNS: Readonly<Record<string, string>> = {
  "％": "%",
  "٪": "%",
  "＄": "$",
  "，": ",",
  "．": ".",
  "‑": "-",
  "−": "-",
  "\u00a0": " ",
  "\u202f": " ",
};
/** Fast test: a text without a match contains nothing to fold. */
const NEEDS_FOLDING = /[^\p{ASCII}–—‘’“”…•]/u;

/** Converts digits of any script, and signs such as "％" and "−", to ASCII. `at` maps an offset in `plain` to an offset in `text`. */
export function foldDigits(text: string) {
  if (!NEEDS_FOLDING.test(text)) return { plain: text, at: (offset: number) => offset };
  let plain = "";
  let moved = false;
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    const folded = SIGNS[character] ?? (character > "\u007f" && /\p{Nd}/u.test(character) ? digitOf(character) : character);
    for (let i = 0; i < folded.length; i++) offsets.push(offset + i);
    plain += folded;
    moved ||= folded.length !== character.length;
    offset += character.length;
  }
  offsets.push(text.length);
  return { plain, at: (place: number) => (moved ? (offsets[place] ?? text.length) : place) };
}

const SMALL =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SMALL_ORDINALS =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(
    " ",
  );
const TEN_ORDINALS = TENS.map((ten) => ten.replace(/y$/, "ieth"));
export const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12 };
const SCALE_WORD = Object.keys(SCALES).join("|");

const UNDER_100 = `(?:(?:${TENS.join("|")})(?:[\\s-](?:${SMALL.slice(0, 9).join("|")})(?![a-z]))?|${SMALL.toReversed().join("|")})`;
const UNDER_1000 = `(?:(?:${UNDER_100}|a)\\shundred(?:\\s(?:and\\s)?${UNDER_100}(?![a-z]))?|${UNDER_100})`;

/** Regular expression source for a number in words. */
export const SPELLED_NUMBER = `(?:(?:${UNDER_1000}|a)\\s(?:${SCALE_WORD})(?:\\s(?:and\\s)?${UNDER_1000}(?:\\sthousand)?(?![a-z]))?|a\\sdozen|${UNDER_1000})(?![a-z])`;

/** Returns the value of a text that starts with a spelled number ("twenty-five", "two hundred"), otherwise NaN. */
function numberValue(text: string): number {
  let [total, current] = [0, Number.NaN];
  const add = (value: number) => {
    current = (Number.isNaN(current) ? 0 : current) + value;
  };
  for (const word of text.toLowerCase().split(/[\s-]+/)) {
    const [small, tens, scale] = [SMALL.indexOf(word), TENS.indexOf(word), SCALES[word]];
    if (small >= 0) add(small + 1);
    else if (tens >= 0) add((tens + 2) * 10);
    else if (word === "a") current = 1;
    else if (word === "dozen") current *= 12;
    else if (word === "hundred") current *= 100;
    else if (scale !== undefined) {
      total += current * scale;
      current = 0;
    } else if (word !== "and") break;
  }
  return total + current;
}

/** Regular expression source for an ordinal in words from "first" to "ninety-ninth". */
export const SPELLED_ORDINAL = `(?:(?:${TENS.join("|")})[\\s-](?:${SMALL_ORDINALS.slice(0, 9).join("|")})|(?:${SMALL_ORDINALS.toReversed().join("|")})|(?:${TEN_ORDINALS.join("|")}))(?![a-z])`;

/** Returns the value of an ordinal ("fourth", "twenty-first", "21st"), otherwise NaN. */
export function ordinalValue(text: string): number {
  const parts = text.toLowerCase().split(/[\s-]+/);
  const [last = "", ten] = parts.toReversed();
  const [tens, small] = [TEN_ORDINALS.indexOf(last), SMALL_ORDINALS.indexOf(last)];
  if (/^\d/.test(last)) return Number.parseInt(last, 10);
  if (tens >= 0) return (tens + 2) * 10;
  return small < 0 ? Number.NaN : small + 1 + (ten === undefined ? 0 : numberValue(ten));
}

/** Pattern of a fraction in special characters: `½`, `¹/₂`, `¹/2`. */
const MADE = String.raw`(?:[\u00bc-\u00be\u2150-\u215e]|[${RAISED}]{1,2}[/\u2044](?:[\u2081-\u2089][\u2080-\u2089]?|[1-9]\d?(?!\d)))`;
/** Pattern of a fraction in plain digits after a number. Only common denominators, because "5 12/24" may be a date. */
const PLAIN = String.raw`[1-9]\d?\s?[/\u2044]\s?(?:16|32|64|10|[2-9])(?![\d/\u2044])`;
const DENOMINATORS: Readonly<Record<string, number>> = { third: 3, quarter: 4, fourth: 4, fifth: 5 };
const PART = `(?:${Object.keys(DENOMINATORS).join("|")})s?(?![a-z])`;

/**
 * Regular expression source for a fraction after a number: `1½`, `1 1/2`, "two and a half". After a space, it does not
 * match if the number has four digits (a year) or decimals, or if "of" follows: "in step 3 1/2 of the water".
 */
const FRACTION = String.raw`(?:${MADE}|(?<!\b10)\^\(?${PLAIN}\)?|(?<!\d{4}|\d[.,]\d{1,15})(?:(?:\s(?:and\s)?|-)(?:${MADE}|${PLAIN})|\sand\s(?:(?:a|one)[\s-]half(?![a-z])|(?:a|one|two|three)[\s-]${PART}))(?!\sof\b))`;

/** Regular expression source for a fraction without a number before it. */
export const SHARE = String.raw`(?:\b(?:(?:one|a)[\s-])?half\b(?:\s(?:an?|of\san?)(?=\s))?|\b(?:one|two|three)[\s-]${PART}|\ba\s(?:third|quarter|fifth)(?=\sof\b)|(?<![\p{L}\p{N}])${MADE}|\b\d[/\u2044]\d\b(?!\/))`;

const SLASH = /(\d{1,2})\s?[/\u2044]\s?(\d{1,2})/;

/** Returns the value of a match of `SHARE` or of a fraction after a number. */
export function fractionValue(text: string): number {
  const [, above, below] = SLASH.exec(text.normalize("NFKC")) ?? [];
  if (above !== undefined) return Number(above) / Number(below);
  if (/half\b/i.test(text)) return 0.5;
  const parts = text.toLowerCase().split(/[\s-]+/);
  const [part = "", many = "one"] = parts.toReversed();
  return numberValue(many) / (DENOMINATORS[part.replace(/s$/, "")] ?? 3);
}

/** Regular expression source for a power after a number: `10^6`, `10⁶`, `3 × 10⁶`. */
const POWER = String.raw`(?:\s?[×x*]\s?10(?=\^|[\u207a\u207b]?[${RAISED}]))?(?:\^\(?[-+]?\d{1,2}(?:\.\d{1,3})?\)?(?!\d)|[\u207a\u207b]?[${RAISED}]{1,3})`;
const POWER_PARTS = /^(\s?[×x*]\s?10)?(?:\^\(?([^)]+)\)?|(.+))$/u;

/**
 * Raises a number to the power in a match of `POWER`. Superscript digits are a power only after the number 10. After
 * any other number they may be a footnote mark ("40¹ dollars").
 */
function raise(value: number, power: string): number {
  const [, isTimesTen, exponent, raised = ""] = POWER_PARTS.exec(power) ?? [];
  const by = Number((exponent ?? raised.normalize("NFKC")).replace("\u2212", "-"));
  const base = isTimesTen === undefined ? value : 10;
  if (exponent === undefined && base !== 10) return value;
  const result = base ** by * (isTimesTen === undefined ? 1 : value);
  return Number.isFinite(result) ? result : value;
}

const DIGITS = String.raw`(?:\d{1,3}(?:\.\d{3}){1,5},\d{1,6}(?!\d)|\d{1,3}(?:\.\d{3}){2,5}(?![\d.])|\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,6})?(?!\d|,\d)|\d{1,15}(?:\.\d{1,6}|,\d{1,2}(?![\d,.]\d|\d))?)`;

/**
 * Regular expression source for a number in digits with its fraction or power: `1,500`, `1.234,56`, `2.5`, `1½`, `10⁶`.
 */
export const FIGURE = String.raw`${DIGITS}(?:${FRACTION}|${POWER})?`;
/** Regular expression source for a number in words with its fraction: "two and a half". */
export const SPELLED = String.raw`\b${SPELLED_NUMBER}(?:${FRACTION}|\b)`;

const PARTS = new RegExp(String.raw`^(${DIGITS})(?:(?<fraction>${FRACTION})|(?<power>${POWER}))?`, "iu");
const FRACTION_BEHIND = new RegExp(FRACTION, "iu");
const CENTS = new RegExp(`^[${RAISED}]{2}$`, "u");
/** Matches a decimal comma: a comma before one or two final digits (`2,5`), or after thousands with a point (`1.234,5`). */
const DECIMAL_COMMA = /\d,\d{1,2}(?![\d,])|\d\.\d{3},\d/;
const DECIMAL_POINT = /\d\.\d{1,2}(?![\d.])/;

/** Checks whether a text uses the decimal comma. In such a text, `1.500` is 1500. */
export function usesDecimalComma(text: string): boolean {
  return DECIMAL_COMMA.test(text) && !DECIMAL_POINT.test(text);
}

/**
 * Returns the value of a match of `FIGURE` or `SPELLED`.
 * @param options `cents`: read two superscript digits as cents (`$19⁹⁹`).
 * `comma`: the text uses the decimal comma, so a point before three final digits separates thousands
 */
export function numeralValue(text: string, { cents, comma }: { readonly cents: boolean; readonly comma: boolean }): number {
  const match = PARTS.exec(text);
  if (match === null) {
    const fraction = FRACTION_BEHIND.exec(text);
    return fraction === null ? numberValue(text) : numberValue(text.slice(0, fraction.index)) + fractionValue(fraction[0]);
  }
  const digits = match[1] as string;
  const { fraction, power } = match.groups ?? {};
  const number = Number(withDecimalPoint(digits, comma));
  if (fraction !== undefined) return number + fractionValue(fraction);
  if (power === undefined) return number;
  const isCents = cents && !digits.includes(".") && CENTS.test(power);
  return isCents ? number + Number(power.normalize("NFKC")) / 100 : raise(number, power);
}

function withDecimalPoint(digits: string, comma: boolean): string {
  const isCommaDecimal = /^\d{1,3}(?:\.\d{3})+,\d+$/.test(digits) || /^\d{1,3}(?:\.\d{3}){2,}$/.test(digits);
  if (isCommaDecimal || (comma && /^[1-9]\d{0,2}\.\d{3}$/.test(digits))) return digits.replaceAll(".", "").replace(",", ".");
  return /,\d{1,2}$|^0,/.test(digits) ? digits.replace(",", ".") : digits.replaceAll(",", "");
}

/** Kind of limit that a value is. "at least 60 days": `least`. "up to 60 days" and "within 60 days": `most`. No limit: `none`. */
type Bound = "least" | "most" | "none";

/** An exact value or a range. */
export interface ExactValue {
  readonly kind: ValueKind;
  /** Base unit: `day`, `month` or `minute` of a duration, the currency of money. Empty for kinds without a unit. */
  readonly unit: string;
  /**
   * Lower end in the base unit, equal to `high` unless the value is a range. `Infinity` means explicitly unlimited. Times
   * of day are in minutes. Dates, codes and other non-numbers are strings, e.g. `2003-12-16`, or `--12-16` without a year.
   * Of a date, `low` is the written date and `high` the first or last day that counts ("after September 10": the 11th).
   */
  readonly low: number | string;
  readonly high: number | string;
  readonly bound: Bound;
  /** True after words such as "about" or "a little over": the real value may be near the stated one. */
  readonly approximate: boolean;
  /**
   * Qualifier that must be equal for values to be comparable: a period ("per month"), `working` for working days, or a
   * time zone. Empty without one.
   */
  readonly per: string;
}

/** An exact value with its place in a text. */
export interface Value extends ExactValue, TextRange {}

/** A value before `withBound` has added what the words around it say: bound, approximation and period. */
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
/** Number of characters before a value in which its bound is searched. */
const BOUND_REACH = 64;
/** Number of characters around a value in which other qualifiers are searched. */
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

/**
 * Returns the day after a date that follows "after", or the day before a date that follows "before". "after September
 * 10" means from September 11 on. Otherwise returns the date itself.
 */
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
