import { words } from "../text/tokens.ts";
import {
  FIGURE,
  foldDigits,
  fractionValue,
  numeralValue,
  ordinalValue,
  REACH,
  SCALES,
  SHARE,
  SPELLED,
  SPELLED_NUMBER,
  SPELLED_ORDINAL,
  type UnboundValue,
  usesDecimalComma,
  type Value,
  withBound,
} from "./numerals.ts";
import { CURRENCY_BEFORE, MONTHS, UNIT, type Unit, unitOf, type ValueKind } from "./units.ts";

export type { ExactValue, Value } from "./numerals.ts";

const MONTH = `(?:${[...MONTHS.keys()].join("|")})\\b\\.?`;
const YEAR = String.raw`(?:1[6-9]|20|21)\d{2}(?!\d)`;
const ORDINAL = "(?:st|nd|rd|th)";
/** Regular expression source for names of numbered parts, classes and levels. */
export const LABELS =
  "chapter|title|section|part|article|step|schedule|phase|group|class|option|level|tier|stage|appendix|category|table|figure|page";
/** Pattern of an adjective between a number and its unit, as in "10 working days". */
const SORT = "(?:full|calendar|business|working|consecutive|continuous|straight|additional|more)";
const TIME_UNIT = "(?:minute|hour|day|week|month|quarter|year)s?(?![a-z])";
const CLOCK = String.raw`(?:[01]?\d|2[0-4])[.:][0-5]\d(?![.,]?\d)`;

/** Pattern of a time after noon at the end of a range, as in "9.30–17.00". It shows that both ends are times, not decimals. */
const EVENING = String.raw`(?:1[3-9]|2[0-4])\.[0-5][05](?![.,]?\d|\s?${UNIT})`;

/**
 * The pattern of a value, with alternatives in order of precedence. It expects lower-case text, because an expression
 * that ignores case takes twice as long to compile. Every repetition is bounded, so matching is linear in the length of
 * the text.
 */
