/** Scores of an encoder on labelled pairs, as quantiles at equal steps from the lowest to the highest. */
export type Distribution = readonly number[];

/** Quantiles stored: steps of half a percent. */
export const QUANTILES = 201;

/** @throws RangeError with fewer than two values */
export function distributionOf(values: readonly number[], quantiles: number = QUANTILES): Distribution {
  if (values.length < 2) throw new RangeError("A distribution needs at least two values.");
  const sorted = [...values].sort((a, b) => a - b);
  return Array.from({ length: quantiles }, (_, i) => at(sorted, i / (quantiles - 1)));
}

/**
 * The threshold on `target` at which the same share of the labelled pairs passes as at `threshold` on `source` (DESIGN.md, section 4): Q_target(F_source(θ)).
 * Beyond the ends, where all or none pass, the distance to the end is kept. Rising in `threshold`.
 */
export function carryThreshold(threshold: number, source: Distribution, target: Distribution): number {
  const [lowest, highest] = [source[0] as number, source.at(-1) as number];
  if (threshold > highest) return (target.at(-1) as number) + (threshold - highest);
  if (threshold < lowest) return (target[0] as number) - (lowest - threshold);
  return at(target, shareBelow(threshold, source));
}

/** Share of pairs below a score, 0–1; in a run of equal quantiles its middle. */
export function shareBelow(score: number, distribution: Distribution): number {
  const last = distribution.length - 1;
  const first = distribution.findIndex((one) => one >= score);
  if (first === -1) return 1;
  const end = distribution.findLastIndex((one) => one <= score);
  if (end >= first) return (first + end) / 2 / last;
  if (first === 0) return 0;
  const [below, above] = [distribution[first - 1] as number, distribution[first] as number];
  return (first - 1 + (score - below) / (above - below)) / last;
}

/** Value at a share of a sorted list, between its neighbours by a straight line. */
function at(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  const [a, b] = [sorted[low] as number, sorted[Math.min(low + 1, sorted.length - 1)] as number];
  return a + (b - a) * (place - low);
}
