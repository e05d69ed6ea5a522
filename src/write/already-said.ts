import { tokenize } from "../text/tokens.ts";
import type { DraftSentence, Quote } from "../types.ts";

/** Does the answer cite every quote of this one already, or a part of it? */
export function isCited({ quotes }: DraftSentence, shown: readonly DraftSentence[]): boolean {
  return quotes.every((quote) => shown.some((sentence) => sentence.quotes.some((cited) => overlap(cited, quote))));
}

/** Do sentences that rest on this quote hold every word of it, whatever marks stand between? In other words they may leave out what the quote says. */
export function isSaid({ text, quotes }: DraftSentence, shown: readonly DraftSentence[]): boolean {
  const resting = shown.filter((sentence) => sentence.quotes.some((cited) => quotes.some((quote) => overlap(cited, quote))));
  const said = new Set(resting.flatMap((sentence) => tokenize(sentence.text)));
  return resting.length > 0 && tokenize(text).every((token) => said.has(token));
}

function overlap(a: Quote, b: Quote): boolean {
  return a.passage.document.id === b.passage.document.id && a.start < b.end && b.start < a.end;
}
