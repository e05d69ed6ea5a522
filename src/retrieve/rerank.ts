import { z } from "zod";
import type { EmbeddedEncoder } from "../models/embedded-encoder.ts";
import type { Reranker, RerankPassage } from "../models/reranker.ts";
import { readWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { chanceOf, namedScorerSchema } from "../models/weights/scorer.ts";
import { Lexicon } from "./lexicon.ts";
import { viewPairs } from "./pair-view.ts";
import { FEATURES, type PairView } from "./rerank-features.ts";
import type { Candidate } from "./search-index.ts";

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  models: z.record(z.enum(["hybrid", "words", "text"]), namedScorerSchema(Object.keys(FEATURES))),
});
export type RerankWeights = z.infer<typeof weightsSchema>;

/**
 * Weights as they ship; made by `lab/train/reranker`.
 * @throws ModelError `reranker_corrupt` when the file is missing or not what it should be
 */
export function readRerankWeights(path: string = shippedWeights("rerank.json")): RerankWeights {
  const names = { code: "reranker_corrupt", whose: "the reranker's weights", recipe: "reranker" };
  return readWeights({ path, schema: weightsSchema, ...names }).weights;
}

/**
 * The reranker that ships with the package: learned weights over features of a question and a passage (`rerank-features.ts`). No model runs; a passage costs microseconds.
 * Where the rankings before left no vectors, or no scores at all, weights trained without them are used.
 */
export function createEmbeddedReranker(
  encoder: Pick<EmbeddedEncoder, "id" | "dimensions" | "tokenVectors">,
  weights: RerankWeights = readRerankWeights(),
  lexicon: Lexicon = new Lexicon(encoder),
): Reranker {
  return {
    id: `${weights.name}-${weights.recipe}`,
    async rerank(question, passages, { signal, idf } = {}) {
      signal?.throwIfAborted();
      const model = weights.models[modelFor(passages)];
      return viewPairs(question, passages, lexicon, idf).map((view) =>
        view === null ? null : chanceOf(measure(view, model.features), model),
      );
    },
  };
}

function modelFor(passages: readonly RerankPassage[]): "hybrid" | "words" | "text" {
  const scored = (ranking: "dense" | "bm25") => passages.some(({ scores }) => (scores?.[ranking] ?? null) !== null);
  if (!scored("bm25")) return "text";
  return scored("dense") ? "hybrid" : "words";
}

/** Values of the named features; `null` where one measures nothing. */
export function measure(view: PairView, names: readonly string[]): (number | null)[] {
  return names.map((name) => (FEATURES[name] as (typeof FEATURES)[string])(view));
}

/** A candidate with what a reranker said of it; `null`: not asked, or not known. */
export type RerankedCandidate = Candidate & { readonly rerank: number | null };

/**
 * What the reranker's score counts beside the fused one, both min-max scaled over what was reranked. Cross-validated on trained-side documents
 * by a rule that was fixed before (`lab/train/reranker/LOG.md`): flat from .4 to .9, .5 by the rule; it guards a domain unlike those learned from.
 */
export const RERANK_SHARE = 0.5;

export interface RerankCandidatesOptions {
  readonly signal?: AbortSignal;
  readonly idf?: (token: string) => number;
  /** What the reranker's score counts beside the fused one; 1: it alone is the order. @default RERANK_SHARE */
  readonly share?: number;
}

/** Reorders the first `depth` candidates by the reranker's score, those with a code of the question before the others; what it could not score follows in the order that it had, then the rest. */
export async function rerankCandidates(
  question: string,
  candidates: readonly Candidate[],
  depth: number,
  reranker: Reranker | null,
  { share = RERANK_SHARE, ...options }: RerankCandidatesOptions = {},
): Promise<RerankedCandidate[]> {
  if (reranker === null || depth === 0) return candidates.map((candidate) => ({ ...candidate, rerank: null }));
  const first = candidates.slice(0, depth);
  const scores = await reranker.rerank(question, first.map(toPassage), options);
  const scored = first.map((candidate, i) => ({ ...candidate, rerank: scores[i] ?? null }));
  const fusedOf = scale(first.map(({ fused }) => fused));
  const rerankOf = scale(scored.flatMap(({ rerank }) => rerank ?? []));
  const order = ({ rerank, fused }: RerankedCandidate) => (rerank === null ? -1 : share * rerankOf(rerank) + (1 - share) * fusedOf(fused));
  scored.sort((a, b) => Number(b.coded === true) - Number(a.coded === true) || order(b) - order(a));
  return [...scored, ...candidates.slice(depth).map((candidate) => ({ ...candidate, rerank: null }))];
}

/** Min-max over what is there; equal scores all count as the best. */
function scale(values: readonly number[]): (value: number) => number {
  const low = Math.min(...values);
  const range = Math.max(...values) - low;
  return (value) => (range > 0 ? (value - low) / range : 1);
}

function toPassage({ title, text, chunk, dense, bm25, fused }: Candidate): RerankPassage {
  return { title, section: chunk.headingPath.join(". "), text, scores: { dense, bm25, fused } };
}
