import { clusterBootstrap, type Interval, mean } from "../../src/grading/metrics.ts";

/** Textbook metrics of ranked lists, decisions and pairs; one pure function each. */

/** Returns 1 if any relevant item is among the first k, else 0. */
export function hitAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return ranked.slice(0, k).some((id) => relevant.has(id)) ? 1 : 0;
}

/** Returns the share of relevant items among the first k; `null` if nothing is relevant. */
export function recallAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number | null {
  if (relevant.size === 0) return null;
  return new Set(ranked.slice(0, k).filter((id) => relevant.has(id))).size / relevant.size;
}

/** Returns the share of the first k that is relevant; the denominator is k even if fewer were ranked. */
export function precisionAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return ranked.slice(0, k).filter((id) => relevant.has(id)).length / k;
}

/** Returns 1 / rank of the first relevant item; 0 if there is none. Its mean is MRR. */
export function reciprocalRank(ranked: readonly string[], relevant: ReadonlySet<string>): number {
  const at = ranked.findIndex((id) => relevant.has(id));
  return at < 0 ? 0 : 1 / (at + 1);
}

/** Returns nDCG with binary gains: Σ 1/log2(rank+1) over the ideal one (Järvelin & Kekäläinen 2002); `null`: nothing is relevant. */
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

/** Returns the mean of the accuracies on both classes; `null` if a class is empty. */
export function balancedAccuracy(decisions: readonly boolean[], truth: readonly boolean[]): number | null {
  const rate = (of: boolean) => mean(truth.flatMap((one, i) => (one === of ? [decisions[i] === of ? 1 : 0] : [])));
  const [hits, rejections] = [rate(true), rate(false)];
  return hits === null || rejections === null ? null : (hits + rejections) / 2;
}

/** Returns the harmonic mean of precision and recall of the positive decisions; `null` if nothing is true and no decision is positive. */
export function f1(decisions: readonly boolean[], truth: readonly boolean[]): number | null {
  const said = decisions.filter((one) => one).length;
  const meant = truth.filter((one) => one).length;
  const both = decisions.filter((one, i) => one && truth[i] === true).length;
  return said + meant === 0 ? null : (2 * both) / (said + meant);
}

/**
 * Returns the 95 % interval of the mean difference of paired values by the percentile bootstrap. Resamples whole clusters, because
 * questions about one source are not independent (Efron & Tibshirani 1993, chapters 13 and 8).
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
