import type { PendingInteraction } from "../store/review-reading.ts";
import { compareText } from "../text/compare-text.ts";

/**
 * What makes an answer worth a look, each part in 0–1. A reader who says that it is wrong counts most; then a review that no longer holds;
 * what the checks said; and how unsure the answer was. The weights are a choice, not measured.
 */
export const RISK_WEIGHTS = {
  thumbsDown: 1,
  sourceChanged: 0.8,
  flagged: 0.5,
  conflicts: 0.5,
  warnings: 0.4,
  reported: 0.4,
  /** Times 1 − confidence, of an answer; an answer without a confidence counts as wholly unsure. */
  unsure: 0.6,
  /** A refusal misleads nobody; it may be a gap in the documents. */
  refused: 0.2,
  thumbsUp: -0.3,
} as const;

/** Least risk of what is in the queue: how often it was asked must count for something. */
const LEAST_RISK = 0.05;

/** How much an answer needs a look, from 0.05 up. */
export function riskOf(one: PendingInteraction): number {
  const w = RISK_WEIGHTS;
  const unsure = one.status === "ok" ? w.unsure * (1 - (one.confidence ?? 0)) : w.refused;
  const sum =
    unsure +
    (one.thumbs === "down" ? w.thumbsDown : 0) +
    (one.thumbs === "up" ? w.thumbsUp : 0) +
    (one.demoted ? w.sourceChanged : 0) +
    (one.reviewStatus === "flagged" ? w.flagged : 0) +
    (one.conflicts > 0 ? w.conflicts : 0) +
    (one.warnings > 0 ? w.warnings : 0) +
    (one.reported ? w.reported : 0);
  return Math.max(LEAST_RISK, sum);
}

/** One question of the queue, under the interaction of it that most needs a look. */
export interface QueueItem extends PendingInteraction {
  readonly risk: number;
  /** risk × (1 + log2 of how often it was asked). */
  readonly score: number;
  /** Interactions with this question that wait for review. */
  readonly waiting: number;
  readonly why: readonly string[];
}

/** Questions in the order in which they need a look; the same question of the same scope is one item. */
export function rankQueue(pending: readonly PendingInteraction[]): QueueItem[] {
  const byQuestion = new Map<string, { first: PendingInteraction; risk: number; waiting: number }>();
  for (const one of pending) {
    const key = JSON.stringify([one.questionHash === "" ? one.id : one.questionHash, one.tenant, one.access, one.profile]);
    const risk = riskOf(one);
    const known = byQuestion.get(key);
    if (known === undefined) byQuestion.set(key, { first: one, risk, waiting: 1 });
    else {
      known.waiting++;
      if (risk > known.risk || (risk === known.risk && isNewer(one, known.first))) {
        known.first = one;
        known.risk = risk;
      }
    }
  }
  return [...byQuestion.values()]
    .map(({ first, risk, waiting }) => ({ ...first, risk, waiting, score: risk * (1 + Math.log2(first.asked)), why: reasonsOf(first) }))
    .sort((a, b) => b.score - a.score || b.asked - a.asked || compareText(b.createdAt, a.createdAt) || compareText(a.id, b.id));
}

function isNewer(one: PendingInteraction, other: PendingInteraction): boolean {
  return (compareText(one.createdAt, other.createdAt) || compareText(other.id, one.id)) > 0;
}

function reasonsOf(one: PendingInteraction): string[] {
  const confidence = one.confidence === null ? "unknown" : one.confidence.toFixed(2);
  return [
    ...(one.thumbs === "down" ? ["thumbs down"] : []),
    ...(one.demoted ? ["a source changed"] : []),
    ...(one.reviewStatus === "flagged" ? ["flagged"] : []),
    ...(one.conflicts > 0 ? [`${one.conflicts} ${one.conflicts === 1 ? "conflict" : "conflicts"}`] : []),
    ...(one.warnings > 0 ? [`${one.warnings} ${one.warnings === 1 ? "warning" : "warnings"}`] : []),
    ...(one.reported ? ["reported"] : []),
    one.status === "ok" ? `confidence ${confidence}` : "refused",
  ];
}
