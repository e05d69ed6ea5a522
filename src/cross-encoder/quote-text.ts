/** Characters of a title, of what else stands above, and of the piece with the sentence that it refers to: some 120 tokens together. */
const MAX_TITLE = 80;
const MAX_ABOVE = 120;
const MAX_TEXT = 420;

/** What may answer, as the reader reads it and learned to: title and headings (outermost first) on a line of their own, then the text. */
export function quoteText(title: string, headings: readonly string[], text: string): string {
  // What stands last is nearest to the piece.
  const above = headings.join(" › ").slice(-MAX_ABOVE);
  const head = [title.slice(0, MAX_TITLE), above].filter((part) => part !== "").join(" › ");
  return [head, text.replace(/\s+/gu, " ").trim().slice(0, MAX_TEXT)].join("\n");
}
