import type { Hit } from "./search-engine.ts";

/** An item of a ranking with its raw score; higher is better. */
export interface Ranked<Id> {
  readonly id: Id;
  readonly score: number;
}

export interface FusedScore<Id> {
  readonly id: Id;
  readonly fused: number;
  /** Raw scores; `null` if the ranking does not contain the id. */
  readonly dense: number | null;
  readonly bm25: number | null;
}

/** Weight of the dense ranking (`spark` source, section 2.1). */
export const DEFAULT_ALPHA = 0.6;
/** Weight of the BM25 ranking. */
export const DEFAULT_BETA = 0.4;

/** Computes (s − min) / (max − min) per ranking. If all scores are equal, all get 1, because each is the best. */
export function normalizeMinMax<Id>(ranking: readonly Ranked<Id>[]): Map<Id, number> {
  const scores = ranking.map(({ score }) => score);
  const min = Math.min(...scores);
  const range = Math.max(...scores) - min;
  return new Map(ranking.map(({ id, score }) => [id, range > 0 ? (score - min) / range : 1]));
}

/**
 * Computes α·dense + β·bm25 after min-max (`spark` source, section 2.1). An id missing in a ranking counts as its
 * minimum, 0. If one ranking is empty, the other gets the full weight. Ties keep the order of first appearance, dense
 * first.
 */
export function fuseMinMax<Id>(
  dense: readonly Ranked<Id>[],
  bm25: readonly Ranked<Id>[],
  { alpha = DEFAULT_ALPHA, beta = DEFAULT_BETA }: { alpha?: number; beta?: number } = {},
): FusedScore<Id>[] {
  const denseWeight = dense.length === 0 ? 0 : bm25.length === 0 ? 1 : alpha;
  const bm25Weight = bm25.length === 0 ? 0 : dense.length === 0 ? 1 : beta;
  const denseNorm = normalizeMinMax(dense);
  const bm25Norm = normalizeMinMax(bm25);
  return merge(dense, bm25, (id) => denseWeight * (denseNorm.get(id) ?? 0) + bm25Weight * (bm25Norm.get(id) ?? 0));
}

/** Constant of reciprocal rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009). */
export const RRF_K = 60;

/**
 * Reciprocal rank fusion: Σ 1 / (k + rank) over the rankings that contain an id, ranks from 1 (Cormack, Clarke &
 * Büttcher, SIGIR 2009). It needs only ranks, no scores. Ties keep the order of first appearance, dense first.
 */
export function fuseReciprocalRank<Id>(dense: readonly Ranked<Id>[], bm25: readonly Ranked<Id>[], k: number = RRF_K): FusedScore<Id>[] {
  const share = (ranking: readonly Ranked<Id>[]) => new Map(ranking.map(({ id }, at) => [id, 1 / (k + at + 1)]));
  const denseShare = share(dense);
  const bm25Share = share(bm25);
  return merge(dense, bm25, (id) => (denseShare.get(id) ?? 0) + (bm25Share.get(id) ?? 0));
}

/** Merges two rankings by a fused score, best first. */
function merge<Id>(dense: readonly Ranked<Id>[], bm25: readonly Ranked<Id>[], fusedOf: (id: Id) => number): FusedScore<Id>[] {
  const denseRaw = new Map(dense.map(({ id, score }) => [id, score]));
  const bm25Raw = new Map(bm25.map(({ id, score }) => [id, score]));
  return [...new Set([...denseRaw.keys(), ...bm25Raw.keys()])]
    .map((id) => ({ id, fused: fusedOf(id), dense: denseRaw.get(id) ?? null, bm25: bm25Raw.get(id) ?? null }))
    .sort((a, b) => b.fused - a.fused);
}

/** A found chunk with its best window and the fused score of both rankings. */
export interface Candidate extends Omit<Hit, "cosine"> {
  /** True if it contains a code of the question. Such candidates precede all others, whatever the reranker says. */
  readonly coded?: boolean;
  /** Cosine, also for a chunk found only by its words. */
  readonly dense: number | null;
  readonly fused: number;
}

/** Method and weights for combining two rankings. */
export interface Fusion {
  readonly alpha: number;
  readonly beta: number;
  readonly fusion: "min-max" | "rrf";
}

/** Returns hits by fused score, best first. Equal scores keep their order. */
export function fuseHits(hits: readonly Hit[], { fusion, ...weights }: Fusion): Candidate[] {
  const rank = (score: "dense" | "bm25"): Ranked<Hit>[] =>
    hits.flatMap((hit) => (hit[score] === null ? [] : [{ id: hit, score: hit[score] }])).sort((a, b) => b.score - a.score);
  const [dense, bm25] = [rank("dense"), rank("bm25")];
  const fused = fusion === "rrf" ? fuseReciprocalRank(dense, bm25) : fuseMinMax(dense, bm25, weights);
  const scores = new Map(fused.map((one) => [one.id, one.fused]));
  return hits
    .map(({ cosine, ...hit }, i) => ({ ...hit, dense: cosine, fused: scores.get(hits[i] as Hit) ?? 0 }))
    .sort((a, b) => b.fused - a.fused);
}
