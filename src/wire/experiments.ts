import { z } from "zod";
import { EXPERIMENT_METRICS } from "../config/experiments.ts";
import type { ExperimentReport } from "../experiments/report.ts";
import { toSnakeCase } from "../text/snake-case.ts";

/** Reports of experiments, as they travel. */

const metric = z.enum(EXPERIMENT_METRICS);
const compared = z.object({
  metric,
  control: z.number().describe("Of the control, per question."),
  mean: z.number().describe("Of the variant, per question."),
  difference: z.number(),
  low: z.number(),
  high: z.number(),
});

export const experimentSchema = z.object({
  name: z.string(),
  metric,
  better: z.enum(["higher", "lower"]),
  planned: z.int().describe("Sessions of each variant that the verdict rests on."),
  alpha: z.number(),
  intervals: z.enum(["anytime", "fixed"]).describe("`anytime`: they hold however often one looks; `fixed`: of the size that was planned."),
  variants: z.array(
    z.object({
      name: z.string(),
      sessions: z.int().describe("That count."),
      assigned: z.int(),
      questions: z.int(),
      compared: compared.nullable().describe("With the control, which is the first variant."),
      guardrails: z.array(
        compared.extend({
          margin: z.number().describe("The most by which it may change for the worse."),
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

export function experimentToWire(report: ExperimentReport): z.input<typeof experimentSchema> {
  return toSnakeCase(report) as z.input<typeof experimentSchema>;
}
