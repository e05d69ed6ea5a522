import type { Quote } from "../types.ts";
import type { QuoteWords } from "./compress.ts";
import type { OfferedSource } from "./sources.ts";

/** The quotes of a source that a sentence rests on: those with its words. */
export type BindSentence = (text: string, source: OfferedSource) => readonly Quote[];

/** Quotes of one source behind one sentence at most. */
const MAX_QUOTES = 4;
/** A further quote must bring this share of the sentence's weight that those before it lack, or one of its numbers. */
const LEAST_GAIN = 0.1;

/**
 * Binds sentences to quotes: of a source the quote that holds most of the sentence's words, by weight, then those that bring what it lacks. In the order of the
 * source; a sentence that shares no word with it is bound to its beginning, for the checks to judge. Texts of a source are read once.
 */
export function createBinder(words: Pick<QuoteWords, "tokens" | "idf">): BindSentence {
  const read = new WeakMap<Quote, ReadonlySet<string>>();
  const tokensOf = (quote: Quote) => {
    const known = read.get(quote);
    if (known !== undefined) return known;
    const tokens = new Set(words.tokens(`${quote.header?.text ?? ""} ${quote.text}`));
    read.set(quote, tokens);
    return tokens;
  };
  const weigh = (token: string) => Math.max(0, words.idf(token));
  return (text, { citable }) => {
    if (citable.length <= 1) return citable;
    const open = new Set(words.tokens(text));
    const total = [...open].reduce((sum, token) => sum + weigh(token), 0);
    const bound = new Set<Quote>();
    while (bound.size < MAX_QUOTES) {
      const best = bestOf(citable, open, tokensOf, weigh);
      if (best === null) break;
      const isEnough = bound.size > 0 && best.gain < LEAST_GAIN * total && !best.brings.some((token) => /\d/.test(token));
      if (isEnough) break;
      bound.add(best.quote);
      for (const token of best.brings) open.delete(token);
    }
    return bound.size === 0 ? citable.slice(0, 1) : citable.filter((quote) => bound.has(quote));
  };
}

/** The quote that brings most of what is open, the first of equals; `null` when none brings anything. */
function bestOf(
  citable: readonly Quote[],
  open: ReadonlySet<string>,
  tokensOf: (quote: Quote) => ReadonlySet<string>,
  weigh: (token: string) => number,
): { quote: Quote; gain: number; brings: readonly string[] } | null {
  let best: { quote: Quote; gain: number; brings: readonly string[] } | null = null;
  for (const quote of citable) {
    const held = tokensOf(quote);
    const brings = [...open].filter((token) => held.has(token));
    const gain = brings.reduce((sum, token) => sum + weigh(token), 0);
    if (gain > (best?.gain ?? 0)) best = { quote, gain, brings };
  }
  return best;
}
