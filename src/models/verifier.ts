/** What a verifier reads of a passage. */
export interface VerifierPassage {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
}

export interface PassageVerdict {
  /** Does it answer this question? 0–1. */
  readonly relevance: number;
  /** Is it self-contained, clear and unambiguous? 0–1. */
  readonly consistency: number;
}

export interface VerifierOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told when an endpoint is called: for some passages it need not be. */
  readonly onCall?: (() => void) | undefined;
  /** Told once for each call of an endpoint that ended by itself; `null`: it did not count. */
  readonly onUsage?: ((usage: { readonly inputTokens: number | null; readonly outputTokens: number | null }) => void) | undefined;
  /** Told why passages have no verdict. */
  readonly onFailure?: ((reason: string) => void) | undefined;
}

/** Judges passages before anything is written from them. Every implementation runs the same contract suite (`src/testing`). */
export interface PassageVerifier {
  readonly id: string;
  /** Name of the model that is called, for its price. */
  readonly model: string;
  /**
   * One verdict per passage, in order; `null` for one that cannot be judged (no words in it, orders in it, a reply that does not parse), never 0 for unknown.
   * No passage has a say in the verdict of another.
   * @throws ModelError when the model cannot be reached; the signal's reason when cancelled
   */
  verify(question: string, passages: readonly VerifierPassage[], options?: VerifierOptions): Promise<readonly (PassageVerdict | null)[]>;
}
