import { decimal, type TableRow } from "../../src/grading/report.ts";
import { balancedAccuracy } from "../runs/ranking-metrics.ts";

/** A labelled case; its score should reach the threshold exactly if `positive`. `null`: not scored. */
export interface ScoredCase {
  readonly set: string;
  readonly positive: boolean;
  readonly score: number | null;
}

/** Chooses a threshold on every other set, in order of names, and reports it on the remaining sets; then the reverse. */
export function chooseOnHalves(cases: readonly ScoredCase[]): { table: TableRow[]; metrics: Record<string, number | null> } {
  const names = [...new Set(cases.map(({ set }) => set))].sort();
  const table: TableRow[] = [];
  const metrics: Record<string, number | null> = {};
  for (const half of [0, 1]) {
    const own = names.filter((_, i) => i % 2 === half);
    const [chosen, rest] = [cases.filter(({ set }) => own.includes(set)), cases.filter(({ set }) => !own.includes(set))];
    const threshold = bestThreshold(chosen);
    const [here, other] = [accuracyAt(chosen, threshold), accuracyAt(rest, threshold)];
    metrics[`half.${half}.threshold`] = threshold;
    metrics[`half.${half}.balanced_accuracy`] = here;
    metrics[`half.${half}.balanced_accuracy.other`] = other;
    table.push({
      name: `chosen on ${own.join(", ")}`,
      figure: `threshold ${decimal(threshold)}`,
      note: `balanced accuracy ${decimal(here)} there (n ${chosen.length}), ${decimal(other)} on the other half (n ${rest.length})`,
    });
  }
  return { table, metrics };
}

/** Returns the balanced accuracy at a threshold, ignoring cases without a score. */
export function accuracyAt(cases: readonly ScoredCase[], threshold: number): number | null {
  const known = cases.flatMap(({ positive, score }) => (score === null ? [] : [{ positive, passes: score >= threshold }]));
  return balancedAccuracy(
    known.map(({ passes }) => passes),
    known.map(({ positive }) => positive),
  );
}

/** Returns the lowest threshold at which the share of positives reaches `share`; above all scores if there is none. */
export function leastWithShare(cases: readonly ScoredCase[], share: number): number {
  const known = cases.flatMap(({ positive, score }) => (score === null ? [] : [{ positive, score }])).sort((a, b) => b.score - a.score);
  let [least, positives] = [(known[0]?.score ?? 0) + 1e-3, 0];
  for (const [i, { positive, score }] of known.entries()) {
    if (positive) positives++;
    if (score !== known[i + 1]?.score && positives / (i + 1) >= share) least = score;
  }
  return Math.floor(least * 1000) / 1000;
}

/** Returns the lowest threshold with the best balanced accuracy, among all scores rounded to three decimals. */
function bestThreshold(cases: readonly ScoredCase[]): number {
  const candidates = [...new Set(cases.flatMap(({ score }) => (score === null ? [] : [Math.round(score * 1000) / 1000])))].sort(
    (a, b) => a - b,
  );
  return candidates.reduce(
    (best, threshold) => {
      const figure = accuracyAt(cases, threshold) ?? 0;
      return figure > best.figure ? { threshold, figure } : best;
    },
    { threshold: 0, figure: 0 },
  ).threshold;
}
