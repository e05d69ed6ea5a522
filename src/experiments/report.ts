import type { ExperimentMetric, ExperimentSettings } from "../config/experiments.ts";
import type { ExposedSession } from "../store/statistics.ts";
import { anytimeDifference, type Difference, type Estimate, estimateRatio, fixedDifference, isMismatched } from "./statistics.ts";

/** What an experiment comes to. `too_early`: fewer sessions than were planned, and nothing is said of who is better. */
export type VerdictCode = "too_early" | "assignment_broken" | "guardrail_breached" | "better" | "no_winner";

export interface Verdict {
  readonly code: VerdictCode;
  /** In a sentence. */
  readonly text: string;
  /** Which variant is better, or broke a guardrail; `null`: none is named. */
  readonly variant: string | null;
}

/** A metric of a variant against the control's. */
export interface Compared extends Difference {
  readonly metric: ExperimentMetric;
  readonly control: number;
  readonly mean: number;
}

export interface GuardrailState extends Compared {
  /** The most by which it may change for the worse. */
  readonly margin: number;
  /** `holds`: shown to be within; `breached`: shown to be beyond; `open`: neither. */
  readonly state: "holds" | "breached" | "open";
}

export interface VariantReport {
  readonly name: string;
  /** Sessions that count: the first ones, as many as were planned. */
  readonly sessions: number;
  readonly assigned: number;
  readonly questions: number;
  /** Of the control, and of variants with fewer than two sessions, `null`. */
  readonly compared: Compared | null;
  readonly guardrails: readonly GuardrailState[];
}

export interface ExperimentReport {
  readonly name: string;
  readonly metric: ExperimentMetric;
  readonly better: "higher" | "lower";
  readonly planned: number;
  readonly alpha: number;
  /** `anytime`: intervals that hold however often one looks, while it runs; `fixed`: those of the size that was planned. */
  readonly intervals: "anytime" | "fixed";
  readonly variants: readonly VariantReport[];
  readonly verdict: Verdict;
}

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

/** Metrics that each question counts in as 0 or 1. */
const SHARES: ReadonlySet<ExperimentMetric> = new Set(["answered", "warned", "cached", "thumbs_up", "thumbs_down", "flagged"]);

/**
 * The report of an experiment. A verdict on who is better rests on the first `sessions` of each variant and on no others, so that it is the same
 * whenever one looks, and none is given before they are there. A guardrail can be shown to be broken at any time.
 * @param sessions in the order in which they began
 */
export function reportExperiment(name: string, settings: ExperimentSettings, sessions: readonly ExposedSession[]): ExperimentReport {
  const { metric, better, sessions: planned, alpha } = settings;
  const groups = Object.entries(settings.variants).map(([variant, { share }]) => {
    const all = sessions.filter((session) => session.variant === variant);
    return { name: variant, share, assigned: all.length, counted: all.slice(0, planned) };
  });
  const isComplete = groups.every(({ share, counted }) => share === 0 || counted.length >= planned);
  const variants = compareAll(groups, settings, isComplete);
  const mismatched = isMismatched(groups.map(({ assigned, share }) => ({ count: assigned, share })));
  const facts = { metric, better, planned, isComplete, mismatched };
  return {
    ...{ name, metric, better, planned, alpha, intervals: isComplete ? "fixed" : "anytime", variants },
    verdict: decide(variants, facts),
  };
}

interface Group {
  readonly name: string;
  readonly assigned: number;
  readonly counted: readonly ExposedSession[];
}

/** Levels are divided among the comparisons (Bonferroni): of variants, and for guardrails of variants and guardrails. */
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
    return { metric: of, control: a.mean, mean: b.mean, ...between(a, b, { alpha, planned, isComplete }) };
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

function between(a: Estimate, b: Estimate, { alpha, planned, isComplete }: { alpha: number; planned: number; isComplete: boolean }) {
  return isComplete ? fixedDifference(a, b, alpha) : anytimeDifference(a, b, alpha, planned);
}

/** A margin above 0 bounds a rise, one of 0 or below a fall. */
function stateOf({ low, high }: Difference, margin: number): GuardrailState["state"] {
  if (margin > 0) return high <= margin ? "holds" : low > margin ? "breached" : "open";
  return low >= margin ? "holds" : high < margin ? "breached" : "open";
}

interface DecidingFacts extends Pick<ExperimentReport, "metric" | "better" | "planned"> {
  readonly isComplete: boolean;
  readonly mismatched: boolean;
}

function decide(variants: readonly VariantReport[], { metric, better, planned, isComplete, mismatched }: DecidingFacts): Verdict {
  if (mismatched) {
    const counts = variants.map(({ name, assigned }) => `${name} ${assigned}`).join(", ");
    const text = `Sessions did not fall on the variants as their shares say (${counts}): something loses them, and no figure can be trusted. Find out what before you go on.`;
    return { code: "assignment_broken", text, variant: null };
  }
  for (const { name, guardrails } of variants) {
    const breached = guardrails.find(({ state }) => state === "breached");
    if (breached === undefined) continue;
    const text = `${name} broke the guardrail on ${breached.metric}: ${signed(breached)}, and at most ${breached.margin} is allowed. End it.`;
    return { code: "guardrail_breached", text, variant: name };
  }
  if (!isComplete) {
    const least = Math.min(...variants.map(({ sessions }) => sessions));
    const text = `Too early: ${least} of ${planned} sessions in the smallest variant. Nothing is said of who is better before they are there.`;
    return { code: "too_early", text, variant: null };
  }
  const isBetter = ({ compared }: VariantReport) => compared !== null && (better === "higher" ? compared.low > 0 : compared.high < 0);
  const gainOf = ({ compared }: VariantReport) => (better === "higher" ? 1 : -1) * (compared?.difference ?? 0);
  const [best] = variants.filter(isBetter).sort((a, b) => gainOf(b) - gainOf(a));
  if (best?.compared == null) {
    return { code: "no_winner", text: `No variant was shown to be better in ${metric} than the control. Keep the control.`, variant: null };
  }
  const open = best.guardrails.filter(({ state }) => state !== "holds").map((one) => one.metric);
  if (open.length > 0) {
    const text = `${best.name} is better in ${metric} (${signed(best.compared)}), but it was not shown that ${open.join(" and ")} stay within their margins. Keep the control, or plan more sessions.`;
    return { code: "no_winner", text, variant: null };
  }
  const text = `${best.name} is better in ${metric}: ${signed(best.compared)}, and every guardrail holds.`;
  return { code: "better", text, variant: best.name };
}

function signed({ difference, low, high }: Difference): string {
  const show = (value: number) => `${value > 0 ? "+" : ""}${Number(value.toPrecision(3))}`;
  return `${show(difference)} [${show(low)}, ${show(high)}]`;
}
