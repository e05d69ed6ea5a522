export interface VerifierPassage {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
}

export interface PassageVerdict {
  /** Whether the passage answers the question, 0–1. */
  readonly relevance: number;
  /** Whether the passage is self-contained, clear and unambiguous, 0–1. */
  readonly consistency: number;
}

export interface VerifierOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called before a request to an endpoint; never if no passage needs one. */
  readonly onCall?: (() => void) | undefined;
  /** Called once per completed request; `null`: the endpoint did not count. */
  readonly onUsage?: ((usage: { readonly inputTokens: number | null; readonly outputTokens: number | null }) => void) | undefined;
  /** Called with the reason if passages have no verdict. */
  readonly onFailure?: ((reason: string) => void) | undefined;
}

/** Judges passages before anything is written. Every implementation runs the contract suite in `src/testing`. */
export interface PassageVerifier {
  readonly id: string;
  /** Name of the called model, for its price. */
  readonly model: string;
  /**
   * Returns one verdict per passage, in order; `null`, never 0, if it cannot be judged: no words, embedded instructions, or a reply that
   * does not parse. The text of a passage must not influence the verdicts of others.
   * @throws ModelError when the model cannot be reached; the signal's reason when cancelled
   */
  verify(question: string, passages: readonly VerifierPassage[], options?: VerifierOptions): Promise<readonly (PassageVerdict | null)[]>;
}
