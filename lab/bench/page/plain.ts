/** Words of a paragraph: about as many as an answer with its sources shows. */
const WORDS = 120;

/** Address of a page of so many plain paragraphs, without script or style: what the machine has left for any page beside its other work. */
export function plainPage(paragraphs: number): string {
  const text = "lamp ".repeat(WORDS);
  const body = Array.from({ length: paragraphs }, (_, i) => `<p>${i} ${text}`).join("");
  return `data:text/html,<!doctype html><html lang=en><title>Plain</title><main>${body}</main>`;
}
