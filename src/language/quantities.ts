import { RAISED } from "../text/normalise.ts";
import { foldDigits } from "./digits.ts";
import { FIGURE, FRACTION, figureIn, fractionValue, SHARE } from "./figures.ts";
import { MONTHS, numberValue, ordinalValue, SPELLED_NUMBER, SPELLED_ORDINAL } from "./numbers.ts";

/**
 * Is the claimed value the one that a source states? An age or a bare number is the same number of years or of anything;
 * a year or a month is held by a full date; half is 50 percent.
 */
export function equalQuantities(claimed: Quantity, stated: Quantity): boolean {
  if (claimed.measure === stated.measure) {
    return claimed.amount === stated.amount || (claimed.measure === "date" && isPartOf(claimed.amount, stated.amount));
  }
  if (claimed.measure === "share" && stated.measure === "percent") return Number(claimed.amount) * 100 === Number(stated.amount);
  if (claimed.measure === "percent" && stated.measure === "share") return Number(stated.amount) * 100 === Number(claimed.amount);
  if (isYears(claimed) && isYears(stated)) return yearsOf(claimed) === yearsOf(stated);
  if (claimed.measure === "count") return bareNumber(stated) === claimed.amount;
  if (stated.measure === "count") return COUNTED.has(claimed.measure) && bareNumber(claimed) === stated.amount;
  return false;
}

/** One says at least, the other at most. */
export function oppositeBounds(a: Quantity, b: Quantity): boolean {
  return (a.bound === "least" && b.bound === "most") || (a.bound === "most" && b.bound === "least");
}

/** Measures whose number may stand in a source without its unit ("57 or older", a table's cells). */
const COUNTED: ReadonlySet<Quantity["measure"]> = new Set(["age", "times", "percent", "money"]);

function bareNumber({ measure, amount }: Quantity): string {
  if (measure === "money") return amount.slice(1);
  if (measure === "months" && Number(amount) % 12 === 0) return String(Number(amount) / 12);
  return measure === "code" || measure === "form" ? amount.replace(/^\D+/, "") : amount;
}

function isYears({ measure, amount }: Quantity): boolean {
  return measure === "age" || (measure === "months" && Number(amount) % 12 === 0);
}

function yearsOf({ measure, amount }: Quantity): number {
  return measure === "age" ? Number(amount) : Number(amount) / 12;
}

/** Is a date less exact than another one and agrees with it? A fiscal year is no calendar year. */
function isPartOf(claimed: string, stated: string): boolean {
  if (stated.startsWith(`${claimed}-`)) return true;
  return claimed.startsWith("--") ? stated.endsWith(claimed.slice(1)) : stated.startsWith("--") && claimed.endsWith(stated.slice(1));
}

/** What a quantity measures: only quantities of the same measure can be equal, or stand in each other's place. */
export type Measure =
  | "percent"
  | "money"
  | "days"
  | "months"
  | "minutes"
  | "length"
  | "mass"
  | "volume"
  | "age"
  | "date"
  | "time"
  | "code"
  | "form"
  | "phone"
  | "share"
  | "times"
  | "count";

/** Which side of the amount is meant: "at least 60 days" is `least`, "up to" and "within" are `most`. */
export type Bound = "least" | "most" | "none";

/** A value of a text in one spelling, where it stands, and what it bounds. */
export interface Quantity {
  readonly measure: Measure;
  /** Equal for equal values of one measure: `12` months for "one year", `0.5` for "half", `2003-12-16` for a date. */
  readonly amount: string;
  readonly bound: Bound;
  readonly start: number;
  readonly end: number;
}

const SCALE = String.raw`(?:[\s-]?(?:hundred|thousand|million|billion|trillion|k|m|bn)\b(?![${RAISED}]))?`;
const MONTH = `(?:${[...MONTHS.keys()].join("|")})\\b\\.?`;
const YEAR = String.raw`(?:1[6-9]|20|21)\d{2}(?!\d)`;
const ORDINAL = "(?:st|nd|rd|th)";
const LABELS =
  "chapter|title|section|part|article|step|schedule|phase|group|class|option|level|tier|stage|appendix|category|table|figure|page";

