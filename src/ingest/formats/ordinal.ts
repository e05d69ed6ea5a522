/** Formats of a list item's number, named like the values of `type` in an HTML list. */
export type OrdinalForm = "1" | "a" | "A" | "i" | "I";

const ROMAN = { m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 };
/** Maximum number for Roman numerals. Larger numbers are written in digits. */
const MAX_ROMAN = 3_999;

/** Formats a number of a list item: 4 is "4", "d", "D", "iv" or "IV". */
export function ordinal(number: number, form: OrdinalForm): string {
  if (form === "1" || number < 1 || number > MAX_ROMAN) return String(number);
  const small = form.toLowerCase() === "i" ? roman(number) : letters(number);
  return form === form.toUpperCase() ? small.toUpperCase() : small;
}

function roman(number: number): string {
  let [rest, text] = [number, ""];
  for (const [letter, value] of Object.entries(ROMAN)) {
    text += letter.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return text;
}

/** Formats a number in letters; 27 is "aa". */
function letters(number: number): string {
  return number < 1 ? "" : letters(Math.floor((number - 1) / 26)) + String.fromCharCode(97 + ((number - 1) % 26));
}
