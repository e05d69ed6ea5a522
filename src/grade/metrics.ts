export { quantile } from "../text/quantile.ts";

/** Textbook metrics over ranked lists and counts; one pure function each. */

/** 1 if any relevant item is among the first k, else 0. */
export function hitAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return ranked.slice(0, k).some((id) => relevant.has(id)) ? 1 : 0;
}

/** Share of the relevant items that are among the first k; `null` when nothing is relevant. */
export function recallAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number | null {
  if (relevant.size === 0) return null;
  return new Set(ranked.slice(0, k).filter((id) => relevant.has(id))).size / relevant.size;
}

/** Share of the first k that is relevant; the denominator is k even if fewer were ranked. */
export function precisionAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return ranked.slice(0, k).filter((id) => relevant.has(id)).length / k;
}

/** 1 / rank of the first relevant item; 0 when there is none. Its mean is MRR. */
export function reciprocalRank(ranked: readonly string[], relevant: ReadonlySet<string>): number {
  const at = ranked.findIndex((id) => relevant.has(id));
  return at < 0 ? 0 : 1 / (at + 1);
}

/** Normalised discounted cumulative gain with binary gains: Σ 1/log2(rank+1) over the ideal one (Järvelin & Kekäläinen 2002). `null` when nothing is relevant. */
export function ndcgAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number | null {
  if (relevant.size === 0) return null;
  const gain = (rank: number) => 1 / Math.log2(rank + 2);
  const seen = new Set<string>();
  let dcg = 0;
  ranked.slice(0, k).forEach((id, rank) => {
    if (relevant.has(id) && !seen.has(id)) dcg += gain(rank);
    seen.add(id);
  });
  let ideal = 0;
  for (let rank = 0; rank < Math.min(k, relevant.size); rank++) ideal += gain(rank);
  return dcg / ideal;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Normal quantile of a two-sided 95 % interval. */
const Z95 = 1.959963984540054;

/** Wilson score interval of a proportion (Wilson 1927), 95 %. `null` for n = 0. */
export function wilson(successes: number, n: number): Interval | null {
  if (n === 0) return null;
  const p = successes / n;
  const z2 = Z95 * Z95;
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z95 * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** Arithmetic mean; `null` of nothing. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Area under the ROC curve: the chance that a positive scores above a negative, ties half (Mann–Whitney). `null` when a class is empty. */
export function auroc(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length === 0 || negatives.length === 0) return null;
  // By ranks: ten thousand answers would be fifty million pairs.
  const all = [...positives.map((value) => ({ value, positive: 1 })), ...negatives.map((value) => ({ value, positive: 0 }))];
  all.sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    let tied = 0;
    while (to < all.length && all[to]?.value === all[from]?.value) tied += all[to++]?.positive ?? 0;
    ranks += (tied * (from + 1 + to)) / 2;
    from = to;
  }
  return (ranks - (positives.length * (positives.length + 1)) / 2) / (positives.length * negatives.length);
}

/** Share of right decisions in each of two classes, averaged; `null` when a class is empty. */
export function balancedAccuracy(decisions: readonly boolean[], truth: readonly boolean[]): number | null {
  const rate = (of: boolean) => mean(truth.flatMap((one, i) => (one === of ? [decisions[i] === of ? 1 : 0] : [])));
  const [hits, rejections] = [rate(true), rate(false)];
  return hits === null || rejections === null ? null : (hits + rejections) / 2;
}

/** Harmonic mean of precision and recall of the decisions that say yes; `null` when nothing is true and nothing was said. */
export function f1(decisions: readonly boolean[], truth: readonly boolean[]): number | null {
  const said = decisions.filter((one) => one).length;
  const meant = truth.filter((one) => one).length;
  const both = decisions.filter((one, i) => one && truth[i] === true).length;
  return said + meant === 0 ? null : (2 * both) / (said + meant);
}

/** Bins of equal width for the calibration error, as in Guo et al. 2017. */
const CALIBRATION_BINS = 10;

/**
 * Expected calibration error (Naeini et al. 2015): mean over bins of equal width, weighted by their items, of |mean score − share right|. Noise of small bins adds
 * to it. `null` of nothing.
 */
