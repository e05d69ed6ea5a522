import { RAISED } from "../text/raised-digits.ts";
import { FRACTION, fractionValue } from "./fractions.ts";
import { POWER, raise } from "./powers.ts";

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
