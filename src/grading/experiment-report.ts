import type { ExperimentMetric, ExperimentSettings } from "../shared/config/experiments.ts";
import type { ExposedSession } from "../store/statistics.ts";
import type { WireExperiment } from "../wire/reports.ts";
import type { Interval } from "./metrics.ts";

type Estimate = NonNullable<ReturnType<typeof estimateRatio>>;
type Difference = ReturnType<typeof fixedDifference>;

/**
 * Estimates the mean of a metric per question, with its variance by the delta method. Sessions are independent, questions
 * of one session are not. Source: Deng, Knoblich, Lu 2018, "Applying the Delta Method in Metric Analytics", section 3.2.
 * @param sessions for each session, the sum of the metric over its questions, and their number
 * @param isShare true if each question contributes 0 or 1
 * @returns the mean per question and its variance; `null` for fewer than two sessions or no question. If `isShare`,
 * `effective` holds the equivalent numbers of independent questions and of sessions of equal size; otherwise it is `null`
 */
export function estimateRatio(sessions: readonly { readonly sum: number; readonly questions: number }[], isShare = false) {
  const k = sessions.length;
  const total = sessions.reduce((sum, { questions }) => sum + questions, 0);
  if (k < 2 || total === 0) return null;
  const mean = sessions.reduce((sum, one) => sum + one.sum, 0) / total;
  const perSession = total / k;
  // x: sum of a session, n: its questions, R: `mean`. x − R·n has mean 0 and variance var(x) − 2R·cov(x, n) + R²·var(n).
  const squares = sessions.reduce((sum, one) => sum + (one.sum - mean * one.questions) ** 2, 0) / (k - 1);
  const variance = squares / (k * perSession ** 2);
  const ofEqualSize = total ** 2 / sessions.reduce((sum, { questions }) => sum + questions ** 2, 0);
  // Effective sample size: Kish 1965, "Survey Sampling", section 8.2. `1 - 1 / k` changes the divisor of the variance from k − 1 to k.
  const independent = mean > 0 && mean < 1 ? (mean * (1 - mean)) / (variance * (1 - 1 / k)) : ofEqualSize;
  return { mean, variance, sessions: k, effective: isShare ? { questions: independent, sessions: ofEqualSize } : null };
}

/**
 * Computes the difference `b − a` with a 1 − alpha interval. The interval is valid for a single look at the data, at the
 * planned size. It combines the intervals of the two variants, which are independent. Source for proportions: Newcombe
 * 1998, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17, method 10.
 * Source for any metric: Zou, Donner 2008, "Construction of confidence limits about effect measures". For metrics other
 * than proportions, the intervals of the variants are normal.
 */
export function fixedDifference(a: Estimate, b: Estimate, alpha: number) {
  const z = normalQuantile(1 - alpha / 2);
  const [x, y] = [limits(a, z), limits(b, z)];
  const difference = b.mean - a.mean;
  return {
    difference,
    low: difference - Math.hypot(b.mean - y.low, x.high - a.mean),
    high: difference + Math.hypot(y.high - b.mean, a.mean - x.low),
  };
}

/**
 * Computes the difference `b − a` with an interval that is valid for any number of looks at the data. With probability
 * 1 − alpha, it contains the true difference at every look.
 *
 * Source: Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas 2021, "Time-uniform central limit theory and asymptotic
 * confidence sequences", theorem 2.2, applied to each variant with alpha / 2 (union bound). Their equation gives the
 * parameter rho with which the interval is narrowest at `planned` sessions.
 */
export function anytimeDifference(a: Estimate, b: Estimate, alpha: number, planned: number): Difference {
  const at = (side: Estimate) => limits(side, anytimeDeviations(side.sessions, alpha / 2, planned));
  const [x, y] = [at(a), at(b)];
  return { difference: b.mean - a.mean, low: y.low - x.high, high: y.high - x.low };
}

/** Returns the half-width of a variant's interval after `t` sessions, in standard errors (see `anytimeDifference`). */
function anytimeDeviations(t: number, alpha: number, planned: number): number {
  const rho2 = (-2 * Math.log(alpha) + Math.log(-2 * Math.log(alpha) + 1)) / planned;
  return Math.sqrt(((2 * (t * rho2 + 1)) / (t * rho2)) * Math.log(Math.sqrt(t * rho2 + 1) / alpha));
}

/**
 * Returns limits `z` standard errors from the mean. For proportions, the standard error is computed at the limit, not at
 * the mean, so that 0 of 30 has a positive upper limit. Source: Wilson 1927, "Probable inference, the law of succession,
 * and statistical inference". Source for the effective sample size: Korn, Graubard 1998, "Confidence intervals for
 * proportions with small expected number of positive counts estimated from survey data". There may be sessions of a kind
 * not seen yet, in which all questions have one outcome. By Wilson's formula, their share is at most z² / (k + z²), and
 * the limits include this case.
 */