const VALUE = new RegExp(
  [
    String.raw`(?<code>\b(?:dc|diagnostic\s{1,3}codes?)\s{0,3}#?\s{0,3}\d{4}\b|\b\d{1,2}\s{0,3}(?:c\.?f\.?r|u\.?s\.?c)\b\.?\s{0,3}(?:parts?\s{1,3}|§{1,2}\s{0,3})?\d{1,5}(?:\.\d{1,5})?[a-z]?\b|(?:§{1,2}|\bsec\.)\s{0,3}\d{1,5}(?:\.\d{1,5})?[a-z]?\b|\b[a-tw-z]\d{2}\.\d{1,4}\b|\b(?:${LABELS})\s{1,2}\d{1,4}[a-z]?\b(?:\([a-z\d]{1,4}\)){0,4}(?!\s?(?:%|percent)|[.,]\d))`,
    String.raw`(?<form>\b\d{2}[a-z]?-(?:\d{3,5}[a-z]{0,3}|\d{2}[a-z]{1,3})\b|\b(?:dd|sf|od|w|i)[-\s]?(?:form\s)?-?\d{1,4}[a-z]{0,4}\b(?!\s?(?:%|percent))|\bforms?\s(?:no\.?\s|number\s)?[a-z]{0,3}-?\d{2,6}[a-z]{0,4}(?:-[a-z\d]{1,8})?\b)`,
    String.raw`(?<phone>(?:\+\d{1,3}[-.\s]?|\b1[-.\s])?(?:\(\d{3}\)\s?|\b\d{3}[-.\s])\d{3}[-.\s]\d{4}\b)`,
    String.raw`(?<date>\b${MONTH}\s{1,2}\d{1,2}${ORDINAL}?(?![\d,]\d|:)(?:,?\s{1,2}${YEAR})?|\b\d{1,2}${ORDINAL}?\s{1,2}(?:of\s)?${MONTH}(?:,?\s{1,2}${YEAR})?|\b${MONTH},?\s{1,2}(?:of\s)?${YEAR}|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\/\d{1,2}\/(?:\d{4}|\d{2})\b|\b[0-3]?\d\.[01]?\d\.${YEAR}|\b(?:fy|fiscal\syears?(?:\s\(fy\))?)\s?${YEAR})`,
    String.raw`(?<version>\b(?:v\d{1,4}(?:\.\d{1,5}){1,4}|(?:version|release)\s\d{1,4}(?:\.\d{1,5}){0,4})\b|(?<![$€£¥\d]\s?)\b\d{1,4}(?:\.\d{1,5}){2,4}\b(?![.,]\d)(?<!\b\d{1,3}(?:\.\d{3}){2,4}))`,
    String.raw`(?<time>\b\d{1,2}(?:[.:]\d{2})?\s?[ap]\.?m\b\.?|\b\d{1,2}:\d{2}\b|\b\d{1,2}\so['’]clock\b|(?<=\b(?:at|until|till)\s)${CLOCK}(?!\s?${UNIT})|\b${CLOCK}(?=\s?[–-]\s?${EVENING})|(?<=\d[.:][0-5][05]\s?[–-]\s?)${EVENING}|\b(?:noon|midnight)\b)`,
    String.raw`(?<times>\b(?:twice|double|triple|thrice)\b|\bonce(?=\s(?:an?|per|every)\s(?:hour|day|week|month|year)\b))`,
    String.raw`(?<=\bevery\s{1,2})(?<interval>(?:${SPELLED_ORDINAL}|\d{1,2}${ORDINAL})[\s-](?:${SORT}[\s-])?${TIME_UNIT}(?!\sof\b))`,
    String.raw`(?<year>\b${YEAR}\b(?![-/]\d(?!\d{3}\b)|[,.]\d|[\s-]?(?:${SORT}[\s-])?${UNIT}))`,
    String.raw`(?<share>${SHARE})`,
    String.raw`(?<ordinal>\b(?:${SPELLED_ORDINAL}(?!-hand)|\d{1,15}${ORDINAL}\b))`,
    String.raw`(?<figure>(?:(?<=^|[\s(=:])-(?=\d))?${FIGURE})`,
    `(?<spelled>${SPELLED})`,
    String.raw`(?<=\b(?:within|for|least|than|after|in|over|lasts?|takes?|up\sto)\s(?:about\s)?)(?<one>an?(?=\s${TIME_UNIT}))|\b(?<ten>an?(?=\s(?:decade|fortnight)\b))`,
  ].join("|"),
  "gu",
);

/** Fast test before `VALUE`: every value contains a match, so a text without a match contains no value. */
const HOLDS_ONE = new RegExp(
  String.raw`\p{N}|\b(?:${SPELLED_NUMBER}|${SPELLED_ORDINAL}|half|once|twice|double|triple|thrice|noon|midnight|an?\s(?:${TIME_UNIT}|third|decade|fortnight))\b`,
  "u",
);

const SCALE = /^[\s-]?(hundred|thousand|million|billion|trillion|k|bn)\b(?![\u00b2\u00b3])/i;
const MONEY_SCALE = /^\s?(m)\b/i;
const ALL_SCALES: Readonly<Record<string, number>> = { ...SCALES, hundred: 1e2, k: 1e3, m: 1e6, bn: 1e9 };
const TIMES: Readonly<Record<string, number>> = { once: 1, twice: 2, double: 2, triple: 3, thrice: 3 };
const BEFORE_AGE = /\b(?:age|aged|ages)\s{1,2}(?:of\s)?$/i;
const BEHIND_AGE = /^[\s-]years?[\s-](?:old|of\sage)\b/i;
const CURRENCY = new RegExp(`${CURRENCY_BEFORE}\\s?$`, "u");
const UNIT_BEHIND = new RegExp(String.raw`^[\s-]{0,2}(?:${SORT}[\s-])?(${UNIT})`, "iu");
/** Matches an article after a fraction, which belongs to the fraction: "half an hour", "half a percent". */
const ARTICLE = /\s(?:of\s)?an?$/i;

/** A value, and its number before the unit is applied. */
interface Found {
  readonly value: UnboundValue;
  readonly number: number;
  readonly unit: Unit | null;
}

