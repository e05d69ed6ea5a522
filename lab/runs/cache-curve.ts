import { wilson } from "../../src/grading/metrics.ts";
import { decimal, type TableRow } from "../../src/grading/report.ts";
import { compareSlots } from "../../src/language/compare-slots.ts";
import { createLikeness } from "../../src/language/likeness.ts";
import type { SlotVocabulary } from "../../src/language/slot-vocabulary.ts";
import { readSlots } from "../../src/language/slots.ts";
import { entityJaccard, type MatchWeights, matchFeatures, matchScore } from "../../src/memory/match.ts";
import type { EmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import { cosineOf } from "../judges/cosine.ts";
import type { CachePair } from "../sets/cache-pairs.ts";

/** Hits at one threshold. */
export interface CurvePoint {
  readonly threshold: number;
  readonly hits: number;
  readonly wrong: number;
}

export interface Curve {
  readonly share: number;
  readonly others: number;
  /** Points by combined score (with equal slots), and by cosine alone. */
  readonly ours: readonly CurvePoint[];
  readonly cosine: readonly CurvePoint[];
  /** Point at the shipped threshold. */
  readonly chosen: CurvePoint;
  /** Cosine alone at the hit rate of `chosen`. */
  readonly equalHits: CurvePoint | null;
}

const THRESHOLDS = [0, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
const COSINES = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.92, 0.95, 0.98];

export interface ScoredPair {
  readonly share: boolean;
  readonly cosine: number;
  /** `null`: the slots differ. */
  readonly score: number | null;
  readonly rule: string;
}

/** Scores each pair as the cache does, independent of the threshold. */
export function scorePairs(
  pairs: readonly CachePair[],
  vocabulary: SlotVocabulary,
  encoder: EmbeddedEncoder,
  weights: MatchWeights,
): ScoredPair[] {
  const likeness = createLikeness(encoder);
  return pairs.map((pair) => {
    const { features, rule } = featuresOf(pair, vocabulary, encoder, likeness);
    const model = pair.retrieved === null ? weights.words : weights.retrieved;
    return { share: pair.share, cosine: pair.cosine, rule, score: features === null ? null : matchScore(features, model) };
  });
}

/** Returns the features of a pair with equal slots, else the rule that found a difference. */
export function featuresOf(
  pair: CachePair,
  vocabulary: SlotVocabulary,
  encoder: EmbeddedEncoder,
  likeness: (a: string, b: string) => number,
) {
  const [asked, stored] = [readSlots(pair.asked, vocabulary), readSlots(pair.stored, vocabulary)];
  const [one, other] = encoder.embedSync([asked.canonical, stored.canonical]);
  const closeness = {
    documentOverlap: null,
    ...pair.retrieved,
    cosine: cosineOf(one, other),
    entityJaccard: entityJaccard(asked, stored),
    likeness,
  };
  const verdict = compareSlots(asked, stored, closeness);
  if (!verdict.same) return { features: null, rule: verdict.rule };
  return { features: matchFeatures(asked, stored, closeness, verdict.alignment), rule: "same" };
}

/** Computes false hits against hits over thresholds. Pairs with different slots are never served. */
export function curveOf(rows: readonly ScoredPair[], threshold: number): Curve {
  const point = (at: number, score: (row: ScoredPair) => number | null): CurvePoint => {
    const served = rows.filter((row) => (score(row) ?? Number.NEGATIVE_INFINITY) >= at);
    return { threshold: at, hits: served.filter(({ share }) => share).length, wrong: served.filter(({ share }) => !share).length };
  };
  const byScore = (at: number) => point(at, ({ score }) => score);
  const byCosine = (at: number) => point(at, ({ cosine }) => cosine);
  const chosen = byScore(threshold);
  const ranked = rows
    .filter(({ share }) => share)
    .map(({ cosine }) => cosine)
    .sort((a, b) => b - a);
  const equal = chosen.hits === 0 ? undefined : ranked[chosen.hits - 1];
  return {
    share: rows.filter(({ share }) => share).length,
    others: rows.filter(({ share }) => !share).length,
    ours: THRESHOLDS.map(byScore),
    cosine: COSINES.map(byCosine),
    chosen,
    equalHits: equal === undefined ? null : byCosine(equal),
  };
}

/** Returns the metrics of one set. */
export function curveMetrics(set: string, { share, others, chosen, cosine, equalHits }: Curve): Record<string, number | null> {
  const rate = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  const at = (threshold: number) => cosine.find((point) => point.threshold === threshold);
  return {
    [`${set}.hit_rate`]: rate(chosen.hits, share),
    [`${set}.false_rate`]: rate(chosen.wrong, others),
    [`${set}.false_rate_upper`]: wilson(chosen.wrong, others)?.high ?? null,
    [`${set}.false_hits_upper_per_hit`]: wilson(chosen.wrong, chosen.hits + chosen.wrong)?.high ?? null,
    ...Object.fromEntries(
      [0.8, 0.92].flatMap((threshold) => [
        [`${set}.cosine_${threshold}.hit_rate`, rate(at(threshold)?.hits ?? 0, share)],
        [`${set}.cosine_${threshold}.false_rate`, rate(at(threshold)?.wrong ?? 0, others)],
      ]),
    ),
    [`${set}.cosine_equal_hits.false_rate`]: equalHits === null ? null : rate(equalHits.wrong, others),
  };
}

/** Renders the curve: the chosen point, cosine alone at common thresholds, then the rest. */
export function curveTable(set: string, curve: Curve, note: string): TableRow[] {
  const { share, others, chosen, equalHits, ours, cosine } = curve;
  const row = (name: string, { threshold, hits, wrong }: CurvePoint, remark = ""): TableRow => {
    const upper = wilson(wrong, others)?.high ?? null;
    return {
      name: `${name} ${threshold.toFixed(2)}`,
      figure: `${hits} of ${share}`,
      interval: `${wrong} of ${others} wrong (≤ ${decimal(upper)}; ≤ ${decimal(wilson(wrong, hits + wrong)?.high ?? null)} per hit)`,
      note: remark,
    };
  };
  const at = (threshold: number) => cosine.filter((point) => point.threshold === threshold);
  return [
    row(`${set}: ours at`, chosen, note),
    ...at(0.8).map((point) => row("  cosine alone at", point)),
    ...at(0.92).map((point) => row("  cosine alone at", point)),
    ...(equalHits === null ? [] : [row("  cosine alone at", equalHits, "as many hits")]),
    ...ours.filter(({ threshold }) => threshold !== chosen.threshold).map((point) => row("  ours at", point)),
    ...cosine.filter(({ threshold }) => threshold !== 0.8 && threshold !== 0.92).map((point) => row("  cosine alone at", point)),
  ];
}
