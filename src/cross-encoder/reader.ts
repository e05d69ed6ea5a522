/**
 * Two texts that are read together (cross-encoder: Nogueira & Cho, arXiv:1901.04085, section 3): a question with what may answer it, a claim with what may bear it
 * out, or a question that was asked before with one that is asked now.
 */
export interface TextPair {
  /** Or the claim, or the earlier question. */
  readonly question: string;
  /** Or the evidence, or the later question. */
  readonly text: string;
}

/** What is read: a text alone, or two together. */
export type ToRead = string | TextPair;

/** What was read of a text alone. It may be shared with other callers, and is not to be changed. */
export interface TextReading {
  /** Of the whole text, of length 1: the dot product of two is their cosine. */
  readonly vector: Float32Array;
}

/** What was read of two texts together; shared like any other. Of the three, that which fits what they are means something. */
export interface PairReading extends TextReading {
  /** Log odds that the text answers the question, beside texts that stand near it and do not. */
  readonly answer: number;
  /** Log odds that both questions ask for the same. */
  readonly same: number;
  /** Logarithms of the chances that the evidence bears the claim out, contradicts it, or does not settle it. */
  readonly claim: { readonly supported: number; readonly contradicted: number; readonly notFound: number };
}

/** What is read of a text, or of a pair; of a list of both, either. */
export type ReadingOf<Read extends ToRead> = Read extends TextPair ? PairReading : TextReading;

/** A reader: turns what a text means into a vector, so that a question lies near what answers it, and says of a question and a text whether one answers the other. */
export interface Reader {
  /**
   * One reading per text or pair, in their order. Of a text beyond 256 tokens the beginning is read; of the first of two 48, of both 176.
   *
   * @throws the signal's reason when it is cancelled
   * @throws {ModelError} `reader_closed` | `reader_crashed` | `reader_failed`
   * @example
   * const [alone] = await reader.read(["What is the fee?"]);
   * const [beside] = await reader.read([{ question: "What is the fee?", text: "Library › Fees\nA card costs $3." }]);
   */
  read<Read extends ToRead>(texts: readonly Read[], signal?: AbortSignal): Promise<ReadingOf<Read>[]>;
  /** Name and hash: vectors of different weights must not be compared. */
  readonly weights: { readonly name: string; readonly hash: string };
  /** Starts what the first reading would start, without waiting for it. */
  warm(): void;
  /** Ends all threads; readings under way are rejected with `reader_closed`. */
  close(): Promise<void>;
}

/** Readings of texts, by the reader that weights were learned with; `null`: it could not read, and what is known without it stands. */
export type ReadTexts = <Read extends ToRead>(texts: readonly Read[], signal: AbortSignal) => Promise<readonly ReadingOf<Read>[] | null>;
