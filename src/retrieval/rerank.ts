import type { Reranker, RerankPassage } from "../models/reranker.ts";
import type { Candidate } from "./fuse.ts";

/** A candidate with its reranker score; `null`: not requested or unknown. */
export type RerankedCandidate = Candidate & { readonly rerank: number | null };

/**
 * Reorders the first `depth` candidates by the reranker's score, those with a code of the question first. Candidates
 * without a score follow in their previous order.
 */
export async function rerankCandidates(
  question: string,
  candidates: readonly Candidate[],
  depth: number,
  reranker: Reranker | null,
  signal?: AbortSignal,
): Promise<RerankedCandidate[]> {
  if (reranker === null || depth === 0) return candidates.map((candidate) => ({ ...candidate, rerank: null }));
  const first = candidates.slice(0, depth);
  const scores = await reranker.rerank(question, first.map(toPassage), { signal });
  const scored = first.map((candidate, i) => ({ ...candidate, rerank: scores[i] ?? null }));
  const order = ({ rerank }: RerankedCandidate) => rerank ?? Number.NEGATIVE_INFINITY;
  scored.sort((a, b) => Number(b.coded === true) - Number(a.coded === true) || (order(a) === order(b) ? 0 : order(b) - order(a)));
  return [...scored, ...candidates.slice(depth).map((candidate) => ({ ...candidate, rerank: null }))];
}

function toPassage({ title, text, chunk }: Candidate): RerankPassage {
  return { title, section: chunk.headingPath.join(". "), text };
}