/** Unit → measure and factor. What has no fixed ratio (a month in days) is another measure. */
const UNITS: ReadonlyMap<string, readonly [Measure, number]> = new Map([
  ["second", ["minutes", 1 / 60]],
  ["minute", ["minutes", 1]],
  ["min", ["minutes", 1]],
  ["hour", ["minutes", 60]],
  ["hr", ["minutes", 60]],
  ["day", ["days", 1]],
  ["week", ["days", 7]],
  ["month", ["months", 1]],
  ["quarter", ["months", 3]],
  ["year", ["months", 12]],
  ["yr", ["months", 12]],
  ["decade", ["months", 120]],
  ["mile", ["length", 1609.344]],
  ["kilometer", ["length", 1000]],
  ["kilometre", ["length", 1000]],
  ["km", ["length", 1000]],
  ["foot", ["length", 0.3048]],
  ["feet", ["length", 0.3048]],
  ["inch", ["length", 0.0254]],
  ["inche", ["length", 0.0254]],
  ["cm", ["length", 0.01]],
  ["mm", ["length", 0.001]],
  ["mcg", ["mass", 0.001]],
  ["mg", ["mass", 1]],
  ["gram", ["mass", 1000]],
  ["kg", ["mass", 1_000_000]],
  ["pound", ["mass", 453_592.37]],
  ["lb", ["mass", 453_592.37]],
  ["ounce", ["mass", 28_349.523]],
  ["ml", ["volume", 1]],
  ["liter", ["volume", 1000]],
  ["litre", ["volume", 1000]],
] as const);

const UNIT = `(?:${[...UNITS.keys()].sort((a, b) => b.length - a.length).join("|")})s?(?![a-z])`;
/** What days may be said to be between a number and its unit. */
const SORT = "(?:full|calendar|business|working|consecutive|continuous|straight|additional|more|square|cubic)";
/** What an ordinal counts where it is a value: the fourth day is one, the first time, a second opinion and a third party are none. */
const TIME_UNIT = "(?:minute|hour|day|week|month|quarter|year)s?(?![a-z])";
const SPELLED = String.raw`\b${SPELLED_NUMBER}(?:${FRACTION}|\b)`;
const AMOUNT = `(?:${FIGURE}|${SPELLED})`;

/** Alternatives in order of precedence; every repetition is bounded, so time is linear in the length of the text. */
const QUANTITY = new RegExp(
  [
    String.raw`(?<code>\b(?:dc|diagnostic\s{1,3}codes?)\s{0,3}#?\s{0,3}\d{4}\b|\b\d{1,2}\s{0,3}(?:c\.?f\.?r|u\.?s\.?c)\b\.?\s{0,3}(?:parts?\s{1,3}|§{1,2}\s{0,3})?\d{1,5}(?:\.\d{1,5})?[a-z]?\b|(?:§{1,2}|\bsec\.)\s{0,3}\d{1,5}(?:\.\d{1,5})?[a-z]?\b|\b[a-tv-z]\d{2}\.\d{1,4}\b|\b(?:${LABELS})\s{1,2}\d{1,4}[a-z]?\b(?:\([a-z\d]{1,4}\)){0,4}(?!\s?(?:%|percent)|[.,]\d))`,
    String.raw`(?<form>\b\d{2}[a-z]?-(?:\d{3,5}[a-z]{0,3}|\d{2}[a-z]{1,3})\b|\b(?:dd|sf|od|w|i)[-\s]?(?:form\s)?-?\d{1,4}[a-z]{0,4}\b(?!\s?(?:%|percent))|\bforms?\s(?:no\.?\s|number\s)?[a-z]{0,3}-?\d{2,6}[a-z]{0,4}(?:-[a-z\d]{1,8})?\b)`,
    String.raw`(?<phone>(?:\+\d{1,3}[-.\s]?|\b1[-.\s])?(?:\(\d{3}\)\s?|\b\d{3}[-.\s])\d{3}[-.\s]\d{4}\b)`,
    String.raw`(?<date>\b${MONTH}\s{1,2}\d{1,2}${ORDINAL}?(?![\d,]\d)(?:,?\s{1,2}${YEAR})?|\b\d{1,2}${ORDINAL}?\s{1,2}(?:of\s)?${MONTH}(?:,?\s{1,2}${YEAR})?|\b${MONTH},?\s{1,2}(?:of\s)?${YEAR}|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\/\d{1,2}\/(?:\d{4}|\d{2})\b|\b(?:fy|fiscal\syears?(?:\s\(fy\))?)\s?${YEAR})`,
    String.raw`(?<time>\b\d{1,2}(?::\d{2})?\s?[ap]\.?m\b\.?|\b\d{1,2}:\d{2}\b)`,
    String.raw`(?<money>[$€£]\s?${FIGURE}${SCALE}|\b${FIGURE}${SCALE}\s(?:u\.?s\.?\s)?(?:dollars?|euros?|cents?)\b|${SPELLED}\s(?:dollars?|euros?|cents?)\b)`,
    String.raw`(?<percent>(?:${AMOUNT}|${SHARE})[\s-]?(?:%|per\s?cent(?:age\spoints?)?(?![a-z])))`,
    String.raw`(?<age>\b(?:age|aged|ages)\s{1,2}(?:of\s)?\d{1,3}(?:${FRACTION}|\b(?!,\d))|${AMOUNT}[\s-]years?[\s-](?:old|of\sage)\b|\b\d{1,3}${ORDINAL}\sbirthday)`,
    `(?<share>${SHARE})`,
    String.raw`(?<times>\b(?:twice|double|triple|thrice)\b|${AMOUNT}\stimes\b)`,
    String.raw`(?<=\bevery\s{1,2})(?<interval>(?:${SPELLED_ORDINAL}|\d{1,2}${ORDINAL})[\s-](?:${SORT}[\s-])?${TIME_UNIT}(?!\sof\b))`,
    String.raw`\b(?<ordinal>${SPELLED_ORDINAL})(?=[\s-](?:${SORT}[\s-])?${TIME_UNIT})`,
    String.raw`(?<measured>${AMOUNT}${SCALE}[\s-]{1,2}(?:${SORT}[\s-])?${UNIT})`,
    String.raw`(?<year>\b${YEAR}\b(?![-/]\d(?!\d{3}\b)|,\d|\.\d))`,
    String.raw`(?<count>${FIGURE}${SCALE}(?:${ORDINAL}\b)?)`,
    `(?<spelled>${SPELLED})`,
  ].join("|"),
  "giu",
);

