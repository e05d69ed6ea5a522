/** Raised digits, as of powers and of the marks of notes, as the inside of a class of characters. */
export const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079";
const LOWERED = "\u2080-\u2089";

const HOLDS_ONE = new RegExp(`[${RAISED}${LOWERED}\u00bc-\u00be\u2150-\u215e]`, "u");
const RAISED_BEHIND = new RegExp(String.raw`(?<=[\d${LOWERED}])(?=[\u207a\u207b]?[${RAISED}])`, "gu");
const LOWERED_BEHIND = new RegExp(String.raw`(?<=\d)(?=[${LOWERED}])|(?<=[${RAISED}${LOWERED}])(?=\d)`, "gu");

const FRACTION_BEHIND = /(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])/gu;

/** A text before its raised and lowered digits and its fractions become plain ones: "10⁶" as "10^⁶", so that it is never 106, and "1½" as "1 ½", never 11/2. */
export function withPartedDigits(text: string): string {
  if (!HOLDS_ONE.test(text)) return text;
  return text.replace(RAISED_BEHIND, "^").replace(LOWERED_BEHIND, "_").replace(FRACTION_BEHIND, " ");
}
