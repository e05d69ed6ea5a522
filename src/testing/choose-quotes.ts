import type { ReadTexts } from "../cross-encoder/reader.ts";
import { sharedEncoder } from "../models/embedded-encoder.ts";
import { readRankingWeights } from "../ranking/features.ts";
import { rankCandidates, withFollowing } from "../ranking/rank.ts";
import type { Evidence } from "../shared/types.ts";
import { chooseQuotes, type QuoteCandidate, type QuoteWords } from "../writing/quotes.ts";

export interface ChooseQuotesOptions {
  readonly limit: number;
  readonly maxCharacters: number;
  /** The cross-encoder. @default none: only the first-stage score ranks the candidates */
  readonly read?: ReadTexts;
}

export type QuoteChooser = (
  question: string,
  evidence: readonly Evidence[],
  words: QuoteWords,
  options: ChooseQuotesOptions,
) => Promise<QuoteCandidate[]>;

/** Creates a quote chooser with the embedded weights and encoder, which are loaded once. */
export function createQuoteChooser(): QuoteChooser {
  const encoder = sharedEncoder();
  const weights = readRankingWeights();
  return async (question, evidence, words, { limit, maxCharacters, read = null }) => {
    const { signal } = new AbortController();
    const embed = (texts: readonly string[]) => encoder.embedSync(texts);
    const choice = await rankCandidates(question, evidence, words, { maxCharacters, weights, read, embed, signal });
    return chooseQuotes(read === null ? choice : await withFollowing(question, choice, read, signal), words, limit);
  };
}