/** No value is without one of these: a text without any is told at a fraction of the cost. */
const HOLDS_ONE = new RegExp(String.raw`\p{N}|\b(?:${SPELLED_NUMBER}|${SPELLED_ORDINAL}|half|twice|double|triple|thrice)\b`, "iu");

/**
 * Every value of a text with its unit, in order. Spelled numbers count with a unit, or from two upwards: "one" is mostly no number. Spelled ordinals count
 * before a unit of time.
 *
 * @example quantitiesIn("at least one year")[0] // { measure: "months", amount: "12", bound: "least", … }
 */
export function quantitiesIn(text: string): Quantity[] {
  if (!HOLDS_ONE.test(text)) return [];
  const { plain, at } = foldDigits(text);
  const found: Quantity[] = [];
  for (const match of plain.matchAll(QUANTITY)) {
    const value = readValue(match.groups ?? {});
    if (value === null) continue;
    const start = match.index;
    const end = start + match[0].length;
    // Digits inside a word or a longer code are no number.
    if (isInsideWord(plain, start) || (match.groups?.interval === undefined && isEach(plain, start, match[0]))) continue;
    found.push({ ...value, bound: boundOf(plain, start, end), start, end });
  }
  return spreadUnits(found, plain).map((quantity) => ({ ...quantity, start: at(quantity.start), end: at(quantity.end) }));
}

/** Letters, digits and what joins them to the match make it a part of something longer: "B12", "x-15", "3.10" from its second part. */
function isInsideWord(text: string, start: number): boolean {
  return /(?:[\p{L}_]-?|\p{N}[.,/]?)$/u.test(text.slice(Math.max(0, start - 2), start)) && /\d/.test(text[start] ?? "");
}

const ORDINAL_FIRST = new RegExp(`^${SPELLED_ORDINAL}`, "iu");
const IS_ORDINAL = new RegExp(`^(?:${SPELLED_ORDINAL}|\\d+${ORDINAL})`, "iu");

/** Whether an ordinal counts nothing, but says which ones: "every second week of the month". */
function isEach(text: string, start: number, value: string): boolean {
  return IS_ORDINAL.test(value) && /\bevery\s{1,2}$/i.test(text.slice(Math.max(0, start - 8), start));
}

type Value = Pick<Quantity, "measure" | "amount">;

function readValue(groups: Readonly<Record<string, string | undefined>>): Value | null {
  for (const [name, text] of Object.entries(groups)) {
    if (text === undefined) continue;
    return READERS[name as keyof typeof READERS](text.toLowerCase());
  }
  return null;
}

