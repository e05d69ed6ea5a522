import { loadEmbeddedEncoder } from "../models/embedded-encoder.ts";
import type { Reranker } from "../models/reranker.ts";
import { createEmbeddedReranker } from "../retrieve/rerank.ts";
import type { Evidence } from "../types.ts";
import { choosePieces } from "../write/choose.ts";
import { readChooserWeights } from "../write/chooser-weights.ts";
import { chooseQuotes, type QuoteCandidate, type QuoteWords } from "../write/compress.ts";

export interface ChooseQuotesOptions {
  readonly limit: number;
  readonly maxCharacters: number;
  /** @default the one that ships */
  readonly reranker?: Reranker;
}

/** Quotes by the weights, the encoder and the reranker that ship. */
export async function chooseQuotesFrom(
  question: string,
  evidence: readonly Evidence[],
  words: QuoteWords,
  { limit, maxCharacters, reranker }: ChooseQuotesOptions,
): Promise<QuoteCandidate[]> {
  const encoder = loadEmbeddedEncoder();
  const options = {
    ...{ maxCharacters, reranker: reranker ?? createEmbeddedReranker(encoder), weights: readChooserWeights() },
    embed: (texts: readonly string[]) => encoder.embedSync(texts),
    signal: new AbortController().signal,
  };
  return chooseQuotes(await choosePieces(question, evidence, words, options), words, limit);
}
