/**
 * The input of the cross-encoder (Nogueira & Cho, arXiv:1901.04085, section 3): a question and a candidate, a claim and
 * evidence, or two questions.
 */
export interface TextPair {
  /** The question, the claim, or the earlier question. */
  readonly question: string;
  /** The candidate, the evidence, or the later question. */
  readonly text: string;
}

/** A text to embed, or a pair to score. */
export type ToRead = string | TextPair;

/** The embedding of a text. Callers share it and must not change it. */
export interface TextReading {
  /** Vector of the whole text with length 1. The dot product of two such vectors is their cosine. */
  readonly vector: Float32Array;
}

/** The scores of a pair. Callers share them and must not change them. Only the score for the kind of the pair is meaningful. */
export interface PairReading extends TextReading {
  /** Log odds that the text answers the question. */
  readonly answer: number;
  /** Log odds that both questions ask the same. */
  readonly same: number;
  /** Log probabilities of the entailment labels. */
  readonly claim: { readonly supported: number; readonly contradicted: number; readonly notFound: number };
  /**
   * Log odds that the text supports each word of the claim, words being separated by white space. Infinity: the word is
   * beyond the token limit. Only with the adapter `claims`.
   */
  readonly words?: Float32Array;
}

/** Type of the result: `PairReading` for a pair, `TextReading` for a text, their union for a list of both. */
export type ReadingOf<Read extends ToRead> = Read extends TextPair ? PairReading : TextReading;

/** The cross-encoder: embeds single texts and scores pairs. */
export interface Reader {
  /**
   * Returns one result per text or pair, in order. Longer input is cut: a text to 256 tokens, a question to 48, a pair to 176.
   * @throws the signal's reason when cancelled
   * @throws {ModelError} `reader_closed` | `reader_crashed` | `reader_failed`
   * @example
   * const [embedded] = await reader.read(["What is the fee?"]);
   * const [scored] = await reader.read([{ question: "What is the fee?", text: "Library › Fees\nA card costs $3." }]);
   */
  read<Read extends ToRead>(texts: readonly Read[], signal?: AbortSignal): Promise<ReadingOf<Read>[]>;
  /** Identifies the weights. Vectors that were computed with different weights must not be compared. */
  readonly weights: { readonly name: string; readonly hash: string };
  /** Starts the threads without waiting for them. */
  warm(): void;
  /** Ends all threads; pending calls are rejected with `reader_closed`. */
  close(): Promise<void>;
}

/**
 * Embeds texts or scores pairs, with the cross-encoder for whose scores the ranking weights were trained. Returns
 * `null` if that cross-encoder is not available; callers then continue without its scores.
 */
export type ReadTexts = <Read extends ToRead>(texts: readonly Read[], signal: AbortSignal) => Promise<readonly ReadingOf<Read>[] | null>;

/**
 * Maximum characters of the title, of the headings (`MAX_ABOVE`), and of the candidate with its context (`MAX_TEXT`).
 * Together they have about 120 tokens.
 */
const MAX_TITLE = 80;
const MAX_ABOVE = 120;
const MAX_TEXT = 420;

/** Formats a candidate as in training: title and headings on the first line, the text on the second. @param headings outermost first */
export function quoteText(title: string, headings: readonly string[], text: string): string {
  // Keep the end, because the innermost headings are the most specific.
  const above = headings.join(" › ").slice(-MAX_ABOVE);
  const head = [title.slice(0, MAX_TITLE), above].filter((part) => part !== "").join(" › ");
  return [head, text.replace(/\s+/gu, " ").trim().slice(0, MAX_TEXT)].join("\n");
}

/** Returns the dot product of two vectors of equal length; for unit vectors their cosine. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
