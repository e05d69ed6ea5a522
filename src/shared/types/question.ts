import type { Scope, TextRange } from "./document.ts";

/** What a request asks, before anything is known of it. */
export interface AskRequest {
  readonly question: string;
  readonly scope: Scope;
  readonly profile: string;
  readonly detail: "normal" | "more";
  readonly sessionId: string | null;
  /** Earlier turns, oldest first, of a caller that keeps the conversation itself; in the place of those of the session. */
  readonly turns?: readonly Turn[] | undefined;
  readonly selection: Selection | null;
  /** As they came; admission checks them. */
  readonly filters?: FilterRequest | null;
  /** Whose session it is. */
  readonly userId?: string | null;
  /** What may be stored: redacted text (also when absent), or no text at all. */
  readonly privacy?: Privacy;
  /** Stages say more of themselves. @default false */
  readonly verbose?: boolean | undefined;
}

export type Privacy = "redacted" | "ephemeral";

/** A part of one document to which an answer must keep. */
export interface Selection extends TextRange {
  readonly documentId: string;
}

/** Parts of documents to which an answer must keep, by name; all that are given hold together. */
export interface FilterRequest {
  /** Title, path, file name or id. */
  readonly document?: string | undefined;
  /** A heading of the top structural level, or its number. */
  readonly chapter?: string | undefined;
  /** A heading of any level, or its number. */
  readonly section?: string | undefined;
  /** `12`, `"12"` or `"12-15"`, from 1. */
  readonly page?: number | string | undefined;
}

/** Filters after admission; at least one is not `null`. */
export interface Filters {
  readonly document: string | null;
  readonly chapter: string | null;
  readonly section: string | null;
  readonly pages: PageRange | null;
}

/** Pages, both included, from 1. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** The only parts of documents that a question may be answered from, by document id; what is not listed is out of bounds. */
export type Area = ReadonlyMap<string, AreaPart>;

/** What of one document lies in an area. */
export interface AreaPart {
  /** Version that the ranges belong to; `null`: whichever is current. */
  readonly version: string | null;
  /** In order, neither overlapping nor touching. */
  readonly ranges: readonly TextRange[];
}

/** Filters with what they were found to mean. */
export interface AppliedFilters extends Filters {
  /** In words: `chapter "Cetology" of "Moby-Dick"`. */
  readonly searchedIn: string;
}

/** One earlier question–answer pair of a session. Helps to understand a question; never evidence. */
export interface Turn {
  readonly question: string;
  readonly answer: string;
  /** Titles of the documents that the answer cites, as far as the asker may see them today. */
  readonly titles?: readonly string[];
}

/** One of several questions that a message asks. */
export interface QuestionPart {
  /** As it was asked. */
  readonly text: string;
  /** With what it leaves out: topics of what stands before it, as a follow-up gets those of the question before. */
  readonly resolved: string;
  /** Does it say by itself what it is about, however shortly? "How much is a locker?" does, "how long does it take?" does not. */
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
  /** What filters and selection leave together; absent or `null`: everything that the scope may see. */
  readonly area?: Area | null;
  readonly history: readonly Turn[];
  /** Names of injection patterns seen in the text. */
  readonly injectionSignals: readonly string[];
}
