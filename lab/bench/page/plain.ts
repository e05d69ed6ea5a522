/** Words per paragraph: about as many as an answer with its sources. */
const WORDS = 120;

/** Returns the address of a page of plain paragraphs without script or style, as a baseline for the machine's load. */
export function plainPage(paragraphs: number): string {
  const text = "lamp ".repeat(WORDS);
  const body = Array.from({ length: paragraphs }, (_, i) => `<p>${i} ${text}`).join("");
  return `data:text/html,<!doctype html><html lang=en><title>Plain</title><main>${body}</main>`;
}
