import type { TextRange } from "../shared/types.ts";

/** A text of the evidence, with what stands above it and says what it is about: title first, then headings, a list's lead-in, a table's header. */
export interface EvidenceText {
  readonly text: string;
  readonly above: readonly string[];
}

/** A sentence of an answer and the texts that are to support it. */
export interface SupportPair {
  readonly claim: string;
  /** Quotes or passages. */
  readonly evidence: readonly EvidenceText[];
}

export interface SupportScore {
  /** Probability that the evidence supports the whole claim. */
  readonly score: number;
  /** Ranges of the claim that the evidence does not support, in order; empty where nothing stands out. */
  readonly spans: readonly TextRange[];
  /** What the score says, in a sentence. */
  readonly reason: string;
  /** Does the evidence contradict the claim? Absent: not measured. */
  readonly contradicted?: boolean;
}

/** Judges whether evidence supports a claim. Every implementation runs the same contract suite (`src/testing`). */
export interface SupportScorer {
  /** Names the model and its weights. */
  readonly id: string;
  /**
   * One score per pair, in order; `null` for a pair that cannot be scored (no words in it, an answer of a model that does not parse), never 0 for unknown.
   * @throws ModelError when the model cannot be reached; the signal's reason when cancelled
   */
  score(
    pairs: readonly SupportPair[],
    options?: { readonly signal?: AbortSignal | undefined; readonly onFailure?: ((reason: string) => void) | undefined },
  ): Promise<readonly (SupportScore | null)[]>;
}

/** The evidence as plain texts: the texts, then each line above them once. */
export function evidenceLines(evidence: readonly EvidenceText[]): string[] {
  const above = evidence.flatMap((one) => one.above.filter((line) => line.trim() !== ""));
  return [...new Set([...evidence.map(({ text }) => text), ...above])];
}
