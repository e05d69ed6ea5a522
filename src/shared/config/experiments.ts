import { z } from "zod";
import { optional, setting } from "../../text/validate.ts";

/** Settings that a variant may change, because they affect answers. Storage, access and privacy are the same for all variants. */
export const OVERLAY_KEYS = ["profile", "answer_from", "cache", "model", "verify", "support", "web_search", "session"] as const;

/** Metrics that an experiment compares, each computed per session (docs/review.md). */
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

/** Accepted probability of a false positive: a verdict that the variants differ although they do not. */
export const DEFAULT_ALPHA = 0.05;

const name = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "must consist of lower-case letters, digits, - and _");

const variantSchema = z.strictObject({
  share: z.number().min(0).max(1).describe("Share of sessions that get this variant; the shares of all variants must add up to 1"),
  config: setting(
    z.partialRecord(z.enum(OVERLAY_KEYS), z.unknown()),
    {},
    `Settings that differ from the configuration: ${OVERLAY_KEYS.join(", ")}. Empty for the control`,
  ),
});

const experimentSchema = z
  .strictObject({
    domain: optional(z.string().min(1), "Domain whose questions take part; the default domain when absent"),
    variants: z.record(name, variantSchema).describe("Two to ten variants; the first is the control"),
    metric: setting(z.enum(EXPERIMENT_METRICS), "answered", "Metric that decides the test, averaged over all questions of a variant"),
    better: setting(z.enum(["higher", "lower"]), "higher", "Which direction is better"),
    /** Number of sessions per variant that detects a change of a rate from .50 to .55 with a probability of 80 %. */
    sessions: setting(
      z.int().min(30),
      1_600,
      "Number of sessions per variant. The verdict uses only the first sessions of each variant, up to this number",
    ),
    alpha: setting(z.number().min(0.001).max(0.2), DEFAULT_ALPHA, "Significance level: accepted probability of a false difference"),
    guardrails: setting(
      z.partialRecord(z.enum(EXPERIMENT_METRICS), z.number()),
      {},
      "Guardrails: metric → maximum change for the worse. `latency_ms: 50` allows a rise of 50 ms, `answered: -0.02` a drop of .02",
    ),
  })
  .superRefine(({ variants }, context) => {
    const fault = (message: string) => context.addIssue({ code: "custom", path: ["variants"], message });
    const shares = Object.values(variants).map(({ share }) => share);
    if (shares.length < 2 || shares.length > 10) fault("must have two to ten entries");
    else if (Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) > 1e-9) fault("must have shares that add up to 1");
  });

export const experimentsSchema = setting(
  z.record(name, experimentSchema),
  {},
  "A/B tests of settings on sessions that `serve` answers, by name. A session always gets the same variant",
);

export type ExperimentSettings = z.output<typeof experimentSchema>;