/**
 * Returns every exact value of a text with its unit, in order. A range gives two values with the same unit. A number in
 * words counts if it has a unit or is greater than one, because "one" alone is rarely a number. "first" and "second"
 * count only before a unit of time; later ordinals always count.
 *
 * @example valuesIn("at least one year")[0] // { kind: "duration", unit: "month", low: 12, high: 12, bound: "least", … }
 */
export function valuesIn(text: string): Value[] {
  if (!HOLDS_ONE.test(text.toLowerCase())) return [];
  const { plain, at } = foldDigits(text);
  // `İ` is the only letter whose lower-case form has another length, which would shift all offsets after it.
  const lower = plain.replaceAll("\u0130", "i").toLowerCase();
  const comma = usesDecimalComma(plain);
  const found: Found[] = [];
  // Reset the shared expression. A copy would be compiled at each call.
  VALUE.lastIndex = 0;
  for (let match = VALUE.exec(lower); match !== null; match = VALUE.exec(lower)) {
    const one = isInsideWord(plain, match.index) ? null : readMatch(match, plain, comma);
    if (one !== null) found.push(one);
    // If the matched word is not a month ("you may 5 times"), continue after the word, so that the number is still found.
    VALUE.lastIndex = one?.value.end ?? match.index + (/^\p{L}+/u.exec(match[0])?.[0] ?? match[0]).length;
  }
  return spreadUnits(found, lower).map((value) => ({ ...withBound(value, lower), start: at(value.start), end: at(value.end) }));
}

/** Checks whether a match begins inside a word or number, like the "12" in "B12", the "15" in "x-15" and the "10" in "3.10". */
function isInsideWord(text: string, start: number): boolean {
  return /(?:[\p{L}_]-?|\p{N}[.,/]?)$/u.test(text.slice(Math.max(0, start - 2), start)) && /\d/.test(text[start] ?? "");
}

function readMatch(match: RegExpExecArray, plain: string, comma: boolean): Found | null {
  const { index: start } = match;
  const end = start + match[0].length;
  const [text] = match;
  const [name] = Object.entries(match.groups ?? {}).find(([, group]) => group !== undefined) as [string, string];
  const fixed = (kind: ValueKind, low: number | string, unit = ""): Found => {
    return { value: { kind, unit, low, high: low, start, end }, number: Number.NaN, unit: null };
  };
  switch (name) {
    case "code":
      return fixed("code", codeKey(text));
    case "form":
      return fixed("form", text.replaceAll(/\bforms?\s?(?:no\.?\s|number\s)?|\s/g, "").replace(/^(dd|sf|od|w|i)-/, "$1"));
    case "phone":
      return fixed("phone", text.replaceAll(/\D/g, "").replace(/^1(?=\d{10}$)/, ""));
    case "version":
      return fixed("version", text.replace(/^\D+/, ""));
    case "date": {
      const date = dateOf(plain.slice(start, end));
      return date === null ? null : fixed("date", date);
    }
    case "year":
      return fixed("date", text);
    case "time":
      return fixed("time", minutesOf(text));
    case "times":
      return fixed("times", TIMES[text] as number);
    case "interval": {
      const unit = unitOf(/[a-z]+$/.exec(text)?.[0] ?? "") as Unit;
      return fixed(unit.kind, tidy(ordinalValue(ORDINAL_FIRST.exec(text)?.[0] ?? "") * unit.factor), unit.base);
    }
    case "ordinal":
      return readOrdinal(text, start, end, plain);
    default:
      return readNumeral(name, text, start, end, plain, comma);
  }
}

const ORDINAL_FIRST = new RegExp(`^(?:${SPELLED_ORDINAL}|\\d+${ORDINAL})`);
const NO_ORDINAL = /^(?:[\s-]part(?:y|ies)\b|[,:])/i;
const BEFORE_TIME_UNIT = new RegExp(String.raw`^[\s-](?:${SORT}[\s-])?${TIME_UNIT}`, "i");

/**
 * Parses an ordinal. Returns `null` if it gives no position in a sequence: "every second week of the month", "at first",
 * "third party".
 */
