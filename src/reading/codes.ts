import { words } from "../text/tokens.ts";

/** A form id, a diagnostic code, a section of a regulation, or digits with letters behind them: `21-526ez`, `dc6260`, `cfr4.25`, `526ez`. */
const CODE = /^(?:\d{2}[a-z]?-(?:\d{3,5}[a-z]{0,3}|\d{2}[a-z]{1,3})|dc\d{4}|cfr\d{1,4}(?:\.\d{1,5})?[a-z]?|\d{3,5}[a-z]{1,3})$/;
/** A number with one of these before it is a code: "form 10182". */
const BEFORE_NUMBER = new Set(["form", "forms", "dd"]);
const NUMBER = /^(?:\d{3,5}|\d{2}-\d{2})$/;

/** Codes of a text as the index writes them, without repeats. Plain numbers, amounts, dates and telephone numbers are none. */
export function codesIn(text: string): string[] {
  const found = new Set<string>();
  let before = "";
  for (const word of words(text)) {
    if (word.code && (CODE.test(word.text) || (NUMBER.test(word.text) && BEFORE_NUMBER.has(before)))) found.add(word.text);
    before = word.text;
  }
  return [...found];
}
