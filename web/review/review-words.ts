import type { WireQueueItem } from "../../src/client/index.ts";

/** What the server says of a question that waits, for people who never read a manual. What is not listed is shown as the server says it. */

/** Reasons without their counts, by which the queue is filtered. */
const REASONS: Readonly<Record<string, string>> = {
  "thumbs down": "a reader said it is wrong",
  "a source changed": "a source has changed since",
  flagged: "flagged as wrong",
  conflict: "sources disagree",
  warning: "shown with a doubt",
  reported: "noted as a gap",
  refused: "not answered",
};

const STATUSES: Readonly<Record<WireQueueItem["review_status"], string>> = {
  unreviewed: "not reviewed",
  approved: "approved",
  flagged: "flagged as wrong",
};

const ACTIONS: Readonly<Record<string, string>> = {
  approve: "approved an answer",
  flag: "flagged an answer as wrong",
  correct: "corrected an answer",
  demote: "sent an answer back to review: a source changed",
  feedback: "said whether an answer was right",
  forget: "had something forgotten",
  purge: "removed old entries of this log",
  create_key: "made a key",
  revoke_key: "took a key back",
};

/** Why a question waits, each reason once; how well its sources fit is no reason of its own. */
export function reasonsInWords(why: readonly string[]): readonly string[] {
  const kinds = why
    .filter((one) => !one.startsWith("confidence"))
    .map((one) => one.replace(/^\d+ /, "").replace(/^(conflict|warning)s$/, "$1"));
  return [...new Set(kinds.map((kind) => REASONS[kind] ?? kind))];
}

export function statusInWords(status: WireQueueItem["review_status"]): string {
  return STATUSES[status];
}

/** To which question a correction is given. @param within what the question was limited to; `null`: to nothing */
export function correctedInWords(within: string | null): string {
  return within === null
    ? "Corrected: this answer is given from now on to this question asked of all documents, not where it is asked with filters."
    : `Corrected: this answer is given from now on to this question asked within ${within}, not where it is asked otherwise.`;
}

/** How well the sources of an answer fit its question, of 100; `null`: it was not judged, or nothing was answered. */
export function fitInWords(confidence: number | null, status: string): string | null {
  return confidence === null || status !== "ok" ? null : `sources fit ${Math.round(confidence * 100)} of 100`;
}

export function actionInWords(action: string): string {
  return ACTIONS[action] ?? action.replaceAll("_", " ");
}

const REFUSALS: Readonly<Record<string, string>> = {
  nothing_relevant: "not answered: nothing about it was found",
  evidence_too_weak: "not answered: what was found is too weak",
  not_reliable: "not answered: no reliable answer could be made",
  empty_corpus: "not answered: there were no documents",
};

/** Why a question was not answered. */
export function refusalInWords(reason: string): string {
  return REFUSALS[reason] ?? `not answered: ${reason.replaceAll("_", " ")}`;
}
