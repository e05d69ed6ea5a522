import type { Interval } from "./metrics.ts";
import { createRandom } from "./random.ts";

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
  if (values.length === 0) return null;
  const groups = new Map<string, { sum: number; n: number }>();
  values.forEach((value, i) => {
    const key = clusters[i] as string;
    const group = groups.get(key) ?? { sum: 0, n: 0 };
    group.sum += value - (baseline[i] as number);
    group.n++;
    groups.set(key, group);
  });
  const list = [...groups.values()];
  const random = createRandom(seed);
  const means: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    let n = 0;
    for (let i = 0; i < list.length; i++) {
      const group = list[Math.floor(random() * list.length)] as { sum: number; n: number };
      sum += group.sum;
      n += group.n;
    }
    means.push(sum / n);
  }
  means.sort((a, b) => a - b);
  const at = (q: number) => means[Math.min(means.length - 1, Math.floor(q * means.length))] as number;
  const difference = list.reduce((sum, group) => sum + group.sum, 0) / values.length;
  return { difference, low: at(0.025), high: at(0.975) };
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