export function expectedCalibrationError(items: readonly { readonly score: number; readonly right: boolean }[]): number | null {
  if (items.length === 0) return null;
  const bins = Array.from({ length: CALIBRATION_BINS }, () => 0);
  for (const { score, right } of items) {
    const bin = Math.min(CALIBRATION_BINS - 1, Math.floor(score * CALIBRATION_BINS));
    bins[bin] = (bins[bin] as number) + score - Number(right);
  }
  return bins.reduce((sum, gap) => sum + Math.abs(gap), 0) / items.length;
}

/**
 * Area under the risk–coverage curve (Geifman & El-Yaniv 2017): mean over coverages 1/n … n/n of the share wrong among the questions answered,
 * most confident first. Equal scores are answered together: each counts with the share wrong of its group. `null` of nothing.
 */
export function riskCoverageArea(items: readonly { readonly score: number; readonly wrong: boolean }[]): number | null {
  if (items.length === 0) return null;
  const sorted = [...items].sort((a, b) => b.score - a.score);
  let wrong = 0;
  let area = 0;
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    let inGroup = 0;
    while (to < sorted.length && sorted[to]?.score === sorted[from]?.score) inGroup += Number(sorted[to++]?.wrong);
    for (let i = from; i < to; i++) area += (wrong + (inGroup * (i - from + 1)) / (to - from)) / (i + 1);
    wrong += inGroup;
    from = to;
  }
  return area / sorted.length;
}

/**
 * 95 % interval of the mean difference of paired values by the percentile bootstrap; whole clusters are drawn, because questions about one
 * source are not independent (Efron & Tibshirani 1993, chapters 13 and 8).
 * @param clusters the cluster of each pair
 * @returns `null` without pairs
 */
export function pairedBootstrap(
  values: readonly number[],
  baseline: readonly number[],
  clusters: readonly string[],
  { draws = 1000, seed = 1 }: { draws?: number; seed?: number } = {},
): (Interval & { readonly difference: number }) | null {
  const differences = values.map((value, i) => value - (baseline[i] as number));
  const drawn = clusterBootstrap(clusters, (indexes) => mean(indexes.map((i) => differences[i] as number)), { draws, seed });
  return drawn === null ? null : { difference: drawn.value, low: drawn.low, high: drawn.high };
}

/**
 * 95 % interval of any figure of a set by the percentile bootstrap over whole clusters, for figures that are no means (AUROC, F1). Draws in
 * which the figure is not defined are left out.
 * @param figure computed from the indexes drawn, repeats included
 * @returns `null` when the figure is not defined on the whole set
 */
export function clusterBootstrap(
  clusters: readonly string[],
  figure: (indexes: readonly number[]) => number | null,
  options: { draws?: number; seed?: number } = {},
): (Interval & { readonly value: number }) | null {
  return bootstrapFigures(clusters, (indexes) => ({ figure: figure(indexes) }), options).get("figure") ?? null;
}

/** The same of several figures of the same draws; those that are not defined on the whole set are left out. */
export function bootstrapFigures(
  clusters: readonly string[],
  figures: (indexes: readonly number[]) => Readonly<Record<string, number | null>>,
  { draws = 500, seed = 1 }: { draws?: number; seed?: number } = {},
): Map<string, Interval & { readonly value: number }> {
  const groups = new Map<string, number[]>();
  clusters.forEach((cluster, i) => {
    const group = groups.get(cluster);
    if (group === undefined) groups.set(cluster, [i]);
    else group.push(i);
  });
  const list = [...groups.values()];
  const random = createRandom(seed);
  const drawn = Array.from({ length: draws }, () => figures(list.flatMap(() => list[Math.floor(random() * list.length)] as number[])));
  const intervals = new Map<string, Interval & { readonly value: number }>();
  for (const [name, value] of Object.entries(figures(clusters.map((_, i) => i)))) {
    if (value === null) continue;
    const values = drawn.flatMap((one) => one[name] ?? []).sort((a, b) => a - b);
    const at = (q: number) => values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? value;
    intervals.set(name, { value, low: at(0.025), high: at(0.975) });
  }
  return intervals;
}

/** The next number in [0, 1). */
export type Random = () => number;

/** A seeded generator (mulberry32, T. Ettinger 2017): the same seed gives the same numbers on every machine. Not for secrets. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
