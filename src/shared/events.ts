import type { Answer, AnswerSentence, Citation, ReadingNotice, Warning } from "./types.ts";

/**
 * The names of the stages. `parts` runs only for a message with several questions, if some of them are still open after
 * the message as a whole was decided. `web` runs only if a web search is configured; the default profile runs it after
 * `parts`.
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

/**
 * An event of `answer()`. A sentence is final once yielded. The `answer` event comes last and contains the same
 * sentences in order.
 */
export type AnswerEvent =
  | { readonly type: `${AnswerStage}-start` }
  | {
      readonly type: `${AnswerStage}-end`;
      readonly ms: number;
      /** Numbers, thresholds and model names that describe the run of the stage. */
      readonly facts: Readonly<Record<string, string | number | boolean | null>>;
    }
  /** A note by a stage, such as the reason for a skipped step. */
  | { readonly type: "notice"; readonly stage: AnswerStage; readonly code: string; readonly message: string }
  | { readonly type: "warning"; readonly warning: Warning }
  | { readonly type: "sentence"; readonly index: number; readonly sentence: AnswerSentence; readonly citations: readonly Citation[] }
  | { readonly type: "answer"; readonly answer: Answer };

/** Consumes the events of `answer()` and returns the answer. */
export async function answerIn(events: AsyncIterable<AnswerEvent>): Promise<Answer> {
  for await (const event of events) if (event.type === "answer") return event.answer;
  throw new Error("a question ended without an answer");
}

export interface IngestCounts {
  readonly total: number;
  readonly done: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Files that were renamed; their documents are kept. */
  readonly renamed: number;
  readonly deleted: number;
  readonly failed: number;
  /** Total bytes of the files that are done. */
  readonly bytes: number;
}

/** A notice about how a file was parsed. */
export type FileNotice = ReadingNotice & { readonly path: string };

/** An event of `ingest()`; `ingest-end` comes last. */
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
      /**
       * ISO 8601 time of the stored version, which is kept until the file can be read again; `null` if there is none.
       */
      readonly readAt: string | null;
      readonly counts: IngestCounts;
    }
  /**
   * A web page that was fetched, or skipped with a reason. `queued` is the number of known pages still to be fetched.
   */
  | { readonly type: "page"; readonly url: string; readonly done: number; readonly queued: number; readonly reason: string | null }
  | { readonly type: "file-skipped"; readonly path: string; readonly reason: string; readonly counts: IngestCounts }
  /** The encoder failed. The documents can be searched by BM25; their vectors are computed later. */
  | { readonly type: "embed-failed"; readonly code: string; readonly reason: string }
  /** The documents are stored, but the search engine is full or unavailable. */
  | { readonly type: "index-failed"; readonly code: string; readonly reason: string }
  | { readonly type: "embed"; readonly done: number; readonly total: number }
  | {
      readonly type: "ingest-end";
      readonly counts: IngestCounts;
      readonly chunks: number;
      readonly ms: number;
      readonly revision: number;
      /** Cost of computing the vectors; `null` if no endpoint was called. */
      readonly embedding: EmbeddingCost | null;
      readonly notices: readonly FileNotice[];
      /** True for a dry run, which stores nothing. */
      readonly dryRun: boolean;
      /** Number of unsupported files by extension, most frequent first. */
      readonly unread: Readonly<Record<string, number>>;
    };

/**
 * Tokens and cost of computing vectors at an endpoint. `null` means that the endpoint did not count tokens, or that the
 * price is unknown.
 */
export interface EmbeddingCost {
  readonly model: string;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}
