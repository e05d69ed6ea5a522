import type { WireQueueItem } from "../../src/client/index.ts";
import { REFUSALS } from "../format.ts";

// Words for users, by the server's code. A code without an entry is shown unchanged.

/** Reasons why an answer waits for review. The queue can be filtered by them. */
const REASONS: Readonly<Record<string, string>> = {
  "thumbs down": "a user rated it wrong",
  "a source changed": "a source has changed since",
  flagged: "flagged as wrong",
  conflict: "sources disagree",
  warning: "shown with a warning",
  reported: "a report says what the documents lack",
  refused: "not answered",
};

export const STATUSES: Readonly<Record<WireQueueItem["review_status"], string>> = {
  unreviewed: "not reviewed",
  approved: "approved",
  flagged: "flagged as wrong",
};

const ACTIONS: Readonly<Record<string, string>> = {
  approve: "approved an answer",
  flag: "flagged an answer as wrong",
  correct: "corrected an answer",
  demote: "returned an answer to review, because a source changed",
  feedback: "rated an answer",
  forget: "deleted stored data",
  purge: "removed old entries of this log",
  create_key: "created a key",
  revoke_key: "revoked a key",
};

/** Describes why a question waits for review. Each reason occurs once. The confidence is left out: it is shown separately. */
export function labelReasons(why: readonly string[]): readonly string[] {
  const kinds = why
    .filter((one) => !one.startsWith("confidence"))
    .map((one) => one.replace(/^\d+ /, "").replace(/^(conflict|warning)s$/, "$1"));
  return [...new Set(kinds.map((kind) => REASONS[kind] ?? kind))];
}

/** Says for which questions the correction is served. @param within selection or filters of the question; `null`: none */
export function labelCorrected(within: string | null): string {
  return within === null
    ? "Corrected. From now on, whoever asks this question without filters gets the correction."
    : `Corrected. From now on, whoever asks this question only within ${within} gets the correction; without this limit, it is answered as before.`;
}

/** Formats the confidence of an answer: “sources match: 85 of 100”; `null` for a refusal or if the confidence is unknown. */
export function labelFit(confidence: number | null, status: string): string | null {
  return confidence === null || status !== "ok" ? null : `sources match: ${Math.round(confidence * 100)} of 100`;
}

export function labelAction(action: string): string {
  return ACTIONS[action] ?? action.replaceAll("_", " ");
}

export function labelRefusal(reason: string): string {
  return `not answered: ${REFUSALS[reason] ?? reason.replaceAll("_", " ")}`;
}
