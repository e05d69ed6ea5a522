import { words } from "../text/tokens.ts";
import { FIGURE, figureIn } from "./figures.ts";
import { numberValue } from "./numbers.ts";

/** A form id, a diagnostic code, a section of a regulation, or digits with letters behind them: `21-526ez`, `dc6260`, `cfr4.25`, `526ez`. */
const CODE = /^(?:\d{2}[a-z]?-(?:\d{3,5}[a-z]{0,3}|\d{2}[a-z]{1,3})|dc\d{4}|cfr\d{1,4}(?:\.\d{1,5})?[a-z]?|\d{3,5}[a-z]{1,3})$/;
/** A number with one of these before it is a code: "form 10182". */
const BEFORE_NUMBER = new Set(["form", "forms", "dd"]);
const NUMBER = /^(?:\d{3,5}|\d{2}-\d{2})$/;

/** Codes of a text as the index writes them, without repeats. Plain numbers, amounts, dates and telephone numbers are none. */
export function codesIn(text: string): string[] {
  const found = new Set<string>();
  let before = "";
  for (const word of words(text)) {
    if (word.code && (CODE.test(word.text) || (NUMBER.test(word.text) && BEFORE_NUMBER.has(before)))) found.add(word.text);
    before = word.text;
  }
  return [...found];
}

/**
 * A number, code or the like in a text as a short key, for comparing and ranking passages; what a sentence claims is read by
 * `quantitiesIn`. In one spelling: `70%`, `$1500`, `60 day`, `21-526ez`, `dc6260`, `1-800-827-1000`, `1977`.
 */
export interface Value {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

const NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety";

const UNITS = "days?|weeks?|months?|years?|hours?|minutes?|years? old|percent|%";

const VALUE = new RegExp(
  [
    String.raw`(?<code>\b(?:dc|diagnostic\s{1,3}codes?)\s{0,3}#?\s{0,3}\d{4}\b)`,
    String.raw`(?<form>\b\d{2}[a-z]?-\d{3,5}[a-z]{0,3}\b)`,
    String.raw`(?<phone>(?:\+?1[-. ]?)?\(?\b\d{3}\)?[-. ]\d{3}[-. ]\d{4}\b)`,
    String.raw`(?<amount>(?<currency>[$€£]\s?)?(?<number>${FIGURE})(?<scale>\s?(?:million|billion|thousand|k)\b)?(?<unit>[\s-]{0,2}(?:${UNITS})(?![a-z]))?)`,
    String.raw`\b(?<spelled>${NUMBER_WORDS})\b(?<spelledUnit>[\s-]{1,2}(?:${UNITS})(?![a-z]))?`,
  ].join("|"),
  "giu",
);

/** Every value of a text in order. Spelled numbers count only with a unit: "one" is mostly no number. */
export function valuesIn(text: string): Value[] {
  const values: Value[] = [];
  for (const match of text.matchAll(VALUE)) {
    const key = keyOf(match.groups ?? {});
    if (key !== null) values.push({ key, start: match.index, end: match.index + match[0].length });
  }
  return values;
}

function keyOf(groups: Readonly<Record<string, string | undefined>>): string | null {
  const { code, form, phone, number, currency, scale, unit, spelled, spelledUnit } = groups;
  if (code !== undefined) return `dc${code.replaceAll(/\D/g, "")}`;
  if (form !== undefined) return form.toLowerCase();
  if (phone !== undefined) return phone.replaceAll(/\D/g, "").replace(/^1(?=\d{10}$)/, "");
  if (spelled !== undefined) {
    return spelledUnit === undefined ? null : withUnit(String(numberValue(spelled)), spelledUnit);
  }
  if (number === undefined) return null;
  const plain = (figureIn(number, currency !== undefined)?.value ?? Number.NaN) * scaleOf(scale);
  if (currency !== undefined) return `${currency.trim()}${plain}`;
  return withUnit(String(plain), unit);
}

function withUnit(number: string, unit: string | undefined): string {
  const name = (unit ?? "").replace(/^[\s-]+/, "").toLowerCase();
  if (name === "") return number;
  if (name === "%" || name === "percent") return `${number}%`;
  return `${number} ${name.replace(/ old$/, "").replace(/s$/, "")}`;
}

function scaleOf(scale: string | undefined): number {
  switch (scale?.trim().toLowerCase()) {
    case "thousand":
    case "k":
      return 1e3;
    case "million":
      return 1e6;
    case "billion":
      return 1e9;
    default:
      return 1;
  }
}
