import type { CountedInteraction, MadeAnswer } from "../store/statistics.ts";
import { quantile } from "../text/numbers.ts";

export type Statistics = Awaited<ReturnType<typeof sumUp>>;

/** Statistics of the models, stages and checks of the newest answers. */
export type MadeStatistics = ReturnType<typeof sumUpMade>;

/** Maximum number of listed topics. */
const TOPICS_SHOWN = 20;
const CONFIDENCE_PARTS = 10;

/** Summarises interactions. The result contains no text of questions. */
export async function sumUp(counted: AsyncIterable<CountedInteraction>) {
  const [statuses, refusals, levels] = [new Tally(), new Tally(), new Tally()];
  const [topics, reviews] = [new Tally(), new Tally()];
  const spent = { tokens: 0, usd: 0, uncounted: 0 };
  const saved = { tokens: 0, usd: 0, uncounted: 0 };
  const feedback = { up: 0, down: 0 };
  const counts = new Array<number>(CONFIDENCE_PARTS).fill(0);
  const confidences: number[] = [];
  const latencies: number[] = [];
  const days = new Map<string, DaySums>();
  const judged = Array.from({ length: CONFIDENCE_PARTS }, () => ({ right: 0, wrong: 0 }));
  let interactions = 0;
  let ephemeral = 0;
  for await (const one of counted) {
    interactions++;
    statuses.add(one.status);
    levels.add(one.cacheMode);
    reviews.add(one.reviewStatus);
    if (one.reason !== null) refusals.add(one.reason);
    for (const topic of one.topics) topics.add(topic);
    if (one.thumbs !== null) feedback[one.thumbs]++;
    if (one.privacy === "ephemeral") ephemeral++;
    addCost(spent, one.tokens, one.costUsd);
    if (one.cacheMode !== "miss") addCost(saved, one.savedTokens, one.savedUsd);
    if (one.latencyMs !== null) latencies.push(one.latencyMs);
    addDay(days, one);
    if (one.confidence === null) continue;
    confidences.push(one.confidence);
    const part = Math.min(CONFIDENCE_PARTS - 1, Math.floor(one.confidence * CONFIDENCE_PARTS));
    counts[part] = (counts[part] ?? 0) + 1;
    const isRight = judgementOf(one);
    const judgedPart = judged[part];
    if (isRight !== null && judgedPart !== undefined) judgedPart[isRight ? "right" : "wrong"]++;
  }
  const hits = interactions - (levels.counts.get("miss") ?? 0);
  return {
    interactions,
    /** Number of interactions by status: answered, refused, failed. */
    statuses: statuses.sorted(),
    /** Number of refusals by reason. */
    refusals: refusals.sorted(),
    /** Number of interactions by cache level: `miss`, `exact`, `semantic`, `graph`, `curated`. */
    levels: levels.sorted(),
    /** Share of interactions served from the cache; `null` if there are none. */
    hitRate: interactions === 0 ? null : hits / interactions,
    /**
     * Costs of model calls. `uncounted` is the number of interactions with unknown costs: the endpoint reported no tokens,
     * or the model has no known price.
     */
    spent,
    /** Costs that the cache saved: those of the served answers when they were written. `uncounted` as for `spent`. */
    saved,
    topics: topics.entries(TOPICS_SHOWN).map(([topic, count]) => ({ topic, count })),
    /** `counts`: interactions in each tenth of the confidence scale (0 to 1); `none`: interactions without a confidence. */
    confidence: { counts, none: interactions - confidences.length, median: quantile(confidences, 0.5) },
    latencyMs: { p50: quantile(latencies, 0.5), p95: quantile(latencies, 0.95), max: quantile(latencies, 1) },
    reviews: reviews.sorted(),
    feedback,
    ephemeral,
    /** Sums and latencies by day (UTC), oldest first. */
    days: [...days.values()].map(dayOf).sort((a, b) => (a.day < b.day ? -1 : 1)),
    /**
     * For each tenth of the confidence scale, the number of answers that people judged to be right (approved or rated up)
     * or wrong (flagged or rated down).
     */
    judged,
  };
}

function newDay(day: string) {
  return { day, interactions: 0, refused: 0, failed: 0, hits: 0, usd: 0, tokens: 0, latencies: [] as number[] };
}
type DaySums = ReturnType<typeof newDay>;

/** Returns the sums of a day, with the median and 95th percentile of its latencies (`null` without latencies). */
function dayOf({ latencies, ...sums }: DaySums) {
  return { ...sums, p50Ms: quantile(latencies, 0.5), p95Ms: quantile(latencies, 0.95) };
}

