/** Country, check digits, then an account of 11 to 30 letters and digits, in one piece or in groups of four. */
export const IBAN = /\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?\b/gi;
const SHORTEST = 15;
const LONGEST = 34;

/**
 * Length of the longest beginning of `text` that is an IBAN: it ends at a blank or at the end, and its checksum is right
 * (ISO 13616-1: the number with its first four characters moved to the end, letters as 10 to 35, is 1 modulo 97). 0 when there is none.
 */
export function ibanLength(text: string): number {
  for (let end = text.length; end > 0; end = text.lastIndexOf(" ", end - 1)) {
    const bare = text.slice(0, end).replaceAll(" ", "").toUpperCase();
    if (bare.length < SHORTEST) return 0;
    if (bare.length <= LONGEST && remainder(bare.slice(4) + bare.slice(0, 4)) === 1) return end;
  }
  return 0;
}

function remainder(rearranged: string): number {
  let rest = 0;
  for (const character of rearranged) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
