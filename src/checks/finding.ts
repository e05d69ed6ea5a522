import type { CheckResult } from "../shared/types.ts";

/** What one check found in one sentence, or in the answer as a whole. */
export type Finding = Omit<CheckResult, "sentence" | "leftOut">;

/** What the checks need of a quote. */
export interface CitedQuote {
  readonly text: string;
  /** Address of its document. */
  readonly url: string | null;
  /** Does it stand in its document, byte for byte, today? */
  readonly exact: boolean;
  /** What stands above it and says what it is about: title, headings, a list's lead-in, a table's header. */
  readonly above?: readonly string[];
  /** Of a table's row: the header of its table; absent or `null`: it is none, or its table has none. */
  readonly header?: string | null;
}

export function finding(
  name: string,
  verdict: Finding["verdict"],
  score: number | null,
  reason: string,
  spans: Finding["spans"] = [],
): Finding {
  return { name, verdict, score, reason, spans };
}

/** How near an answer is to its question. */
export interface SimilarityScorer {
  readonly id: string;
  /** Cosine as the model on which the threshold was measured would give it; `null` when one of the texts has no content. */
  similarity(question: string, answer: string): Promise<number | null>;
}