function limits({ mean, variance, effective }: Estimate, z: number): Interval {
  if (effective === null) return { low: mean - z * Math.sqrt(variance), high: mean + z * Math.sqrt(variance) };
  const { questions: n, sessions: k } = effective;
  const middle = (mean + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((mean * (1 - mean)) / n + z ** 2 / (4 * n ** 2));
  const unseen = z ** 2 / (k + z ** 2);
  return {
    low: Math.max(0, Math.min(middle - half, mean - unseen * mean)),
    high: Math.min(1, Math.max(middle + half, mean + unseen * (1 - mean))),
  };
}

/**
 * Significance level of the test for a sample ratio mismatch. It is low, because the test is repeated often (Fabijan et
 * al. 2019, "Diagnosing Sample Ratio Mismatch").
 */
const MISMATCH_ALPHA = 0.0005;

/**
 * Returns whether the sizes of the variants deviate from the configured shares: a normal test per variant, with
 * Bonferroni correction.
 */
export function isMismatched(counts: readonly { readonly count: number; readonly share: number }[]): boolean {
  const n = counts.reduce((sum, { count }) => sum + count, 0);
  const limit = normalQuantile(1 - MISMATCH_ALPHA / (2 * counts.length));
  return counts.some(({ count, share }) => {
    if (share === 0 || share === 1) return share === 0 ? count > 0 : count < n;
    return Math.abs(count - n * share) > limit * Math.sqrt(n * share * (1 - share));
  });
}

/** Returns the quantile of the standard normal distribution, to 7 digits. Source: Wichura 1988, algorithm AS 241, PPND7. */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    const above = ((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179;
    return (q * above) / (((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1);
  }
  const tail = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  const far = tail > 5;
  const r = tail - (far ? 5 : 1.6);
  const size = far
    ? (((0.017337203997 * r + 0.42868294337) * r + 3.081226386) * r + 6.657905115) / ((0.012258202635 * r + 0.24197894225) * r + 1)
    : (((0.17023821103 * r + 1.3067284816) * r + 2.75681539) * r + 1.4234372777) / ((0.12021132975 * r + 0.7370016425) * r + 1);
  return q < 0 ? -size : size;
}

/** A variant with its metrics, compared with the control. The control is the first variant. */
type VariantReport = WireExperiment["variants"][number];
type Compared = NonNullable<VariantReport["compared"]>;
type GuardrailState = VariantReport["guardrails"][number];

const SUM_OF: Readonly<Record<ExperimentMetric, (session: ExposedSession) => number>> = {
  answered: ({ answered }) => answered,
  warned: ({ warned }) => warned,
  cached: ({ cached }) => cached,
  latency_ms: ({ latencyMs }) => latencyMs,
  tokens: ({ tokens }) => tokens,
  cost_usd: ({ costUsd }) => costUsd,
  thumbs_up: ({ thumbsUp }) => thumbsUp,
  thumbs_down: ({ thumbsDown }) => thumbsDown,
  flagged: ({ flagged }) => flagged,
};

/** Metrics to which each question contributes 0 or 1. */
const SHARES: ReadonlySet<ExperimentMetric> = new Set(["answered", "warned", "cached", "thumbs_up", "thumbs_down", "flagged"]);

/**
 * Reports an experiment. It compares the first `settings.sessions` sessions of each variant. The comparison is final once
 * every variant has that many sessions; until then the verdict is `too_early`. A breached guardrail, or sessions that were
 * not assigned in the configured shares, are reported at any time.
 * @param sessions ordered by their start
 */
export function reportExperiment(name: string, settings: ExperimentSettings, sessions: readonly ExposedSession[]): WireExperiment {
  const { metric, better, sessions: planned, alpha } = settings;
  const groups = Object.entries(settings.variants).map(([variant, { share }]) => {
    const all = sessions.filter((session) => session.variant === variant);
    return { name: variant, share, assigned: all.length, counted: all.slice(0, planned) };
  });
  const isComplete = groups.every(({ share, counted }) => share === 0 || counted.length >= planned);
  const variants = compareAll(groups, settings, isComplete);
  const mismatched = isMismatched(groups.map(({ assigned, share }) => ({ count: assigned, share })));
  return {
    ...{ name, metric, better, planned, alpha, intervals: isComplete ? "fixed" : "anytime", variants },
    verdict: decide(variants, settings, isComplete, mismatched),
  };
}

interface Group {
  readonly name: string;
  readonly assigned: number;
  readonly counted: readonly ExposedSession[];
}

/**
 * Compares each variant with the control, with Bonferroni correction: `alpha` is divided by the number of variants, and
 * for guardrails also by the number of guardrails.
 */
function compareAll([control, ...others]: readonly Group[], settings: ExperimentSettings, isComplete: boolean): VariantReport[] {
  const { metric, sessions: planned, guardrails } = settings;
  const margins = Object.entries(guardrails) as [ExperimentMetric, number][];
  const estimate = ({ counted }: Group, of: ExperimentMetric) =>
    estimateRatio(
      counted.map((session) => ({ sum: SUM_OF[of](session), questions: session.questions })),
      SHARES.has(of),
    );
  const compare = (group: Group, of: ExperimentMetric, alpha: number): Compared | null => {
    const a = control === undefined ? null : estimate(control, of);
    const b = estimate(group, of);
    if (a === null || b === null) return null;
    const difference = isComplete ? fixedDifference(a, b, alpha) : anytimeDifference(a, b, alpha, planned);
    return { metric: of, control: a.mean, mean: b.mean, ...difference };
  };
  const level = settings.alpha / Math.max(1, others.length);
  const describe = ({ name, assigned, counted }: Group) => ({
    ...{ name, assigned, sessions: counted.length },
    questions: counted.reduce((sum, { questions }) => sum + questions, 0),
  });
  const guard = (group: Group): GuardrailState[] =>
    margins.flatMap(([of, margin]) => {
      const compared = compare(group, of, level / margins.length);
      return compared === null ? [] : [{ ...compared, margin, state: stateOf(compared, margin) }];
    });
  return [
    ...(control === undefined ? [] : [{ ...describe(control), compared: null, guardrails: [] }]),
    ...others.map((group) => ({ ...describe(group), compared: compare(group, metric, level), guardrails: guard(group) })),
  ];
}

/** Returns the state of a guardrail. A positive margin limits an increase, a negative or zero margin a decrease. */
function stateOf({ low, high }: Difference, margin: number): GuardrailState["state"] {
  if (margin > 0) return high <= margin ? "holds" : low > margin ? "breached" : "open";
  return low >= margin ? "holds" : high < margin ? "breached" : "open";
}

function decide(
  variants: readonly VariantReport[],
  { metric, better, sessions: planned }: ExperimentSettings,
  isComplete: boolean,
  mismatched: boolean,
): WireExperiment["verdict"] {
  if (mismatched) {
    const counts = variants.map(({ name, assigned }) => `${name} ${assigned}`).join(", ");
    const text = `The sessions were not assigned to the variants in the configured shares (${counts}). Some sessions are missing, so no figure is reliable. Find the cause before you continue.`;
    return { code: "assignment_broken", text, variant: null };
  }
  for (const { name, guardrails } of variants) {
    const breached = guardrails.find(({ state }) => state === "breached");
    if (breached === undefined) continue;
    const text = `${name} breached the guardrail on ${breached.metric}: the change is ${signed(breached)}, beyond the limit of ${breached.margin}. End the experiment.`;
    return { code: "guardrail_breached", text, variant: name };
  }
  if (!isComplete) {
    const least = Math.min(...variants.map(({ sessions }) => sessions));
    const text = `Too early: the smallest variant has ${least} of ${planned} sessions. The verdict is given when every variant has ${planned} sessions.`;
    return { code: "too_early", text, variant: null };
  }
  const isBetter = ({ compared }: VariantReport) => compared !== null && (better === "higher" ? compared.low > 0 : compared.high < 0);
  const gainOf = ({ compared }: VariantReport) => (better === "higher" ? 1 : -1) * (compared?.difference ?? 0);
  const [best] = variants.filter(isBetter).sort((a, b) => gainOf(b) - gainOf(a));
  if (best?.compared == null) {
    return { code: "no_winner", text: `No variant is significantly better in ${metric} than the control. Keep it.`, variant: null };
  }
  const open = best.guardrails.filter(({ state }) => state !== "holds").map((one) => one.metric);
  if (open.length > 0) {
    const text = `${best.name} is better in ${metric} (${signed(best.compared)}), but it is not certain that ${open.join(" and ")} stay within their margins. Keep the control, or plan more sessions.`;
    return { code: "no_winner", text, variant: null };
  }
  const text = `${best.name} is better in ${metric}: ${signed(best.compared)}, and every guardrail holds.`;
  return { code: "better", text, variant: best.name };
}

function signed({ difference, low, high }: Difference): string {
  const show = (value: number) => `${value > 0 ? "+" : ""}${Number(value.toPrecision(3))}`;
  return `${show(difference)} [${show(low)}, ${show(high)}]`;
}
