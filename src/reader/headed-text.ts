/** Characters of a title, of what else stands above, and of the text below: some 120 tokens together. */
const MAX_TITLE = 80;
const MAX_ABOVE = 120;
export const MAX_TEXT = 420;

/** What the reader reads of a part of a document: its title and headings on a line of their own, then its text. */
export function headedText({ title, above, text }: { readonly title: string; readonly above: string; readonly text: string }): string {
  // What stands last is nearest to the text.
  const head = [title.slice(0, MAX_TITLE), above.slice(-MAX_ABOVE)].filter((part) => part !== "").join(" › ");
  return `${head}\n${text.replace(/\s+/gu, " ").trim().slice(0, MAX_TEXT)}`;
}
