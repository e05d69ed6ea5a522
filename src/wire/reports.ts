import { z } from "zod";
import { EXPERIMENT_METRICS } from "../shared/config/experiments.ts";
import { refusalSchema } from "./answer.ts";
import { dateOrTime, named, nextCursor, pageQuery, time } from "./ask.ts";

/** Wire format of diagnostic reports and experiments. */

export const reportsQuerySchema = z.strictObject({
  ...named,
  ...pageQuery,
  topic: z.string().min(1).max(100).optional().describe("Slug of a topic; `none`: reports of questions without a topic."),
  since: dateOrTime,
});

export const scores = z.object({
  dense: z.number().nullable(),
  bm25: z.number().nullable(),
  fused: z.number(),
  cross: z.number().nullable(),
});
const recommendation = z.object({ kind: z.string(), subject: z.string(), text: z.string(), basis: z.enum(["counted", "heuristic"]) });
const diagnosis = z.object({
  causes: z.array(z.enum(["refused", "low_confidence", "checks"])),
  confidence: z.number().nullable(),
  headroom: z.number().nullable(),
  report_below: z.number().nullable(),
  refusal: refusalSchema.shape.reason.nullable(),
  query: z.object({
    type: z.string(),
    words: z.int(),
    terms: z.array(z.string()),
    codes: z.array(z.string()),
    values: z.array(z.string()),
    expects: z.array(z.array(z.string())),
    repaired: z.array(z.object({ written: z.string(), read: z.string() })),
    expanded: z.array(z.string()),
    topics: z.array(z.string()),
    follow_up: z.boolean(),
    injection_signals: z.array(z.string()),
  }),
  passages: z.array(
    z.object({
      sid: z.string(),
      chunk_id: z.string(),
      document_id: z.string(),
      document_version: z.string(),
      title: z.string(),
      url: z.string().nullable(),
      heading_path: z.array(z.string()),
      range: z.object({ start: z.int(), end: z.int() }),
      scores,
      score: z.number(),
      verdict: z.enum(["verified", "uncertain", "rejected"]),
      reason: z.string(),
      topics: z.array(z.string()),
      lacks: z.array(z.string()),
      preview: z.string().nullable().optional().describe("Beginning of its text; `null`: the document was changed or deleted."),
    }),
  ),
  gaps: z.object({
    missing: z.array(z.object({ text: z.string(), kind: z.enum(["word", "code", "value"]), in_documents: z.boolean() })),
    kinds: z.array(z.array(z.string())),
    topics: z.array(z.object({ topic: z.string(), in_documents: z.boolean() })),
    unreadable: z.object({ paths: z.array(z.string()), total: z.int() }),
    conflicts: z.array(
      z.object({
        about: z.string(),
        kind: z.string(),
        values: z.array(z.string()),
        titles: z.array(z.string()),
        resolved_by: z.string().nullable(),
      }),
    ),
  }),
  checks: z.array(z.object({ check: z.string(), warned: z.int(), left_out: z.int(), reasons: z.array(z.string()) })),
  recommendations: z.array(recommendation),
});

export const reportSchema = z.object({
  id: z.string(),
  interaction_id: z.string(),
  domain: z.string(),
  tenant: z.string().nullable(),
  profile: z.string(),
  topic: z.string().nullable(),
  created_at: time,
  question: z.string().describe("Redacted; empty if no text is kept."),
  report: diagnosis,
});

const topicSchema = z.object({
  topic: z.string().nullable(),
  name: z.string().nullable(),
  reports: z.int(),
  refused: z.int(),
  mean_confidence: z.number().nullable(),
  missing: z.array(z.object({ text: z.string(), reports: z.int() })),
  recommendations: z.array(recommendation.extend({ reports: z.int() })),
  newest: time,
});

export const reportsResponseSchema = z.object({
  total: z.int(),
  topics: z.array(topicSchema).describe("Reports by topic, the largest group first."),
  items: z.array(reportSchema).describe("Newest first."),
  next_cursor: nextCursor,
});

export type WireReports = z.infer<typeof reportsResponseSchema>;

const metric = z.enum(EXPERIMENT_METRICS);
const compared = z.object({
  metric,
  control: z.number().describe("Value of the control, per question."),
  mean: z.number().describe("Value of the variant, per question."),
  difference: z.number(),
  low: z.number(),
  high: z.number(),
});

export const experimentSchema = z.object({
  name: z.string(),
  metric,
  better: z.enum(["higher", "lower"]),
  planned: z.int().describe("Sessions per variant used for the verdict."),
  alpha: z.number(),
  intervals: z.enum(["anytime", "fixed"]).describe("`anytime`: valid however often you look; `fixed`: valid at the planned sample size."),
  variants: z.array(
    z.object({
      name: z.string(),
      sessions: z.int().describe("Sessions that count for the verdict so far."),
      assigned: z.int(),
      questions: z.int(),
      compared: compared.nullable().describe("With the control, which is the first variant."),
      guardrails: z.array(
        compared.extend({
          margin: z.number().describe("Maximum change for the worse."),
          state: z.enum(["holds", "breached", "open"]),
        }),
      ),
    }),
  ),
  verdict: z.object({
    code: z.enum(["too_early", "assignment_broken", "guardrail_breached", "better", "no_winner"]),
    text: z.string(),
    variant: z.string().nullable(),
  }),
});
export type WireExperiment = z.infer<typeof experimentSchema>;
export const experimentListSchema = z.object({ items: z.array(experimentSchema) });
