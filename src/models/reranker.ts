export interface RerankPassage {
  readonly title: string;
  /** Headings above the passage, outermost first, in one line. */
  readonly section: string;
  readonly text: string;
}

/** Scores question–passage pairs independently of each other. Every implementation runs the contract suite in `src/testing`. */
export interface Reranker {
  /** Identifies the model and its weights. */
  readonly id: string;
  /**
   * Returns one score per passage, in order, 0–1, higher is better; `null`, never 0, for a pair that cannot be scored, such as one without
   * text.
   * @throws ModelError when the model cannot be reached; the signal's reason when cancelled
   */
  rerank(
    question: string,
    passages: readonly RerankPassage[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<(number | null)[]>;
}
