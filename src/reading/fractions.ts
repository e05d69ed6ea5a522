import { RAISED } from "../text/raised-digits.ts";
import { numberValue } from "./numbers.ts";

/** A fraction by characters of its own: `½`, `¹/₂`, `¹/2`. */
const MADE = String.raw`(?:[\u00bc-\u00be\u2150-\u215e]|[${RAISED}]{1,2}[/\u2044](?:[\u2081-\u2089][\u2080-\u2089]?|[1-9]\d?(?!\d)))`;
/** A fraction in plain figures behind a number. Only what is common: "5 12/24" may be a date. */
const PLAIN = String.raw`[1-9]\d?\s?[/\u2044]\s?(?:16|32|64|10|[2-9])(?![\d/\u2044])`;
const PARTS: ReadonlyMap<string, number> = new Map([
  ["third", 3],
  ["quarter", 4],
  ["fourth", 4],
  ["fifth", 5],
]);
const PART = `(?:${[...PARTS.keys()].join("|")})s?(?![a-z])`;

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
  return numberValue(many) / (PARTS.get(part.replace(/s$/, "")) ?? 3);
}
