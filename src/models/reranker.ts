/** What a reranker reads of a passage. */
export interface RerankPassage {
  readonly title: string;
  /** Headings above the passage, outermost first, in one line. */
  readonly section: string;
  readonly text: string;
  /** Raw scores of the rankings before, where there were any; `null` where a ranking does not hold the passage. */
  readonly scores?: { readonly dense: number | null; readonly bm25: number | null; readonly fused: number };
}

export interface RerankOptions {
  readonly signal?: AbortSignal | undefined;
  /** How rare a stem is in the whole corpus. */
  readonly idf?: (token: string) => number;
  /** Told why a pair has no score. */
  readonly onFailure?: ((reason: string) => void) | undefined;
}

/** Scores passages against a question, each pair on its own terms. Every implementation runs the same contract suite (`src/testing`). */
export interface Reranker {
  /** Names the model and its weights. */
  readonly id: string;
  /**
   * One score per passage, in order: 0 to 1, higher answers better; `null` for a pair that cannot be scored (nothing to read in it), never 0 for unknown.
   * @throws ModelError when the model cannot be reached; the signal's reason when cancelled
   */
  rerank(question: string, passages: readonly RerankPassage[], options?: RerankOptions): Promise<(number | null)[]>;
}
