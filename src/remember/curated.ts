import type { DocumentStore } from "../store/documents.ts";
import type { ReviewStore } from "../store/review.ts";
import type { Answer, Question } from "../types.ts";
import { type CacheScope, exactCacheKey } from "./cache.ts";
import type { Hit } from "./hit.ts";

/**
 * Where a reviewer's answer to this question is kept: as the exact cache, but whichever encoder and settings made the answer that was
 * corrected, and whatever was said before, for a person wrote this one. Today's checks still decide on every hit.
 */
export function curatedKey(question: Question, scope: CacheScope): string {
  return exactCacheKey({ ...question, text: question.resolved }, { ...scope, encoder: "", configHash: "curated" });
}

export interface CuratedParts {
  readonly review: Pick<ReviewStore, "curated" | "demote">;
  readonly documents: Pick<DocumentStore, "load">;
  /** Runs today's checks over the answer and looks whether it keeps to what the question is limited to; only a clean one may be served. */
  readonly recheck: (answer: Answer) => Promise<boolean>;
}

/** A reviewer's answer that still stands: its documents are current, its quotes byte-equal, its checks pass. One that does not goes back to the queue. */
export async function lookupCurated(key: string, question: Question, { review, documents, recheck }: CuratedParts): Promise<Hit | null> {
  if (question.injectionSignals.length > 0) return null;
  const entry = await review.curated(key);
  if (entry === null) return null;
  const answer = JSON.parse(entry.answer) as Answer;
  const current = await documents.load(question.scope, [...entry.versions.keys()]);
  const isCurrent = entry.versions.size > 0 && [...entry.versions].every(([id, version]) => current.get(id)?.version === version);
  const isExact = answer.citations.every(({ documentId, start, end, quote }) => current.get(documentId)?.text.slice(start, end) === quote);
  if (isCurrent && isExact && (await recheck(answer))) {
    return { level: "curated", answer, question: answer.question === "" ? null : answer.question, storedAt: entry.createdAt };
  }
  // A document that has changed meanwhile has taken it out itself.
  if (isCurrent) await review.demote(key, "its checks no longer pass");
  return null;
}