const READERS = {
  code: (text: string): Value => ({ measure: "code", amount: codeKey(text) }),
  form: (text: string): Value => ({
    measure: "form",
    amount: text.replaceAll(/\bforms?\s?(?:no\.?\s|number\s)?|\s/g, "").replace(/^(dd|sf|od|w|i)-/, "$1"),
  }),
  phone: (text: string): Value => ({ measure: "phone", amount: text.replaceAll(/\D/g, "").replace(/^1(?=\d{10}$)/, "") }),
  date: (text: string): Value | null => dateValue(text),
  time: (text: string): Value => ({ measure: "time", amount: timeKey(text) }),
  money: (text: string): Value => ({
    measure: "money",
    amount: `${currencyOf(text)}${spell(amountOf(text, true) * (/cents?$/.test(text) ? 0.01 : 1))}`,
  }),
  percent: (text: string): Value => ({ measure: "percent", amount: spell(amountOf(text)) }),
  age: (text: string): Value => ({ measure: "age", amount: spell(amountOf(text.replace(/^ages?d?\s+(?:of\s)?/, ""))) }),
  share: (text: string): Value => ({ measure: "share", amount: spell(fractionValue(text)) }),
  times: (text: string): Value => ({ measure: "times", amount: spell(TIMES.get(text) ?? amountOf(text)) }),
  interval: (text: string): Value | null => measuredValue(text),
  ordinal: (text: string): Value => ({ measure: "count", amount: spell(ordinalValue(text)) }),
  measured: (text: string): Value | null => measuredValue(text),
  year: (text: string): Value => ({ measure: "date", amount: text }),
  count: (text: string): Value => ({ measure: "count", amount: spell(amountOf(text)) }),
  spelled: (text: string): Value | null => {
    const value = amountOf(text);
    return value > 1 ? { measure: "count", amount: spell(value) } : null;
  },
} as const;

const TIMES: ReadonlyMap<string, number> = new Map([
  ["twice", 2],
  ["double", 2],
  ["triple", 3],
  ["thrice", 3],
]);

const SCALES: ReadonlyMap<string, number> = new Map([
  ["hundred", 1e2],
  ["thousand", 1e3],
  ["k", 1e3],
  ["million", 1e6],
  ["m", 1e6],
  ["billion", 1e9],
  ["bn", 1e9],
  ["trillion", 1e12],
]);

const FRACTION_BEHIND = new RegExp(FRACTION, "iu");
const SHARE_FIRST = new RegExp(`^${SHARE}`, "iu");

/** The number at the start of a text, in digits or words, with its fraction, power or scale. */
function amountOf(text: string, isMoney = false): number {
  const share = SHARE_FIRST.exec(text)?.[0];
  if (share !== undefined) return fractionValue(share);
  const ordinal = ORDINAL_FIRST.exec(text)?.[0];
  if (ordinal !== undefined) return ordinalValue(ordinal);
  const figure = figureIn(text, isMoney);
  if (figure === null || /^[a-z]/.test(text)) return spelledAmount(text);
  const scale = /^[\s-]?(hundred|thousand|million|billion|trillion|k|m|bn)\b/.exec(text.slice(figure.end))?.[1];
  return figure.value * (SCALES.get(scale ?? "") ?? 1);
}

function spelledAmount(text: string): number {
  const fraction = FRACTION_BEHIND.exec(text);
  if (fraction === null) return numberValue(text);
  return numberValue(text.slice(0, fraction.index)) + fractionValue(fraction[0]);
}

/** Twelve significant digits hide what binary fractions add. */
function spell(value: number): string {
  return String(Number(value.toPrecision(12)));
}

function currencyOf(text: string): string {
  if (text.startsWith("€") || /euros?$/.test(text)) return "€";
  return text.startsWith("£") ? "£" : "$";
}

function codeKey(text: string): string {
  const digits = /\d[\d.]*[a-z]?$/.exec(text)?.[0] ?? "";
  if (/^d/.test(text)) return `dc${digits}`;
  if (/u\.?s\.?c/.test(text)) return `usc${digits}`;
  if (/c\.?f\.?r|^§|^sec\./.test(text)) return `cfr${digits}`;
  return text.replaceAll(/\s+/g, " ");
}

function timeKey(text: string): string {
  const [, hour = "0", minute = "0", half] = /^(\d{1,2})(?::(\d{2}))?\s?([ap])?/.exec(text) ?? [];
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === "p" ? 12 : 0);
  return `${hours}:${minute.padStart(2, "0")}`;
}

function measuredValue(text: string): Value | null {
  const name = /([a-z]+)$/.exec(text)?.[1] ?? "";
  const unit = UNITS.get(name) ?? UNITS.get(name.replace(/s$/, ""));
  return unit === undefined ? null : { measure: unit[0], amount: spell(amountOf(text) * unit[1]) };
}

