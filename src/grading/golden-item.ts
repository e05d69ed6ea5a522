import { z } from "zod";
import { UNANSWERABLE_KINDS } from "./golden.ts";

/** Scores of one answer, 0 to 1; what could not be scored is `null` and says why. In the order in which reports name them. */
export const SCORES = {
  keyphrase_coverage: "share of the keyphrases that stand in the answer",
  answer_correctness:
    "F1 of statements: the answer's that the reference bears out, the reference's that the answer bears out (Ragas, its factual part)",
  context_precision: "mean of precision at k over the passages that overlap a gold quote, best first (Ragas, with reference contexts)",
  context_recall: "share of the gold quotes that stand in a passage that was found",
  citation_precision: "share of the citations that their sentence needs or that bear it out alone (ALCE)",
  citation_recall: "share of the sentences that their citations bear out (ALCE)",
  faithfulness: "share of the sentences that any passage found bears out",
} as const;
export type ScoreName = keyof typeof SCORES;

export const SCORE_NAMES = Object.keys(SCORES) as ScoreName[];

const nullableBoolean = z.boolean().nullable();
const metricSchema = z.object({
  passed: nullableBoolean,
  score: z.number().nullable(),
  threshold: z.number().nullable(),
  reason: z.string(),
});

/** One judged question as it stands in a report, and as a baseline is read from one. */
export const goldenItemSchema = z.object({
  domain: z.string(),
  id: z.string(),
  question: z.string(),
  kind: z.enum(["answerable", ...UNANSWERABLE_KINDS]),
  needs: z.string(),
  /** Questions about one page are not independent of each other. */
  cluster: z.string(),
  shown: z.boolean(),
  /** `null`: nothing is marked by which it could be told. */
  right: nullableBoolean,
  first: nullableBoolean,
  page: nullableBoolean,
  quoted: nullableBoolean,
  lacks: z.array(z.string()),
  holds: z.array(z.string()),
  confidence: z.number().nullable(),
  words: z.int(),
  /** Why nothing was shown; `null`: something was. */
  refusal: z.string().nullable(),
  sentences: z.array(z.object({ text: z.string(), citations: z.array(z.int()) })),
  citations: z.array(
    z.object({ n: z.int(), path: z.string(), start: z.int(), end: z.int(), title: z.string(), heading: z.string(), quote: z.string() }),
  ),
  // Older reports have none of what follows.
  scores: z.partialRecord(z.enum(SCORE_NAMES), z.number().nullable()).default({}),
  /** Why a score is `null`. */
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
  /** Code of the error for which the question could not be asked, such as one that is too long: it counts as nothing. */
  error: z.string().nullable().default(null),
  cost_usd: z.number().nullable().default(null),
  /** What a profile that grades live said of it. */
  report: z
    .object({ overall_pass: nullableBoolean, metrics: z.record(z.string(), metricSchema) })
    .nullable()
    .default(null),
  /** What was marked as right, to be shown beside the answer. */
  gold: z
    .object({ answer: z.string(), quotes: z.array(z.string()), pages: z.array(z.string()) })
    .default({ answer: "", quotes: [], pages: [] }),
});

export type GoldenItem = z.infer<typeof goldenItemSchema>;
