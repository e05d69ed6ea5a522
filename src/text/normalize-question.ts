import { withPartedDigits } from "./raised-digits.ts";

/** One spelling: NFKC, lower case, single spaces, no closing punctuation. Letters and digits stay as they are. */
export function normalizeQuestion(text: string): string {
  return withPartedDigits(text)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[\s?.!]+$/, "");
}

/** Whether a text is the question and nothing else: it asks, and answers nothing. */
export function repeatsQuestion(text: string, question: string): boolean {
  return /[?\uff1f][\s)"'\u2019\u201d\u00bb]*$/.test(text) && normalizeQuestion(text) === normalizeQuestion(question);
}