/** `2003-12-16`, `2003-12`, `--12-16` without a year, `fy2019`. */
function dateValue(text: string): Value | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (iso !== null) return { measure: "date", amount: text };
  const slash = /^(\d{1,2})\/(\d{1,2})\/(\d{2,4})$/.exec(text);
  if (slash !== null) {
    const [, month = "", day = "", year = ""] = slash;
    const full = year.length === 2 ? `${Number(year) > 50 ? 19 : 20}${year}` : year;
    return { measure: "date", amount: `${full}-${month.padStart(2, "0")}-${day.padStart(2, "0")}` };
  }
  const year = /(\d{4})$/.exec(text)?.[1];
  if (/^(?:fy|fiscal)/.test(text)) return year === undefined ? null : { measure: "date", amount: `fy${year}` };
  const month = MONTHS.get(/[a-z]{3,9}/.exec(text.replace(/\d+(?:st|nd|rd|th)/, ""))?.[0].replace(/^of$/, "") ?? "");
  if (month === undefined) return null;
  const day = /(?:^|[^\d])(\d{1,2})(?:st|nd|rd|th)?(?:[^\d]|$)/.exec(text)?.[1];
  const monthKey = String(month).padStart(2, "0");
  if (day === undefined) return year === undefined ? null : { measure: "date", amount: `${year}-${monthKey}` };
  return { measure: "date", amount: `${year ?? "-"}-${monthKey}-${day.padStart(2, "0")}` };
}

/** "10 to 30 percent", "between 5 and 10 days": a bare number in front takes the unit of the one behind it. */
function spreadUnits(found: readonly Quantity[], plain: string): Quantity[] {
  return found.map((quantity, i) => {
    const next = found[i + 1];
    if (quantity.measure !== "count" || next === undefined || next.start - quantity.end > LONGEST_LINK) return quantity;
    if (!/^\s?(?:to|–|—|-|or|and|through)\s?$/.test(plain.slice(quantity.end, next.start).toLowerCase())) return quantity;
    const factor = factorOf(plain.slice(next.start, next.end).toLowerCase(), next.measure);
    return factor === null ? quantity : { ...quantity, measure: next.measure, amount: spell(Number(quantity.amount) * factor) };
  });
}

/** Longest word between the ends of a range, with its blanks: " through ". */
const LONGEST_LINK = 9;

function factorOf(text: string, measure: Measure): number | null {
  if (measure === "percent" || measure === "age") return 1;
  const name = /([a-z]+)$/.exec(text)?.[1] ?? "";
  const unit = UNITS.get(name) ?? UNITS.get(name.replace(/s$/, ""));
  return unit !== undefined && unit[0] === measure ? unit[1] : null;
}

const BEFORE: readonly (readonly [RegExp, Bound])[] = [
  [/\b(?:at least|no (?:less|fewer) than|not (?:less|fewer) than|(?:a )?minimum(?: of)?|no sooner than)\s(?:the |a |age )?$/, "least"],
  [/\b(?:no|not|never) (?:more|longer|later|greater|higher|older) than\s(?:the |a |age )?$/, "most"],
  [/(?:n['’]t|\bnot|\bnever|\bcannot)\s[^.;]{0,40}\b(?:more|longer|greater|higher) than\s(?:the |a )?$/, "most"],
  [
    /\b(?:more|longer|greater|higher|older|later|farther|larger) than\s(?:the |a |age )?$|\b(?:over|above|exceed(?:s|ing)?|past)\s(?:the |a |age )?$/,
    "least",
  ],
  [/\b(?:up to|at most|(?:a )?maximum(?: of)?|as much as|as many as|within)\s(?:the |a |age )?$/, "most"],
  [/\b(?:less|fewer|lower|younger|shorter|sooner|smaller) than\s(?:the |a |age )?$|\b(?:under|below)\s(?:the |a |age )?$/, "most"],
];
const AFTER: readonly (readonly [RegExp, Bound])[] = [
  [/^(?:\+|,? (?:years? (?:old|of age) )?(?:or|and) (?:more|older|over|higher|greater|above|longer|up|later|farther)\b)/, "least"],
  [/^,? (?:years? (?:old|of age) )?(?:or|and) (?:less|fewer|younger|under|lower|below|shorter|sooner)\b/, "most"],
];
/** Characters before and after a value in which its bound is looked for. */
const BOUND_REACH = 64;

function boundOf(text: string, start: number, end: number): Bound {
  const before = text.slice(Math.max(0, start - BOUND_REACH), start).toLowerCase();
  const after = text.slice(end, end + 32).toLowerCase();
  return AFTER.find(([pattern]) => pattern.test(after))?.[1] ?? BEFORE.find(([pattern]) => pattern.test(before))?.[1] ?? "none";
}
