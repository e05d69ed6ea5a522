import { z } from "zod";
import { EXPERIMENT_METRICS } from "../shared/config/experiments.ts";
import { recommendationSchema, reportSchema } from "../store/diagnostic-report.ts";
import { optional } from "../text/validate.ts";
import { dateOrTime, named, nextCursor, pageQuery, time } from "./ask.ts";

// Wire formats of diagnostic reports and experiments.

export { reportSchema };

export const reportsQuerySchema = z.strictObject({
  ...named,
  ...pageQuery,
  topic: optional(
    z.string().min(1).max(100),
    "Short name (slug) of a topic of the domain pack; `none`: reports of questions without a topic.",
  ),
  since: dateOrTime,
});

const topicSchema = z.object({
  topic: z.string().nullable(),
  name: z.string().nullable(),
  reports: z.int(),
  refused: z.int(),
  mean_confidence: z.number().nullable(),
  missing: z.array(z.object({ text: z.string(), reports: z.int() })),
  recommendations: z.array(recommendationSchema.extend({ reports: z.int() })),
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
  planned: z
    .int()
    .describe("Planned sessions per variant; later ones do not count. The verdict is `too_early` until each variant has as many."),
  alpha: z.number(),
  intervals: z.enum(["anytime", "fixed"]).describe("`anytime`: valid however often you look; `fixed`: valid at the planned sample size."),
  variants: z.array(
    z.object({
      name: z.string(),
      sessions: z.int().describe("Sessions that count for the verdict so far."),
      assigned: z.int(),
      questions: z.int(),
      compared: compared.nullable().describe("Comparison with the control, which is the first variant."),
      guardrails: z.array(
        compared.extend({
          margin: z.number().describe("How much the metric may worsen, compared with the control."),
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
