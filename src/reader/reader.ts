/** Does this passage answer this question? Texts may have any length. */
export interface ReadRequest {
  readonly question: string;
  /** The passage's "title › heading › heading", or empty. */
  readonly head: string;
  readonly passage: string;
}

export interface Reading {
  /** Log odds that the passage answers the question; of a passage in several windows the largest. */
  readonly answer: number;
}

/** A reader: gives one reading per request, in their order. Readings may be shared with other callers: they are not to be changed. */
export interface Reader {
  /**
   * @throws the signal's reason when it is cancelled
   * @throws {ModelError} `reader_closed` | `reader_crashed` | `reader_failed`
   * @example
   * const [reading] = await reader.read([{ question: "What is the fee?", head: "Library › Fees", passage: "A card costs $3." }]);
   */
  read(requests: readonly ReadRequest[], signal?: AbortSignal): Promise<Reading[]>;
  /** Name and hash: readings of different weights must not be compared. `calibration` is what stands in the weights file. */
  readonly weights: { readonly name: string; readonly hash: string; readonly calibration: Readonly<Record<string, unknown>> };
  /** Starts what the first reading would start, without waiting for it. */
  warm(): void;
  /** Ends all threads; readings under way are rejected with `reader_closed`. */
  close(): Promise<void>;
}
