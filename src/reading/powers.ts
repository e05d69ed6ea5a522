import { RAISED } from "../text/raised-digits.ts";

/** What may stand behind a number and raises it, as a regular expression's source: `10^6`, `10⁶`, `3 × 10⁶`. */
export const POWER = String.raw`(?:\s?[×x*]\s?10(?=\^|[\u207a\u207b]?[${RAISED}]))?(?:\^\(?[-+\u2212]?\d{1,2}(?:\.\d{1,3})?\)?(?!\d)|[\u207a\u207b]?[${RAISED}]{1,3})`;

const PARTS = /^(\s?[×x*]\s?10)?(?:\^\(?([^)]+)\)?|(.+))$/u;

/** A number raised by what `POWER` found behind it. A raised figure behind anything but a 10 may be the mark of a note ("40¹ dollars"): it raises nothing. */
export function raise(value: number, power: string): number {
  const [, isTimesTen, exponent, raised = ""] = PARTS.exec(power) ?? [];
  const by = Number((exponent ?? raised.normalize("NFKC")).replace("\u2212", "-"));
  const base = isTimesTen === undefined ? value : 10;
  if (exponent === undefined && base !== 10) return value;
  const result = base ** by * (isTimesTen === undefined ? 1 : value);
  return Number.isFinite(result) ? result : value;
}
