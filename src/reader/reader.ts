/** A reader: turns what a text means into a vector, so that a question lies near what answers it. */
export interface Reader {
  /**
   * One vector of length 1 per text, in their order: the dot product of two is their cosine. Of a text beyond 256 tokens the beginning is read. Vectors may be
   * shared with other callers: they are not to be changed.
   *
   * @throws the signal's reason when it is cancelled
   * @throws {ModelError} `reader_closed` | `reader_crashed` | `reader_failed`
   * @example
   * const [question, passage] = await reader.read(["What is the fee?", "Library › Fees\nA card costs $3."]);
   */
  read(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** Name and hash: vectors of different weights must not be compared. */
  readonly weights: { readonly name: string; readonly hash: string };
  /** Starts what the first reading would start, without waiting for it. */
  warm(): void;
  /** Ends all threads; readings under way are rejected with `reader_closed`. */
  close(): Promise<void>;
}

/** Vectors of texts, each of length 1, by the reader that weights were learned with; `null`: it could not read, and what is known without it stands. */
export type ReadTexts = (texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[] | null>;
