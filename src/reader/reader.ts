/** Length of a token's state in whole numbers: the most that a byte holds. */
export const TOKEN_LENGTH = 127;

/** What was read of a text. It may be shared with other callers, and is not to be changed. */
export interface TextReading {
  /** Of the whole text, of length 1: the dot product of two is their cosine. */
  readonly vector: Float32Array;
  /**
   * Tokens × length of `vector`, token by token: the state of each token that was read, without the two that frame a text; empty where there is no other.
   * Whole numbers that make a length of some `TOKEN_LENGTH`.
   */
  readonly tokens: Int8Array;
}

/** A reader: turns what a text means into a vector, so that a question lies near what answers it. */
export interface Reader {
  /**
   * One reading per text, in their order. Of a text beyond 256 tokens the beginning is read.
   *
   * @throws the signal's reason when it is cancelled
   * @throws {ModelError} `reader_closed` | `reader_crashed` | `reader_failed`
   * @example
   * const [question, passage] = await reader.read(["What is the fee?", "Library › Fees\nA card costs $3."]);
   */
  read(texts: readonly string[], signal?: AbortSignal): Promise<TextReading[]>;
  /** Name and hash: vectors of different weights must not be compared. */
  readonly weights: { readonly name: string; readonly hash: string };
  /** Starts what the first reading would start, without waiting for it. */
  warm(): void;
  /** Ends all threads; readings under way are rejected with `reader_closed`. */
  close(): Promise<void>;
}

/** Readings of texts, by the reader that weights were learned with; `null`: it could not read, and what is known without it stands. */
export type ReadTexts = (texts: readonly string[], signal: AbortSignal) => Promise<readonly TextReading[] | null>;
