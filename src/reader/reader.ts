/** What is asked of the reader: one of three questions about two texts. Texts may have any length. */
export type ReadRequest =
  /** Does this passage answer this question, and where? `head` is the passage's "title › heading › heading", or empty. */
  | { readonly task: "answers"; readonly question: string; readonly head: string; readonly passage: string }
  /** What does this evidence say of this claim? */
  | { readonly task: "claims"; readonly claim: string; readonly evidence: string; readonly head?: string }
  /** Do these two questions ask for the same? */
  | { readonly task: "pairs"; readonly a: string; readonly b: string };

/** Logits of each token of a passage: that the answer starts with it, ends with it, and that it belongs to what is relevant. */
export interface TokenLogits {
  /** UTF-16 units of the passage: token i is `passage.slice(starts[i], ends[i])`. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly startLogits: Float32Array;
  readonly endLogits: Float32Array;
  readonly relevantLogits: Float32Array;
}

export interface AnswersReading {
  readonly task: "answers";
  /** Logit that the passage answers the question; of a passage in several windows the largest. */
  readonly answer: number;
  readonly tokens: TokenLogits;
}

/** Chances that add up to 1; of evidence in several windows those of the window that leaves least open. */
export interface ClaimsReading {
  readonly task: "claims";
  readonly supported: number;
  readonly contradicted: number;
  readonly notFound: number;
}

export interface PairsReading {
  readonly task: "pairs";
  /** Logit that both questions ask for the same. */
  readonly same: number;
}

export type Reading = AnswersReading | ClaimsReading | PairsReading;

/** The reading that belongs to a request. */
export type ReadingOf<T extends ReadRequest> = Extract<Reading, { task: T["task"] }>;

/** A reader: gives one reading per request, in their order. Readings may be shared with other callers: they are not to be changed. */
export interface Reader {
  /**
   * @throws the signal's reason when it is cancelled
   * @throws {ModelError} `reader_closed` | `reader_crashed`
   * @example
   * const [reading] = await reader.read([{ task: "pairs", a: "What is the fee?", b: "How much does it cost?" }]);
   */
  read<const T extends readonly ReadRequest[]>(requests: T, signal?: AbortSignal): Promise<{ -readonly [I in keyof T]: ReadingOf<T[I]> }>;
  /** Name and hash: readings of different weights must not be compared. `calibration` is what stands in the weights file. */
  readonly weights: { readonly name: string; readonly hash: string; readonly calibration: Readonly<Record<string, unknown>> };
  /** Starts what the first reading would start, without waiting for it. */
  warm(): void;
  /** Ends all threads; readings under way are rejected with `reader_closed`. */
  close(): Promise<void>;
}
