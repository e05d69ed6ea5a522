import { z } from "zod";

/** Settings that a variant may change: those that shape answers. Storage, access and privacy are the same for all variants. */
export const OVERLAY_KEYS = ["profile", "answer_from", "cache", "model", "verify", "support", "web_search", "session"] as const;

/** Metrics that an experiment compares, each computed per session (docs/experiments.md). */
export const EXPERIMENT_METRICS = [
  "answered",
  "warned",
  "cached",
  "latency_ms",
  "tokens",
  "cost_usd",
  "thumbs_up",
  "thumbs_down",
  "flagged",
] as const;
export type ExperimentMetric = (typeof EXPERIMENT_METRICS)[number];

/** Sessions per variant: 80 % power to detect a change of a share from .50 by .05. */
export const DEFAULT_EXPERIMENT_SESSIONS = 1_600;
/** Rate of false positives: verdicts where there is no difference. */
export const DEFAULT_ALPHA = 0.05;

const variantSchema = z.strictObject({
  share: z.number().min(0).max(1).describe("Share of the sessions that get it; the shares of all variants come to 1"),
  config: z
    .partialRecord(z.enum(OVERLAY_KEYS), z.unknown())
    .default({})
    .describe(`What is set otherwise than for everybody: ${OVERLAY_KEYS.join(", ")}. Empty: nothing, as for the control`),
});

const experimentSchema = z
  .strictObject({
    domain: z.string().min(1).optional().describe("Domain whose questions take part; the configured one when absent"),
    variants: z
      .record(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "must be lower-case letters, digits, - and _"), variantSchema)
      .describe("Two to ten; the first one is the control"),
    metric: z.enum(EXPERIMENT_METRICS).default("answered").describe("What decides, per question of a session"),
    better: z.enum(["higher", "lower"]).default("higher").describe("Which way is better"),
    sessions: z
      .int()
      .min(30)
      .default(DEFAULT_EXPERIMENT_SESSIONS)
      .describe("Sessions of each variant that the verdict rests on: the first so many, no fewer and no more"),
    alpha: z.number().min(0.001).max(0.2).default(DEFAULT_ALPHA).describe("Share of wrong verdicts where there is no difference"),
    guardrails: z
      .partialRecord(z.enum(EXPERIMENT_METRICS), z.number())
      .default({})
      .describe(
        "Metric → the most by which it may change for the worse: `latency_ms: 50` lets it rise by 50, `answered: -0.02` lets it fall by .02",
      ),
  })
  .superRefine(({ variants }, context) => {
    const shares = Object.values(variants).map(({ share }) => share);
    if (shares.length < 2 || shares.length > 10) context.addIssue({ code: "custom", path: ["variants"], message: "must be two to ten" });
    else if (Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) > 1e-9)
      context.addIssue({ code: "custom", path: ["variants"], message: "must have shares that come to 1" });
  });

export const experimentsSchema = z
  .record(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "must be lower-case letters, digits, - and _"), experimentSchema)
  .default({})
  .describe("Trials of settings on a share of the sessions that `serve` answers, by name; a session gets the same variant every time");

export type ExperimentSettings = z.output<typeof experimentSchema>;
