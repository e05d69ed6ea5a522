import { z } from "zod";
import { gradeReportSchema } from "../shared/types/answer.ts";
import { UNANSWERABLE_KINDS } from "./golden.ts";
import { decimal } from "./report.ts";

/**
 * Names of the scores of an answer, in report order. Each score is 0–1, or `null` with a reason if it could not be
 * computed.
 */
export const SCORE_NAMES = [
  /** Share of the keyphrases that occur in the answer. */
  "keyphrase_coverage",
  /**
   * F1 over claims: those of the answer that the reference supports, and those of the reference that the answer
   * supports (Ragas, factual part).
   */
  "answer_correctness",
  /** Mean of precision@k over the ranks k of passages that overlap a gold quote (Ragas, with reference contexts). */
  "context_precision",
  /** Share of the gold quotes that occur in a retrieved passage. */
  "context_recall",
  /** Share of the citations that alone support their sentence, or without which a supported sentence becomes unsupported (ALCE). */
  "citation_precision",
  /** Share of the sentences that their citations support (ALCE). */
  "citation_recall",
  /** Share of the sentences that at least one retrieved passage supports. */
  "faithfulness",
] as const;
export type ScoreName = (typeof SCORE_NAMES)[number];

const nullableBoolean = z.boolean().nullable();

/** One judged question of a report. Earlier reports are read in the same format. */
export const goldenItemSchema = z.object({
  domain: z.string(),
  id: z.string(),
  question: z.string(),
  kind: z.enum(["answerable", ...UNANSWERABLE_KINDS]),
  needs: z.string(),
  /** Page with the answer, or the question's id without one. Questions about one page are not independent. */
  cluster: z.string(),
  shown: z.boolean(),
  /** Whether the result is right; `null`: the question has no labels to judge by. */
  right: nullableBoolean,
  first: nullableBoolean,
  page: nullableBoolean,
  quoted: nullableBoolean,
  lacks: z.array(z.string()),
  holds: z.array(z.string()),
  confidence: z.number().nullable(),
  words: z.int(),
  /** Reason of a refusal; `null`: an answer was shown. */
  refusal: z.string().nullable(),
  sentences: z.array(z.object({ text: z.string(), citations: z.array(z.int()) })),
  citations: z.array(
    z.object({ n: z.int(), path: z.string(), start: z.int(), end: z.int(), title: z.string(), heading: z.string(), quote: z.string() }),
  ),
  // Reports of earlier versions of Sourcebound lack the following fields.
  scores: z.partialRecord(z.enum(SCORE_NAMES), z.number().nullable()).default({}),
  /** Reason for each score that is `null`. */
  unscored: z.partialRecord(z.enum(SCORE_NAMES), z.string()).default({}),
  faults: z
    .array(
      z.object({
        sentence: z.int(),
        fault: z.enum(["fabricated", "stitched", "misattributed", "unscored"]).nullable(),
        reason: z.string(),
      }),
    )
    .default([]),
  retrieved: z
    .array(
      z.object({
        path: z.string(),
        start: z.int(),
        end: z.int(),
        title: z.string(),
        heading: z.string(),
        verdict: z.enum(["verified", "uncertain", "rejected"]),
        score: z.number(),
        gold: nullableBoolean,
      }),
    )
    .default([]),
  /** Error code of a question that could not be asked, such as one that is too long. The question is left out of all counts. */
  error: z.string().nullable().default(null),
  cost_usd: z.number().nullable().default(null),
  /** Metrics of the answer, if its profile computes them; `null`: no report. */
  report: gradeReportSchema.nullable().default(null),
  /** Labels of the question, for display beside the answer. */
  gold: z
    .object({ answer: z.string(), quotes: z.array(z.string()), pages: z.array(z.string()) })
    .default({ answer: "", quotes: [], pages: [] }),
});

export type GoldenItem = z.infer<typeof goldenItemSchema>;

/** Returns the outcome of a question as text, and as a style for display. */
export function verdictOf({ kind, shown, right, error }: GoldenItem): {
  readonly words: string;
  readonly style: "right" | "wrong" | "refused" | "untold";
} {
  if (error !== null) return { words: `not asked: ${error.replaceAll("_", " ")}`, style: "untold" };
  if (!shown) return kind === "answerable" ? { words: "refused", style: "refused" } : { words: "correctly refused", style: "right" };
  if (right === null) return { words: "shown", style: "untold" };
  if (right) return { words: kind === "answerable" ? "right" : "premise corrected", style: "right" };
  return { words: kind === "answerable" ? "wrong" : `wrong: ${kind.replaceAll("_", " ")} answered`, style: "wrong" };
}

/** Describes the main facts about the answer to a question in short phrases. */
export function describeItem({ needs, confidence, refusal, words, lacks, holds }: GoldenItem): string[] {
  return [
    ...(needs === "" ? [] : [`needs ${needs}`]),
    `confidence ${decimal(confidence)}`,
    refusal === null ? `${words} words` : `refused: ${refusal.replaceAll("_", " ")}`,
    ...(lacks.length === 0 ? [] : [`missing ${lacks.join(", ")}`]),
    ...(holds.length === 0 ? [] : [`contains ${holds.join(", ")}`]),
  ];
}
