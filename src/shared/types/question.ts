import type { Scope, TextRange } from "./document.ts";

/** A request before admission. */
export interface AskRequest {
  readonly question: string;
  readonly scope: Scope;
  readonly profile: string;
  readonly detail: "normal" | "more";
  readonly sessionId: string | null;
  /** Earlier turns, oldest first, from callers that keep the conversation themselves. They replace the turns of the session. */
  readonly turns?: readonly Turn[] | undefined;
  readonly selection: Selection | null;
  /** Limits the search to the named documents, chapters, sections and pages; not yet validated. */
  readonly filters?: FilterRequest | null;
  /** Owner of the session; only a keyed hash is stored. */
  readonly userId?: string | null;
  /** Whether redacted text or no text may be stored. It can only be stricter than the configuration. @default "redacted" */
  readonly privacy?: Privacy;
  /** Adds facts to the stages' events, such as the top candidates and their scores. @default false */
  readonly verbose?: boolean | undefined;
  /** Milliseconds for the whole answer; absent: unlimited. */
  readonly timeLimitMs?: number | undefined;
}

export type Privacy = "redacted" | "ephemeral";

/** The part of one document to which the answer is limited. */
export interface Selection extends TextRange {
  readonly documentId: string;
}

/** Filters by name; all of them must match. */
export interface FilterRequest {
  /** Title, path, file name or id; of several documents each. */
  readonly document?: string | readonly string[] | undefined;
  /** A heading of the top structural level, or its number. */
  readonly chapter?: string | undefined;
  /** A heading of any level, or its number. */
  readonly section?: string | undefined;
  /** `12`, `"12"` or `"12-15"`, from 1. */
  readonly page?: number | string | undefined;
}

/** Validated filters; at least one is not `null`. */
export interface Filters {
  readonly document: string | readonly string[] | null;
  readonly chapter: string | null;
  readonly section: string | null;
  readonly pages: PageRange | null;
}

/** An inclusive range of pages, from 1. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** The parts of documents that may be used, by document id. A document that is not listed is excluded. */
export type Area = ReadonlyMap<string, AreaPart>;

export interface AreaPart {
  /** Version of the ranges; `null`: the current one. */
  readonly version: string | null;
  /** Ordered, neither overlapping nor adjacent. */
  readonly ranges: readonly TextRange[];
}

/** Validated filters with the part of the documents that they match. */
export interface AppliedFilters extends Filters {
  /** Description such as `chapter "Cetology" of "Moby-Dick"`. */
  readonly searchedIn: string;
}

/** An earlier question–answer pair of a session. It helps to understand a question and is never evidence. */
export interface Turn {
  readonly question: string;
  readonly answer: string;
  /** Titles of the cited documents that the user may see today. */
  readonly titles?: readonly string[];
}

/** One of several questions in a message. */
export interface QuestionPart {
  /** As asked. */
  readonly text: string;
  /** The part as a standalone question, completed with topics of the earlier parts. */
  readonly resolved: string;
  /** True if it names its subject: "How much is a locker?" does, "how long does it take?" does not. */
  readonly standsAlone: boolean;
}

/** A question after admission. */
export interface Question {
  readonly text: string;
  /** Standalone form for retrieval and caching. */
  readonly resolved: string;
  readonly scope: Scope;
  readonly profile: string;
  readonly detail: "normal" | "more";
  readonly sessionId: string | null;
  readonly userId?: string | null;
  readonly privacy?: Privacy;
  readonly selection: Selection | null;
  readonly filters?: AppliedFilters | null;
  /** The part of the documents that the filters allow; `areaOf` adds the selection. Absent or `null`: everything visible in the scope. */
  readonly area?: Area | null;
  readonly history: readonly Turn[];
  /** Names of the injection patterns found in the text. */
  readonly injectionSignals: readonly string[];
}
