import { RAISED } from "../text/normalise.ts";
import { numberValue } from "./numbers.ts";

/** A fraction by characters of its own: `½`, `¹/₂`, `¹/2`. */
const MADE = String.raw`(?:[\u00bc-\u00be\u2150-\u215e]|[${RAISED}]{1,2}[/\u2044](?:[\u2081-\u2089][\u2080-\u2089]?|[1-9]\d?(?!\d)))`;
/** A fraction in plain figures behind a number. Only what is common: "5 12/24" may be a date. */
const PLAIN = String.raw`[1-9]\d?\s?[/\u2044]\s?(?:16|32|64|10|[2-9])(?![\d/\u2044])`;
const DENOMINATORS: ReadonlyMap<string, number> = new Map([
  ["third", 3],
  ["quarter", 4],
  ["fourth", 4],
  ["fifth", 5],
]);
const PART = `(?:${[...DENOMINATORS.keys()].join("|")})s?(?![a-z])`;

/**
 * What may stand behind a number and adds a fraction to it, as a regular expression's source: `1½`, `1 1/2`, "two and a half". Apart from the number it is none
 * behind what may be a year, and none that is said to be of something: "in step 3 1/2 of the water".
 */
export const FRACTION = String.raw`(?:${MADE}|(?<!\b10)\^\(?${PLAIN}\)?|(?<!\d{4}|\d[.,]\d{1,15})(?:(?:\s(?:and\s)?|-)(?:${MADE}|${PLAIN})|\sand\s(?:(?:a|one)[\s-]half(?![a-z])|(?:a|one|two|three)[\s-]${PART}))(?!\sof\b))`;

/** A fraction without a number before it. */
export const SHARE = String.raw`(?:\b(?:(?:one|a)[\s-])?half\b|\b(?:one|two|three)[\s-]${PART}|(?<![\p{L}\p{N}])${MADE}|\b\d[/\u2044]\d\b(?!\/))`;

const SLASH = /(\d{1,2})\s?[/\u2044]\s?(\d{1,2})/;

/** The value of what `FRACTION` or `SHARE` found. */
export function fractionValue(text: string): number {
  const [, above, below] = SLASH.exec(text.normalize("NFKC")) ?? [];
  if (above !== undefined) return Number(above) / Number(below);
  if (text.endsWith("half")) return 0.5;
  const [part = "", many = "one"] = text.split(/[\s-]+/).toReversed();
  return numberValue(many) / (DENOMINATORS.get(part.replace(/s$/, "")) ?? 3);
}

/** What may stand behind a number and raises it, as a regular expression's source: `10^6`, `10⁶`, `3 × 10⁶`. */
const POWER = String.raw`(?:\s?[×x*]\s?10(?=\^|[\u207a\u207b]?[${RAISED}]))?(?:\^\(?[-+\u2212]?\d{1,2}(?:\.\d{1,3})?\)?(?!\d)|[\u207a\u207b]?[${RAISED}]{1,3})`;

const POWER_PARTS = /^(\s?[×x*]\s?10)?(?:\^\(?([^)]+)\)?|(.+))$/u;

/** A number raised by what `POWER` found behind it. A raised figure behind anything but a 10 may be the mark of a note ("40¹ dollars"): it raises nothing. */
function raise(value: number, power: string): number {
  const [, isTimesTen, exponent, raised = ""] = POWER_PARTS.exec(power) ?? [];
  const by = Number((exponent ?? raised.normalize("NFKC")).replace("\u2212", "-"));
  const base = isTimesTen === undefined ? value : 10;
  if (exponent === undefined && base !== 10) return value;
  const result = base ** by * (isTimesTen === undefined ? 1 : value);
  return Number.isFinite(result) ? result : value;
}

/** A number in figures with its fraction or power, as a regular expression's source: `1,500`, `2.5`, `1½`, `10⁶`. */
export const FIGURE = String.raw`\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,6})?(?:${FRACTION}|${POWER})?`;

const PARTS = new RegExp(String.raw`(\d[\d,]*(?:\.\d+)?)(?:(?<fraction>${FRACTION})|(?<power>${POWER}))?`, "iu");
const CENTS = new RegExp(`^[${RAISED}]{2}$`, "u");

/** The first number in figures of a text, and where it ends; `null`: there is none. Of money two raised figures are its cents: `$19⁹⁹`. */
export function figureIn(text: string, isMoney = false): { readonly value: number; readonly end: number } | null {
  const match = PARTS.exec(text);
  if (match === null) return null;
  const [whole, digits = ""] = match;
  const { fraction, power } = match.groups ?? {};
  const number = Number(digits.replaceAll(",", ""));
  const end = match.index + whole.length;
  if (fraction !== undefined) return { value: number + fractionValue(fraction), end };
  if (power === undefined) return { value: number, end };
  const isCents = isMoney && !digits.includes(".") && CENTS.test(power);
  return { value: isCents ? number + Number(power.normalize("NFKC")) / 100 : raise(number, power), end };
}
