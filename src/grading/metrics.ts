export { quantile } from "../text/numbers.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Normal quantile for a two-sided 95 % interval. */
const Z95 = 1.959963984540054;

/** Returns the 95 % Wilson score interval of a proportion (Wilson 1927). `null` for n = 0. */
export function wilson(successes: number, n: number): Interval | null {
  if (n === 0) return null;
  const p = successes / n;
  const z2 = Z95 * Z95;
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z95 * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** Returns the arithmetic mean; `null` for no values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Returns the area under the ROC curve: the probability that a positive has a higher score than a negative (Mann–Whitney).
 * A tie counts as one half. Returns `null` if there are no positives or no negatives.
 */
export function auroc(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length === 0 || negatives.length === 0) return null;
  // Sum ranks instead of comparing pairs: 10,000 answers form up to 25 million pairs.
  const all = [...positives.map((value) => ({ value, positive: true })), ...negatives.map((value) => ({ value, positive: false }))];
  all.sort((a, b) => a.value - b.value);
  let [ranks, before] = [0, 0];
  for (const tied of Map.groupBy(all, ({ value }) => value).values()) {
    ranks += (tied.filter(({ positive }) => positive).length * (2 * before + tied.length + 1)) / 2;
    before += tied.length;
  }
  return (ranks - (positives.length * (positives.length + 1)) / 2) / (positives.length * negatives.length);
}

/** Number of bins of equal width for the calibration error, as in Guo et al. 2017. */
const CALIBRATION_BINS = 10;

/**
 * Returns the expected calibration error (Naeini et al. 2015): the mean of |mean score − share right| over bins of equal
 * width, weighted by the number of items. Bins with few items bias it upwards. Returns `null` without items.
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
 * Returns the area under the risk–coverage curve (Geifman & El-Yaniv 2017): the mean share of wrong answers among the k most
 * confident items, over k = 1 … n. Within a group of equal scores, each item counts with the group's share of wrong
 * answers. Returns `null` without items.
 */
export function riskCoverageArea(items: readonly { readonly score: number; readonly wrong: boolean }[]): number | null {
  if (items.length === 0) return null;
  const sorted = items.toSorted((a, b) => b.score - a.score);
  let [before, wrong, area] = [0, 0, 0];
  for (const group of Map.groupBy(sorted, ({ score }) => score).values()) {
    const inGroup = group.filter((one) => one.wrong).length;
    for (const i of group.keys()) area += (wrong + (inGroup * (i + 1)) / group.length) / (before + i + 1);
    before += group.length;
    wrong += inGroup;
  }
  return area / items.length;
}

/**
 * Computes a 95 % percentile bootstrap interval. Each draw resamples whole clusters, because items of one cluster are not
 * independent. Works for any metric, e.g. AUROC. Skips draws in which the metric is undefined.
 * @param clusters name of the cluster of each item
 * @param figure computes the metric from the indexes of the drawn items, which may repeat
 * @returns `null` if the metric of all items together is undefined
 */
export function clusterBootstrap(
  clusters: readonly string[],
  figure: (indexes: readonly number[]) => number | null,
  options: { draws?: number; seed?: number } = {},
): (Interval & { readonly value: number }) | null {
  return bootstrapFigures(clusters, (indexes) => ({ figure: figure(indexes) }), options).get("figure") ?? null;
}

/** Bootstraps several metrics on the same draws. Leaves out metrics that are undefined for all items together. */
export function bootstrapFigures(
  clusters: readonly string[],
  figures: (indexes: readonly number[]) => Readonly<Record<string, number | null>>,
  { draws = 500, seed = 1 }: { draws?: number; seed?: number } = {},
): Map<string, Interval & { readonly value: number }> {
  const list = [...Map.groupBy(clusters.keys(), (i) => clusters[i]).values()];
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

/** Returns the next random number in [0, 1). */
export type Random = () => number;

/** Creates a seeded random generator (mulberry32, T. Ettinger 2017). It gives the same numbers on every machine. Not for secrets. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
