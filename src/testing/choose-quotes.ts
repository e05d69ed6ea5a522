import type { Reranker } from "../models/reranker.ts";
import type { Evidence } from "../types.ts";
import { choosePieces } from "../write/choose.ts";
import { readChooserWeights } from "../write/chooser-weights.ts";
import { chooseQuotes, type QuoteCandidate, type QuoteWords } from "../write/compress.ts";

export interface ChooseQuotesOptions {
  readonly limit: number;
  readonly maxCharacters: number;
  /** @default null */
  readonly reranker?: Reranker | null;
}

/** Quotes by the weights that ship, of evidence that no encoder has compared with the question. */
export async function chooseQuotesFrom(
  question: string,
  evidence: readonly Evidence[],
  words: QuoteWords,
  { limit, maxCharacters, reranker = null }: ChooseQuotesOptions,
): Promise<QuoteCandidate[]> {
  const weights = readChooserWeights();
  const { signal } = new AbortController();
  return chooseQuotes(
    await choosePieces(question, evidence, words, { maxCharacters, reranker, embed: null, weights, signal }),
    words,
    limit,
  );
}
