import type { Heading } from "../types.ts";

/** What divisions are called before their number. "§" is a section. */
const NUMBERED =
  /^(?:(chapter|part|book|section|appendix|article|subpart|title|§+)\s*)?(\d+(?:\.\d+)*[a-z]?|[ivxlc]+)(?![\p{L}\p{N}])[.):\-–—]*\s*(.*)$/u;
const ROMAN = /^(?=.)c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/;
const ROMAN_VALUES: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

/** A name as it is compared: one spelling, lower case, single blanks, no closing punctuation. */
export function normaliseName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/(?<=.)[.:;,]+$/, "")
    .trimEnd();
}

interface Numbered {
  readonly division: string | null;
  readonly number: string;
  readonly rest: string;
}

/** "chapter xxxii. cetology" is chapter 32 with the name "cetology"; a Roman number counts only after a division's name. */
function readNumber(name: string): Numbered | null {
  const [, division, number, rest = ""] = NUMBERED.exec(name) ?? [];
  if (number === undefined) return null;
  const called = division?.startsWith("§") ? "section" : (division ?? null);
  if (/^\d/.test(number)) return { division: called, number, rest };
  return called !== null && ROMAN.test(number) ? { division: called, number: String(romanValue(number)), rest } : null;
}

function romanValue(numeral: string): number {
  const values = [...numeral].map((letter) => ROMAN_VALUES[letter] as number);
  return values.reduce((sum, value, i) => sum + (value < (values[i + 1] ?? 0) ? -value : value), 0);
}

/** Does a heading go by a name: the whole heading, its number with or without what the division is called, or what follows the number? */
export function headingMatcher(name: string): (heading: Heading) => boolean {
  const asked = normaliseName(name);
  const number = readNumber(asked);
  const bare = number !== null && number.rest === "" ? number : null;
  return ({ text }) => {
    const heading = normaliseName(text);
    if (heading === asked) return true;
    const read = readNumber(heading);
    if (read === null) return false;
    if (read.rest === asked) return true;
    return bare !== null && read.number === bare.number && (bare.division === null || read.division === bare.division);
  };
}