function readOrdinal(text: string, start: number, end: number, plain: string): Found | null {
  const behind = plain.slice(end, end + 40);
  const value = ordinalValue(text);
  if (/\bevery\s{1,2}$/i.test(plain.slice(Math.max(0, start - 8), start)) || NO_ORDINAL.test(behind)) return null;
  if (/^(?:first|second)$/.test(text) && !BEFORE_TIME_UNIT.test(behind)) return null;
  const birthday = /^\d/.test(text) ? (/^\sbirthday/i.exec(behind)?.[0] ?? "") : "";
  const kind = birthday === "" ? "ordinal" : "age";
  return { value: { kind, unit: "", low: value, high: value, start, end: end + birthday.length }, number: value, unit: null };
}

/** Parses a number in digits or words with its currency or unit. */
function readNumeral(name: string, written: string, from: number, to: number, plain: string, comma: boolean): Found | null {
  const before = plain.slice(Math.max(0, from - 14), from);
  const currency = written.startsWith("-") ? undefined : CURRENCY.exec(before)?.[0];
  let end = to;
  const euro = currency !== undefined && !currency.includes("$") && !currency.includes("£");
  const sign = written.startsWith("-") ? -1 : 1;
  const isCents = currency !== undefined || /^\s(?:dollars?|euros?)\b/i.test(plain.slice(end));
  const isArticle = /^an?$/.test(written);
  let number =
    name === "share"
      ? fractionValue(written)
      : isArticle
        ? 1
        : sign * numeralValue(written.replace(/^-/, ""), { cents: isCents, comma: comma || euro });
  const behind = () => plain.slice(end, end + 40);
  const scale =
    name === "figure" || name === "spelled" ? (SCALE.exec(behind()) ?? (currency === undefined ? null : MONEY_SCALE.exec(behind()))) : null;
  if (scale !== null) {
    number *= ALL_SCALES[(scale[1] as string).toLowerCase()] as number;
    end += scale[0].length;
  }
  const value = (kind: ValueKind, start = from, low = number, unit: Unit | null = null): Found => {
    const base = inBase(low, unit);
    return { value: { kind, unit: unit?.base ?? "", low: base, high: base, start, end }, number: low, unit };
  };
  if (currency !== undefined) return value("money", from - currency.length, number, unitOf(currency));
  const age = BEFORE_AGE.exec(before)?.[0];
  const old = BEHIND_AGE.exec(behind())?.[0];
  if (old !== undefined || (age !== undefined && scale === null && name === "figure")) {
    end += old?.length ?? 0;
    return value("age", from - (old === undefined ? (age?.length ?? 0) : 0));
  }
  const measured = UNIT_BEHIND.exec(behind());
  const unit = measured === null ? null : unitOf(measured[1] as string);
  if (unit !== null && measured !== null) {
    end += measured[0].length;
    return value(unit.kind, from, number, unit);
  }
  if (isArticle) return null;
  const times = name === "share" ? null : /^\stimes\b/i.exec(behind());
  if (times !== null) {
    end += times[0].length;
    return value("times");
  }
  if (name === "share") {
    end -= ARTICLE.exec(written)?.[0].length ?? 0;
    return value("share");
  }
  return name === "spelled" && number <= 1 ? null : value("number");
}

