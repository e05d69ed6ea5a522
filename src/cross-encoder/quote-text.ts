/** Maximum characters of the title, of the headings, and of the candidate with the sentence it refers to: about 120 tokens in total. */
const MAX_TITLE = 80;
const MAX_ABOVE = 120;
const MAX_TEXT = 420;

/** Formats a candidate as in training: title and headings (outermost first) on the first line, then the text. */
export function quoteText(title: string, headings: readonly string[], text: string): string {
  // Cut at the start, because the innermost headings come last.
  const above = headings.join(" › ").slice(-MAX_ABOVE);
  const head = [title.slice(0, MAX_TITLE), above].filter((part) => part !== "").join(" › ");
  return [head, text.replace(/\s+/gu, " ").trim().slice(0, MAX_TEXT)].join("\n");
}
