import { messageOf } from "../errors.ts";
import { type Finding, finding } from "./finding.ts";

/** How near an answer is to its question. */
export interface SimilarityScorer {
  readonly id: string;
  /** Cosine as the model on which the threshold was measured would give it; `null` when one of the texts has no content. */
  similarity(question: string, answer: string): Promise<number | null>;
}

/** The same with the similarity from which on an answer is about what was asked. */
export interface RelevancyScorer extends SimilarityScorer {
  readonly minimum: number;
}

/** Is an answer about what was asked? Without a scorer, or when it fails, that is not known: `null`, never 0. */
export async function checkRelevancy(question: string, answer: string, scorer: RelevancyScorer | null): Promise<Finding> {
  if (scorer === null) return finding("relevancy", "pass", null, "no encoder is installed to compare answer and question");
  let score: number | null;
  try {
    score = await scorer.similarity(question, answer);
  } catch (error) {
    return finding("relevancy", "pass", null, `${scorer.id} could not compare answer and question: ${messageOf(error)}`);
  }
  if (score === null) return finding("relevancy", "pass", null, "answer or question has no words to compare");
  const { minimum } = scorer;
  const clamped = Math.min(1, Math.max(0, score));
  const reason = `similarity of answer and question ${score.toFixed(2)} (at least ${minimum})`;
  return finding("relevancy", score >= minimum ? "pass" : "warn", clamped, reason);
}