/** Rounds to twelve significant digits, to remove binary rounding errors. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

function codeKey(text: string): string {
  const digits = /\d[\d.]*[a-z]?$/.exec(text)?.[0] ?? "";
  if (/^d/.test(text)) return `dc${digits}`;
  if (/u\.?s\.?c/.test(text)) return `usc${digits}`;
  if (/c\.?f\.?r|^§|^sec\./.test(text)) return `cfr${digits}`;
  return text.replaceAll(/\s+/g, " ");
}

function minutesOf(text: string): number {
  if (/^(?:noon|midnight)/.test(text)) return text === "noon" ? 720 : 0;
  const [, hour = "0", minute = "0", half] = /^(\d{1,2})(?:[.:](\d{2}))?\s?([ap])?/.exec(text) ?? [];
  return (half === undefined ? Number(hour) : (Number(hour) % 12) + (half === "p" ? 12 : 0)) * 60 + Number(minute);
}

/** Returns `2003-12-16`, `2003-12`, `--12-16` (no year) or `fy2019`; `null` if the text is not a date, as in "you may 5 times". */
function dateOf(written: string): string | null {
  const text = written.toLowerCase();
  const of = (year: string, month: string, day: string) => `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  if (/^\d{4}-/.test(text)) return text;
  const [, first = "", mark, second = "", written4 = ""] = /^(\d{1,2})([/.])(\d{1,2})[/.](\d{2,4})$/.exec(text) ?? [];
  if (mark !== undefined) {
    const year = written4.length === 2 ? `${Number(written4) > 50 ? 19 : 20}${written4}` : written4;
    return mark === "." || Number(first) > 12 ? of(year, second, first) : of(year, first, second);
  }
  const year = /(\d{4})$/.exec(text)?.[1];
  if (/^(?:fy|fiscal)/.test(text)) return year === undefined ? null : `fy${year}`;
  const name = /[a-z]{3,9}/.exec(text.replace(/\d+(?:st|nd|rd|th)/, ""))?.[0] ?? "";
  const month = MONTHS.get(name);
  if (month === undefined || (/^(?:may|march)$/.test(name) && year === undefined && !/\b[MJ]/.test(written))) return null;
  const day = /(?:^|[^\d])(\d{1,2})(?:st|nd|rd|th)?(?:[^\d]|$)/.exec(text)?.[1];
  if (day === undefined) return year === undefined ? null : `${year}-${String(month).padStart(2, "0")}`;
  return of(year ?? "-", String(month), day);
}

/** Maximum number of characters between the ends of a range. The longest link is " through ". */
const LONGEST_LINK = 9;
const LINK = /^\s?(?:to|–|—|-|or|and|through)\s?$/;

/** Completes ranges: a number without a unit at one end takes the unit of the other end ("10 to 30 percent", "$10–20"). */
function spreadUnits(found: readonly Found[], plain: string): UnboundValue[] {
  const isLinked = (a: Found | undefined, b: Found | undefined) =>
    a !== undefined && b !== undefined && b.value.start - a.value.end <= LONGEST_LINK && LINK.test(plain.slice(a.value.end, b.value.start));
  return found.map((one, i) => {
    const [before, next] = [found[i - 1], found[i + 1]];
    if (one.value.kind !== "number") return one.value;
    if (isLinked(one, next) && (next?.unit || next?.value.kind === "age")) return withUnit(one, next);
    if (isLinked(one, next) && next?.value.kind === "time" && Number.isInteger(one.number) && one.number < 24) return asTime(one, next);
    const isPriced =
      before?.value.kind === "money" && isLinked(before, one) && !/\b(?:or|and)\b/.test(plain.slice(before.value.end, one.value.start));
    return isPriced ? withUnit(one, before as Found) : one.value;
  });
}

function withUnit({ value, number }: Found, { value: { kind }, unit }: Found): UnboundValue {
  const low = inBase(number, unit);
  return { ...value, kind, unit: unit?.base ?? "", low, high: low };
}

function inBase(number: number, unit: Unit | null): number {
  return tidy(unit === null ? number : number * unit.factor + (unit.offset ?? 0));
}

/**
 * Converts the start of a range to a time. It takes the latest time before the end of the range: "from 10 to 4 pm"
 * begins at 10 am, "from 2 to 4 pm" at 2 pm.
 */
function asTime({ value, number }: Found, { value: { low: end } }: Found): UnboundValue {
  const low = [number + 12, number].map((hour) => hour * 60).find((minute) => minute < Number(end)) ?? number * 60;
  return { ...value, kind: "time", low, high: low };
}

/** Matches phrases for "no time limit". */
const UNLIMITED =
  /\b(?:no (?:set )?(?:time limit|deadline|expiration date)s?|(?:at )?any time(?! (?:before|within|during|of))|indefinitely|never expires?|(?:do|does|will|wo)(?:n['’]t| not) expire|for life)\b/giu;
const TO = /^\s?(?:to|through|–|—|-)\s?$/;
const BETWEEN = /\b(?:between|from)\s(?:about )?\$?$/;
const COMPOUND = /^,?\s(?:and|plus)\s$/;

/** Joins the two ends of a range to one value, adds up sums ("1 year and 120 days"), and adds an infinite duration for "no time limit". */
export function joinValues(values: readonly Value[], text: string): Value[] {
  const plain = text.toLowerCase();
  const joined: Value[] = [];
  for (const value of values) {
    const before = joined.at(-1);
    const both = before === undefined ? null : join(before, value, plain);
    if (both === null) joined.push(value);
    else joined[joined.length - 1] = both;
  }
  const unlimited = [...text.matchAll(UNLIMITED)].map(({ 0: match, index }): Value => {
    const end = { start: index, end: index + match.length };
    const [low, high] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    return { kind: "duration", unit: "day", low, high, bound: "none", approximate: false, per: "", ...end };
  });
  return unlimited.length === 0 ? joined : [...joined, ...unlimited].sort((a, b) => a.start - b.start);
}

/** Joins two values if they are the ends of a range or the parts of a sum; otherwise returns `null`. */
function join(a: Value, b: Value, plain: string): Value | null {
  if (a.kind !== b.kind || a.low !== a.high || b.low !== b.high || typeof a.low !== "number" || typeof b.high !== "number") return null;
  const between = plain.slice(a.end, b.start);
  const ends = { start: a.start, end: b.end, approximate: a.approximate || b.approximate };
  const isRange =
    TO.test(between) || (/^\s?(?:and|or)\s?$/.test(between) && BETWEEN.test(plain.slice(Math.max(0, a.start - REACH), a.start)));
  if (isRange && (a.kind === "time" || daysOf(a) <= daysOf(b))) {
    const low = a.unit === b.unit ? a.low : tidy((daysOf(a) / daysOf(b)) * b.high);
    return { ...b, ...ends, low, bound: "none" };
  }
  if (
    a.kind !== "duration" ||
    !COMPOUND.test(between) ||
    daysOf(a) <= daysOf(b) ||
    plain.slice(a.start, a.end).endsWith(plain.slice(b.start, b.end).replace(/^\S+/, ""))
  )
    return null;
  const sum = tidy(((daysOf(a) + daysOf(b)) / daysOf(a)) * a.low);
  return { ...a, ...ends, low: sum, high: sum };
}

const DAYS: Readonly<Record<string, number>> = { minute: 1 / 1440, day: 1, month: 30.4375 };

/** Returns the lower end of a value; for a duration, converted to days. */
export function daysOf({ low, unit }: Pick<Value, "low" | "unit">): number {
  return Number(low) * (DAYS[unit] ?? 1);
}

/** Returns a key that is equal for values of equal kind, lower end and unit, e.g. `duration 60 day`. */
export function keyOf({ kind, low, unit }: Pick<Value, "kind" | "low" | "unit">): string {
  return unit === "" ? `${kind} ${low}` : `${kind} ${low} ${unit}`;
}

/**
 * Matches a form, a diagnostic code, a section of a regulation, or digits followed by letters: `21-526ez`, `dc6260`,
 * `cfr4.25`, `526ez`.
 */
const CODE = /^(?:\d{2}[a-z]?-(?:\d{3,5}[a-z]{0,3}|\d{2}[a-z]{1,3})|dc\d{4}|cfr\d{1,4}(?:\.\d{1,5})?[a-z]?|\d{3,5}[a-z]{1,3})$/;
/** A number after one of these words is a code: "form 10182". */
const BEFORE_NUMBER = new Set(["form", "forms", "dd"]);
const NUMBER = /^(?:\d{3,5}|\d{2}-\d{2})$/;

/**
 * Returns the distinct codes of a text, spelled as in the index ("Form 21-526EZ" gives `21-526ez`). Plain numbers,
 * amounts, dates and telephone numbers are not codes.
 */
export function codesIn(text: string): string[] {
  const found = new Set<string>();
  let before = "";
  for (const word of words(text)) {
    if (word.code && (CODE.test(word.text) || (NUMBER.test(word.text) && BEFORE_NUMBER.has(before)))) found.add(word.text);
    before = word.text;
  }
  return [...found];
}
