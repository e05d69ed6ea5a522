import type { WireCitation } from "../../src/client/index.ts";

export interface MarkedPassage {
  readonly before: string;
  readonly quote: string;
  readonly after: string;
}

/** The passage cut around its quote, or `null` when the quote does not stand where the citation says: then nothing may be marked. */
export function markQuote({ context, quote, quote_start }: Pick<WireCitation, "context" | "quote" | "quote_start">): MarkedPassage | null {
  const end = quote_start + quote.length;
  if (quote.length === 0 || context.slice(quote_start, end) !== quote) return null;
  return { before: context.slice(0, quote_start), quote, after: context.slice(end) };
}