function addDay(days: Map<string, DaySums>, one: CountedInteraction): void {
  const day = one.createdAt.slice(0, 10);
  const sum = days.get(day) ?? newDay(day);
  days.set(day, sum);
  sum.interactions++;
  if (one.status === "insufficient_context") sum.refused++;
  if (one.status === "error") sum.failed++;
  if (one.cacheMode !== "miss") sum.hits++;
  sum.usd += one.costUsd ?? 0;
  sum.tokens += one.tokens ?? 0;
  if (one.latencyMs !== null) sum.latencies.push(one.latencyMs);
}

/**
 * Returns whether a person judged an answer to be right. A review overrides a user's rating. Returns `null` if nobody judged
 * it, and for a refusal, whose confidence is not that of an answer.
 */
function judgementOf({ status, reviewStatus, thumbs }: CountedInteraction): boolean | null {
  if (status !== "ok") return null;
  if (reviewStatus !== "unreviewed") return reviewStatus === "approved";
  return thumbs === null ? null : thumbs === "up";
}

/** Summarises the stages, grades, models and checks of answers. */
export function sumUpMade(made: readonly MadeAnswer[]) {
  const stages = new Map<string, number[]>();
  const models = new Map<string, { calls: number; tokens: number; usd: number; uncounted: number }>();
  const checks = new Map<string, { pass: number; repaired: number; warn: number; fail: number }>();
  for (const { timings, calls, checks: found } of made) {
    for (const [stage, ms] of Object.entries(timings)) stages.set(stage, [...(stages.get(stage) ?? []), ms]);
    for (const { model, inputTokens, outputTokens, costUsd } of calls) {
      const sum = models.get(model) ?? { calls: 0, tokens: 0, usd: 0, uncounted: 0 };
      models.set(model, sum);
      sum.calls++;
      addCost(sum, inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens, costUsd);
    }
    for (const { name, verdict } of found) {
      const sum = checks.get(name) ?? { pass: 0, repaired: 0, warn: 0, fail: 0 };
      checks.set(name, sum);
      if (verdict === "pass" || verdict === "repaired" || verdict === "warn" || verdict === "fail") sum[verdict]++;
    }
  }
  const at = (values: readonly number[], share: number) => quantile(values, share) ?? 0;
  return {
    /** Number of answers that were analysed. */
    answers: made.length,
    /** Time in milliseconds by stage, in pipeline order. */
    stages: [...stages].map(([stage, ms]) => ({ stage, n: ms.length, p50: at(ms, 0.5), p95: at(ms, 0.95), p99: at(ms, 0.99) })),
    metrics: metricsOf(made),
    models: [...models].map(([model, sum]) => ({ model, ...sum })).sort((a, b) => b.calls - a.calls || (a.model < b.model ? -1 : 1)),
    checks: [...checks].map(([name, sum]) => ({ name, ...sum })).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Returns the grades of each metric: in total, and by day, oldest first. */
function metricsOf(made: readonly MadeAnswer[]) {
  const names = [...new Set(made.flatMap(({ metrics }) => Object.keys(metrics)))].sort();
  return names.map((metric) => {
    const graded = made.flatMap(({ metrics, createdAt }) => {
      const found = metrics[metric];
      return found === undefined ? [] : [{ ...found, day: createdAt.slice(0, 10) }];
    });
    const scores = graded.flatMap(({ score }) => score ?? []);
    const judged = graded.filter(({ passed }) => passed !== null);
    const passedOf = (some: typeof graded) => some.filter(({ passed }) => passed === true).length;
    const days = [...Map.groupBy(judged, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      ...{ metric, passed: passedOf(judged), failed: judged.length - passedOf(judged) },
      /** Number of answers that could not be graded. */
      unknown: graded.length - judged.length,
      mean: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
      threshold: graded[0]?.threshold ?? null,
      days: days.map(([day, ofDay]) => ({ day, passed: passedOf(ofDay), graded: ofDay.length })),
    };
  });
}

function addCost(sum: { tokens: number; usd: number; uncounted: number }, tokens: number | null, usd: number | null): void {
  sum.tokens += tokens ?? 0;
  sum.usd += usd ?? 0;
  if (tokens === null || usd === null) sum.uncounted++;
}

class Tally {
  readonly counts = new Map<string, number>();
  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
  /** Largest count first; ties by name. */
  entries(limit?: number): [string, number][] {
    return [...this.counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, limit);
  }
  sorted(): Record<string, number> {
    return Object.fromEntries(this.entries());
  }
}
