import type { WireDocument } from "../../src/client/index.ts";
import type { Place } from "../app/route.ts";

/** Where a place of a link stands in the document of today. */
export type Located =
  | { readonly type: "none" }
  /** As it was linked. */
  | { readonly type: "same"; readonly start: number; readonly end: number }
  /** The same words, elsewhere or in another version. */
  | { readonly type: "moved"; readonly start: number; readonly end: number }
  /** The words are not there any more, or stand at several places and none is the old one. */
  | { readonly type: "changed" };

/** @param place with `quote`, perhaps cut: the words that stood there; without `start` they are sought in the whole text */
export function locatePlace({ text, version }: Pick<WireDocument, "text" | "version">, place: Place): Located {
  const { start, end, quote } = place;
  if (start === null || end === null) return quote === null || quote === "" ? { type: "none" } : findQuote(text, quote);
  if (place.version === version || (place.version === null && quote === null)) {
    return end <= text.length && (quote === null || text.startsWith(quote, start)) ? { type: "same", start, end } : { type: "changed" };
  }
  if (quote === null || quote === "") return { type: "changed" };
  const length = end - start;
  const at = text.startsWith(quote, start) ? start : onlyPlace(text, quote);
  if (at === null || at + length > text.length) return { type: "changed" };
  return { type: "moved", start: at, end: at + length };
}

/** What stands at several places is at none of them: the document is shown from its beginning. */
function findQuote(text: string, quote: string): Located {
  const at = onlyPlace(text, quote);
  if (at !== null) return { type: "same", start: at, end: at + quote.length };
  return { type: text.includes(quote) ? "none" : "changed" };
}

function onlyPlace(text: string, quote: string): number | null {
  const first = text.indexOf(quote);
  return first < 0 || text.indexOf(quote, first + 1) >= 0 ? null : first;
}
