import type { TextRange } from "../types.ts";

/** A sentence of an answer and the texts that are to bear it out. */
export interface SupportPair {
  readonly claim: string;
  /** Quotes or passages; a JSON record is read as its keys and values. */
  readonly evidence: readonly string[];
}

export interface SupportScore {
  /** Chance, 0 to 1, that the evidence supports the whole claim. */
  readonly score: number;
  /** Ranges of the claim that the evidence does not bear out, in order; empty where nothing stands out. */
  readonly spans: readonly TextRange[];
  /** What weighed most, in a sentence. */
  readonly reason: string;
  /** What a scorer says of wording alone: is what the sentence commits to still what the evidence's nearest sentence commits to? Absent: not measured, or no sentence comes near. */
  readonly wording?: WordingScore | undefined;
}

/** How a claim stands beside the one sentence of its evidence that comes nearest to its wording. */
export interface WordingScore {
  /** Chance, 0 to 1, that no word, name or number was exchanged, added or left out that turns what is said. */
  readonly score: number;
  readonly spans: readonly TextRange[];
  readonly reason: string;
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
