import type { CountedInteraction } from "../store/statistics.ts";
import { quantile } from "../text/quantile.ts";

export interface Statistics {
  readonly interactions: number;
  /** Answered, refused, failed. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Why it was refused. */
  readonly refusals: Readonly<Record<string, number>>;
  /** By level of the memory: `miss`, `exact`, `semantic`, `graph`, `curated`. */
  readonly levels: Readonly<Record<string, number>>;
  /** Share of interactions that were served from memory; `null` without any. */
  readonly hitRate: number | null;
  /** Of models; `uncounted` interactions called an endpoint that did not count, or has no known price. */
  readonly spent: { readonly tokens: number; readonly usd: number; readonly uncounted: number };
  /** What hits had cost when their answers were made; `uncounted` as above. */
  readonly saved: { readonly tokens: number; readonly usd: number; readonly uncounted: number };
  readonly topics: readonly { readonly topic: string; readonly count: number }[];
  /** Ten equal parts of 0–1, and how many had none. */
  readonly confidence: { readonly counts: readonly number[]; readonly none: number; readonly median: number | null };
  readonly latencyMs: { readonly p50: number | null; readonly p95: number | null; readonly max: number | null };
  readonly reviews: Readonly<Record<string, number>>;
  readonly feedback: { readonly up: number; readonly down: number };
  readonly ephemeral: number;
}

/** Topics that are listed. */
const TOPICS_SHOWN = 20;
const CONFIDENCE_PARTS = 10;

/** Sums up interactions; no text of a question is in it. */
export async function sumUp(counted: AsyncIterable<CountedInteraction>): Promise<Statistics> {
  const statuses = new Tally();
  const refusals = new Tally();
  const levels = new Tally();
  const topics = new Tally();
  const reviews = new Tally();
  const spent = { tokens: 0, usd: 0, uncounted: 0 };
  const saved = { tokens: 0, usd: 0, uncounted: 0 };
  const feedback = { up: 0, down: 0 };
  const counts = new Array<number>(CONFIDENCE_PARTS).fill(0);
  const confidences: number[] = [];
  const latencies: number[] = [];
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
    if (one.confidence === null) continue;
    confidences.push(one.confidence);
    const part = Math.min(CONFIDENCE_PARTS - 1, Math.floor(one.confidence * CONFIDENCE_PARTS));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  const hits = interactions - (levels.counts.get("miss") ?? 0);
  return {
    interactions,
    statuses: statuses.sorted(),
    refusals: refusals.sorted(),
    levels: levels.sorted(),
    hitRate: interactions === 0 ? null : hits / interactions,
    spent,
    saved,
    topics: topics
      .entries()
      .slice(0, TOPICS_SHOWN)
      .map(([topic, count]) => ({ topic, count })),
    confidence: { counts, none: interactions - confidences.length, median: quantile(confidences, 0.5) },
    latencyMs: { p50: quantile(latencies, 0.5), p95: quantile(latencies, 0.95), max: quantile(latencies, 1) },
    reviews: reviews.sorted(),
    feedback,
    ephemeral,
  };
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
  /** Most first; ties by name. */
  entries(): [string, number][] {
    return [...this.counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  }
  sorted(): Record<string, number> {
    return Object.fromEntries(this.entries());
  }
}
