/** One spelling: NFKC, lower case, single spaces, no closing punctuation. Letters and digits stay as they are. */
export function normalizeQuestion(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[\s?.!]+$/, "");
}
