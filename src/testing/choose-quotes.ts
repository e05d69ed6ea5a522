import { sharedEncoder } from "../models/embedded-encoder.ts";
import type { Reranker } from "../models/reranker.ts";
import type { ReadTexts } from "../reader/reader.ts";
import { createEmbeddedReranker } from "../retrieve/rerank.ts";
import type { Evidence } from "../types.ts";
import { choosePieces } from "../write/choose.ts";
import { readChooserWeights } from "../write/chooser-weights.ts";
import { chooseQuotes, type QuoteCandidate, type QuoteWords } from "../write/compress.ts";
import { withFollowing } from "../write/read-pieces.ts";

export interface ChooseQuotesOptions {
  readonly limit: number;
  readonly maxCharacters: number;
  /** @default the one that ships */
  readonly reranker?: Reranker;
  /** @default nothing is read, and what a glance says stands */
  readonly read?: ReadTexts;
}

export type QuoteChooser = (
  question: string,
  evidence: readonly Evidence[],
  words: QuoteWords,
  options: ChooseQuotesOptions,
) => Promise<QuoteCandidate[]>;

/** Chooses quotes by the weights, the encoder and the reranker that ship; they are read once. */
export function createQuoteChooser(): QuoteChooser {
  const encoder = sharedEncoder();
  const weights = readChooserWeights();
  const shipped = createEmbeddedReranker(encoder);
  return async (question, evidence, words, { limit, maxCharacters, reranker = shipped, read = null }) => {
    const options = {
      ...{ maxCharacters, reranker, weights, read },
      embed: (texts: readonly string[]) => encoder.embedSync(texts),
      signal: new AbortController().signal,
    };
    const choice = await choosePieces(question, evidence, words, options);
    return chooseQuotes(read === null ? choice : await withFollowing(question, choice, { ...options, readTexts: read }), words, limit);
  };
}
