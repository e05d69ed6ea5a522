import type { CheckResult } from "../shared/types.ts";

/** Result of one check, for a sentence or for the answer as a whole. */
export type Finding = Omit<CheckResult, "sentence" | "leftOut">;

/** Data of a cited quote that the checks need. */
export interface CitedQuote {
  readonly text: string;
  /** URL of the quoted document. */
  readonly url: string | null;
  /** True if the document's current version contains this quote verbatim. */
  readonly exact: boolean;
  /** Context above the quote: title, headings, lead-in of a list, header of a table. */
  readonly above?: readonly string[];
  /** Header of the table, if the quote is a table row. Absent or `null`: not a table row, or the table has no header. */
  readonly header?: string | null;
}

/** @param found what the finding is about: ranges, or words and values with theirs */
export function finding(
  name: string,
  verdict: Finding["verdict"],
  score: number | null,
  reason: string,
  found: Finding["spans"] = [],
): Finding {
  return { name, verdict, score, reason, spans: found.map(({ start, end }) => ({ start, end })) };
}

/** Measures the similarity of two texts, such as a question and its answer. */
export interface SimilarityScorer {
  readonly id: string;
  /**
   * Returns the cosine, converted to the scale of the model on which the threshold was measured. Returns `null` if one of
   * the texts has no content.
   */
  similarity(question: string, answer: string): Promise<number | null>;
}
