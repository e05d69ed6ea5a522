import { z } from "zod";
import { gradeReportSchema } from "../shared/types/answer.ts";
import { UNANSWERABLE_KINDS } from "./golden.ts";
import { decimal } from "./report.ts";

/**
 * Names of the scores of an answer, in report order. Each score is from 0 to 1. A score that could not be computed is
 * `null`, with a reason.
 */
export const SCORE_NAMES = [
  /** Share of the keyphrases that occur in the answer. */
  "keyphrase_coverage",
  /**
   * F1 of the claims of the answer against those of the reference answer (Ragas, factual part). A claim counts as right if
   * the other text supports it.
   */
  "answer_correctness",
  /** Mean of precision@k over the ranks k at which a passage overlaps a gold quote (Ragas, with reference contexts). */
  "context_precision",
  /** Share of the gold quotes that a retrieved passage overlaps. */
  "context_recall",
  /** Share of the citations that a supported sentence needs: the citation alone supports it, or the rest does not (ALCE). */
  "citation_precision",
  /** Share of the sentences that their citations support (ALCE). */
  "citation_recall",
  /** Share of the sentences that at least one retrieved passage supports. */
  "faithfulness",
] as const;
export type ScoreName = (typeof SCORE_NAMES)[number];

const nullableBoolean = z.boolean().nullable();
const place = { path: z.string(), start: z.int(), end: z.int(), title: z.string(), heading: z.string() };

/** Schema of one judged question in a report. Reports of earlier versions match it too. */
export const goldenItemSchema = z.object({
  ...{ domain: z.string(), id: z.string(), question: z.string() },
  kind: z.enum(["answerable", ...UNANSWERABLE_KINDS]),
  needs: z.string(),
  /** Page with the answer, or the question's id if no page is labelled. Questions about one page are not independent. */
  cluster: z.string(),
  shown: z.boolean(),
  /** Whether the answer is right; `null`: the question has no label by which an answer can be judged. */
  right: nullableBoolean,
  ...{ first: nullableBoolean, page: nullableBoolean, quoted: nullableBoolean },
  ...{ lacks: z.array(z.string()), holds: z.array(z.string()) },
  confidence: z.number().nullable(),
  words: z.int(),
  /** Reason of a refusal; `null`: an answer was shown. */
  refusal: z.string().nullable(),
  sentences: z.array(z.object({ text: z.string(), citations: z.array(z.int()) })),
  citations: z.array(z.object({ n: z.int(), ...place, quote: z.string() })),
  // Reports of earlier versions lack the following fields, so these have defaults.
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
        ...place,
        verdict: z.enum(["verified", "uncertain", "rejected"]),
        ...{ score: z.number(), gold: nullableBoolean },
      }),
    )
    .default([]),
  /** Error code of a question that could not be asked, e.g. because it is too long. It is left out of all counts. `null`: asked. */
  error: z.string().nullable().default(null),
  cost_usd: z.number().nullable().default(null),
  /** Grades of the answer by its profile; `null`: the profile does not grade answers. */
  report: gradeReportSchema.nullable().default(null),
  /** Labels of the question, for display beside the answer. */
  gold: z
    .object({ answer: z.string(), quotes: z.array(z.string()), pages: z.array(z.string()) })
    .default({ answer: "", quotes: [], pages: [] }),
});

export type GoldenItem = z.infer<typeof goldenItemSchema>;

/** Returns the outcome of a question as text (`words`), and as a class name for display (`style`). */
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

/** Describes an answer in short phrases, such as "confidence .83" and "41 words". */
export function describeItem({ needs, confidence, refusal, words, lacks, holds }: GoldenItem): string[] {
  return [
    ...(needs === "" ? [] : [`needs ${needs}`]),
    `confidence ${decimal(confidence)}`,
    refusal === null ? `${words} words` : `refused: ${refusal.replaceAll("_", " ")}`,
    ...(lacks.length === 0 ? [] : [`missing ${lacks.join(", ")}`]),
    ...(holds.length === 0 ? [] : [`contains ${holds.join(", ")}`]),
  ];
}
