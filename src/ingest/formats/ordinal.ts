/** Formats of a list item's number, named like the values of `type` in an HTML list. */
export type OrdinalForm = "1" | "a" | "A" | "i" | "I";

const ROMAN = [
  ...([
    [1000, "m"],
    [900, "cm"],
    [500, "d"],
    [400, "cd"],
    [100, "c"],
    [90, "xc"],
  ] as const),
  ...([
    [50, "l"],
    [40, "xl"],
    [10, "x"],
    [9, "ix"],
    [5, "v"],
    [4, "iv"],
    [1, "i"],
  ] as const),
] as const;
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
  for (const [value, letter] of ROMAN) {
    text += letter.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return text;
}

/** Formats a number in letters; 27 is "aa". */
function letters(number: number): string {
  return number < 1 ? "" : letters(Math.floor((number - 1) / 26)) + String.fromCharCode(97 + ((number - 1) % 26));
}
