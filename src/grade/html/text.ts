import { escapeUTF8 } from "entities";

/** Characters that no page may hold, and those that turn the direction of the text around them. */
const UNSAFE = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A text of documents, questions or files as text of a page, also inside an attribute in quotes: nothing of it is markup. */
export function html(text: string): string {
  return escapeUTF8(text.replaceAll(UNSAFE, "\ufffd"));
}
