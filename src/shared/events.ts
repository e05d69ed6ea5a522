import type { Answer, AnswerSentence, Citation, ReadingNotice, Warning } from "./types.ts";

/**
 * The stages of a question in the order in which they run; `web` only where it is configured and there is something to ask, in the default profile after `decide`;
 * `parts` only where a message that asks several things is not answered as a whole.
 */
export const ANSWER_STAGES = [
  "admit",
  "lookup",
  "retrieve",
  "recall",
  "verify",
  "web",
  "decide",
  "parts",
  "compress",
  "write",
  "check",
  "remember",
] as const;
export type AnswerStage = (typeof ANSWER_STAGES)[number];

/** Everything that `answer()` yields. A sentence is final once shown; `answer` is always last and equals the sentences in order. */
export type AnswerEvent =
  | { readonly type: `${AnswerStage}-start` }
  | {
      readonly type: `${AnswerStage}-end`;
      readonly ms: number;
      /** Small facts about what the stage did: counts, thresholds, models. */
      readonly facts: Readonly<Record<string, string | number | boolean | null>>;
    }
  /** Something that the profile names and this build lacks, or that was left out, and why. */
  | { readonly type: "notice"; readonly stage: AnswerStage; readonly code: string; readonly message: string }
  | { readonly type: "warning"; readonly warning: Warning }
  | { readonly type: "sentence"; readonly index: number; readonly sentence: AnswerSentence; readonly citations: readonly Citation[] }
  | { readonly type: "answer"; readonly answer: Answer };

export interface IngestCounts {
  readonly total: number;
  readonly done: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Files found under another name: their documents are the same. */
  readonly renamed: number;
  readonly deleted: number;
  readonly failed: number;
  /** Of the files that are done. */
  readonly bytes: number;
}

/** What should be known of a file that was read. */
export interface FileNotice extends ReadingNotice {
  readonly path: string;
}

/** Everything that `ingest()` yields; `ingest-end` is always last. */
export type IngestEvent =
  | {
      readonly type: "scan-end";
      readonly files: number;
      readonly bytes: number;
      readonly skipped: readonly { readonly path: string; readonly reason: string }[];
    }
  | {
      readonly type: "document";
      readonly path: string;
      readonly outcome: "added" | "changed" | "unchanged" | "renamed" | "deleted";
      readonly chunks: number;
      readonly counts: IngestCounts;
    }
  | {
      readonly type: "file-failed";
      readonly path: string;
      readonly code: string;
      readonly reason: string;
      /** When the version was read that stands until it can be read again (ISO 8601); `null`: nothing stands. */
      readonly readAt: string | null;
      readonly counts: IngestCounts;
    }
  /** A page of the web is there, or is left out for the reason. `queued`: pages that are known and still to come. */
  | { readonly type: "page"; readonly url: string; readonly done: number; readonly queued: number; readonly reason: string | null }
  | { readonly type: "file-skipped"; readonly path: string; readonly reason: string; readonly counts: IngestCounts }
  /** The documents are in and are found by their words; vectors are missing and will be made later. */
  | { readonly type: "embed-failed"; readonly code: string; readonly reason: string }
  | { readonly type: "embed"; readonly done: number; readonly total: number }
  | {
      readonly type: "ingest-end";
      readonly counts: IngestCounts;
      readonly chunks: number;
      readonly ms: number;
      readonly revision: number;
      /** What an endpoint charged for vectors; `null` when nothing was embedded over a network. */
      readonly embedding: EmbeddingCost | null;
      readonly notices: readonly FileNotice[];
      /** Nothing was stored. */
      readonly dryRun: boolean;
      /** Files of kinds that are not read, counted by their ending, the most frequent first. */
      readonly unread: Readonly<Record<string, number>>;
    };

/** `null`: the endpoint did not count, or the price of the model is not known. */
export interface EmbeddingCost {
  readonly model: string;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}
