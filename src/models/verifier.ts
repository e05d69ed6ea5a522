export interface VerifierPassage {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
}

export interface PassageVerdict {
  /** Score, from 0 to 1, of whether the passage answers the question. */
  readonly relevance: number;
  /** Score, from 0 to 1, of whether the passage is self-contained, clear and unambiguous. */
  readonly consistency: number;
}

export interface VerifierOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called before a request to an endpoint. Not called if no request is needed. */
  readonly onCall?: (() => void) | undefined;
  /** Called after each completed request. A count is `null` if the endpoint did not report it. */
  readonly onUsage?: ((usage: { readonly inputTokens: number | null; readonly outputTokens: number | null }) => void) | undefined;
  /** Called with the reason if some passages get no verdict. */
  readonly onFailure?: ((reason: string) => void) | undefined;
}

/** Judges passages before the answer is written. Every implementation runs the contract suite in `src/testing`. */
export interface PassageVerifier {
  readonly id: string;
  /** Name of the model that is called; used to look up its price. */
  readonly model: string;
  /**
   * Returns one verdict per passage, in order. A verdict is `null`, never 0, if the passage cannot be judged: it has no
   * words, it contains instructions, or the reply cannot be parsed. The text of a passage must not influence the verdicts on
   * other passages.
   * @throws ModelError if the model cannot be reached; the signal's reason when cancelled
   */
  verify(question: string, passages: readonly VerifierPassage[], options?: VerifierOptions): Promise<readonly (PassageVerdict | null)[]>;
}
