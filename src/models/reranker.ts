export interface RerankPassage {
  readonly title: string;
  /** Headings above the passage, outermost first, in one line. */
  readonly section: string;
  readonly text: string;
}

/**
 * Scores each question–passage pair independently of the others. Every implementation runs the contract suite in
 * `src/testing`.
 */
export interface Reranker {
  /** Identifies the model and its weights. */
  readonly id: string;
  /**
   * Returns one score per passage, in order, from 0 to 1; higher is better. The score is `null`, never 0, if a pair cannot
   * be scored, for instance because it has no text.
   * @throws ModelError if the model cannot be reached; the signal's reason when cancelled
   */
  rerank(
    question: string,
    passages: readonly RerankPassage[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<(number | null)[]>;
}
