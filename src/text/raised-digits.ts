/** Raised digits, as of powers and of the marks of notes, as the inside of a class of characters. */
export const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079";
const LOWERED = "\u2080-\u2089";

const HOLDS_ONE = new RegExp(`[${RAISED}${LOWERED}]`, "u");
const RAISED_BEHIND = new RegExp(String.raw`(?<=[\d${LOWERED}])(?=[\u207a\u207b]?[${RAISED}])`, "gu");
const LOWERED_BEHIND = new RegExp(String.raw`(?<=\d)(?=[${LOWERED}])|(?<=[${RAISED}${LOWERED}])(?=\d)`, "gu");

/** A text before its raised and lowered digits become plain ones: "10⁶" as "10^⁶", so that it is never 106. */
export function withPartedDigits(text: string): string {
  if (!HOLDS_ONE.test(text)) return text;
  return text.replace(RAISED_BEHIND, "^").replace(LOWERED_BEHIND, "_");
}
