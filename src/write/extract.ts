import type { DraftSentence, Quote } from "../types.ts";
import type { QuoteCandidate } from "./compress.ts";

/**
 * The answer built from quotes: the best candidates that each add words of the question, in source order (best passage first),
 * every sentence a byte-exact quote.
 */
export function writeExtractive(candidates: readonly QuoteCandidate[], sentences: number): DraftSentence[] {
  const chosen: QuoteCandidate[] = [];
  const covered = new Set<string>();
  for (const candidate of candidates) {
    if (chosen.length === sentences) break;
    const adds = [...candidate.covers].some((token) => !covered.has(token));
    const share = candidate.score / (candidates[0]?.score ?? 1);
    if (share < (adds ? LEAST_SHARE : NEAR_BEST)) continue;
    chosen.push(candidate);
    for (const token of candidate.covers) covered.add(token);
  }
  const ranks = passageRanks(chosen);
  const quotes = uniqueQuotes(chosen.flatMap(({ context, quote }) => [...context, quote]));
  return quotes
    .sort((a, b) => (ranks.get(a.passage.document.id) ?? 0) - (ranks.get(b.passage.document.id) ?? 0) || a.start - b.start)
    .map((quote) => ({ text: quote.text, quotes: [quote], missing: [] }));
}

/** A candidate that adds no word of the question is taken only if it scores at least this share of the best. */
const NEAR_BEST = 0.75;
/** No candidate is taken below this share of the best one's score: it holds a common word of the question, no answer. */
const LEAST_SHARE = 0.5;

/** Documents by the score of their best candidate. */
function passageRanks(chosen: readonly QuoteCandidate[]): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const { quote } of chosen) if (!ranks.has(quote.passage.document.id)) ranks.set(quote.passage.document.id, ranks.size);
  return ranks;
}

function uniqueQuotes(quotes: readonly Quote[]): Quote[] {
  const kept: Quote[] = [];
  for (const quote of quotes) {
    if (
      !kept.some((other) => other.passage.document.id === quote.passage.document.id && other.start <= quote.start && other.end >= quote.end)
    ) {
      kept.push(quote);
    }
  }
  return kept;
}
