import { digitOf } from "./normalise.ts";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Matches citation markers: `[1]`, `[[1]]`, `[1, 2]`, `[1-3]`, `[Source 1]`, `【1】`, `【1†source】`, `[^1]` (digits of
 * any script) and superscript digits. A superscript after a digit is an exponent ("10⁶") and does not match.
 */
const MARKER =
  /\s*(?:[[【]{1,2}\s*\^?\s*(?:sources?|quotes?|citations?|refs?)?\s*(\p{Nd}{1,9}(?:\s*(?:,|;|-|–|and|&)\s*\p{Nd}{1,9}){0,20})\s*(?:†[^[\]【】]{0,40})?[\]】]{1,2}|(?<![\p{Nd}⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹])([⁰¹²³⁴⁵⁶⁷⁸⁹]+))/giu;

export type MarkedText = ReturnType<typeof parseMarkers>;

/** Removes the citation markers from a sentence. Returns the rest and the numbers of the markers, in order, each once. */
export function parseMarkers(sentence: string) {
  const numbers = new Set<number>();
  const text = sentence.replaceAll(MARKER, (_whole, listed: string | undefined, raised: string | undefined) => {
    for (const number of listed === undefined ? [superscriptValue(raised ?? "")] : listedNumbers(listed)) numbers.add(number);
    return "";
  });
  return { text: tidy(text, numbers.size > 0), numbers: [...numbers] };
}

/** Removes spaces before punctuation and, if there were markers, the commas that separated them. */
function tidy(text: string, marked: boolean): string {
  const closed = text.replaceAll(/\s+([.,;:!?])/g, "$1").trim();
  return marked ? closed.replaceAll(/[,;]+(?=[.,;:!?]|$)/g, "") : closed;
}

/** Maximum distance between the ends of a range such as `[1-5]`. Of a wider range only the ends count: nobody cites so many sources. */
const WIDEST_RANGE = 20;

function listedNumbers(listed: string): number[] {
  return listed.split(/\s*(?:,|;|and|&)\s*/).flatMap((part) => {
    const [from, to] = part.split(/\s*[-–]\s*/).map(digitsValue);
    if (from === undefined) return [];
    if (to === undefined || to <= from) return [from];
    return to - from > WIDEST_RANGE ? [from, to] : Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}

function superscriptValue(raised: string): number {
  return Number([...raised].map((digit) => SUPERSCRIPTS.indexOf(digit)).join(""));
}

function digitsValue(digits: string): number {
  return Number([...digits].map(digitOf).join(""));
}
