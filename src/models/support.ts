import type { TextRange } from "../shared/types.ts";

/** A text of the evidence. `above` is its context, outermost first: title, headings, the lead-in of a list, the header of a table. */
export interface EvidenceText {
  readonly text: string;
  readonly above: readonly string[];
}

/** A sentence of an answer with the texts that should support it. */
export interface SupportPair {
  readonly claim: string;
  /** Quotes or passages that may support the claim. */
  readonly evidence: readonly EvidenceText[];
}

export interface SupportScore {
  /** Probability that the evidence supports the whole claim, 0 to 1. */
  readonly score: number;
  /** Ranges of the claim that are not supported, in order; may be empty. */
  readonly spans: readonly TextRange[];
  readonly reason: string;
  /** True if the evidence contradicts the claim. Absent: not determined. */
  readonly contradicted?: boolean;
}

/** Scores whether evidence supports a claim. Every implementation runs the contract suite in `src/testing`. */
export interface SupportScorer {
  /** Identifies the model and its weights. */
  readonly id: string;
  /**
   * Returns one score per pair, in order. A score is `null`, never 0, if the pair cannot be scored: the claim has no words,
   * or the reply of the model cannot be parsed.
   * @throws ModelError if the model cannot be reached; the signal's reason when cancelled
   */
  score(pairs: readonly SupportPair[], options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly (SupportScore | null)[]>;
}

/** Returns whether a text contains a letter or digit. */
export function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Returns the distinct lines of the evidence: first the texts, then their context. */
export function evidenceLines(evidence: readonly EvidenceText[]): string[] {
  const above = evidence.flatMap((one) => one.above.filter((line) => line.trim() !== ""));
  return [...new Set([...evidence.map(({ text }) => text), ...above])];
}
