import type { Scope, TextRange } from "./document.ts";

/** A request before admission. */
export interface AskRequest {
  readonly question: string;
  readonly scope: Scope;
  readonly profile: string;
  readonly detail: "normal" | "more";
  readonly sessionId: string | null;
  /** Earlier turns, oldest first, from a client that stores the conversation itself. They replace the turns stored for the session. */
  readonly turns?: readonly Turn[] | undefined;
  readonly selection: Selection | null;
  /** Documents, chapters, sections and pages that limit the search, not yet validated. */
  readonly filters?: FilterRequest | null;
  /** User to whom the session belongs. Only a keyed hash of the id is stored. */
  readonly userId?: string | null;
  /**
   * `redacted`: text may be stored without personal data. `ephemeral`: no text may be stored. If the configuration sets
   * `ephemeral`, a request cannot choose `redacted`. @default "redacted"
   */
  readonly privacy?: Privacy;
  /** Whether the stages' events contain more facts, such as the top candidates with their scores. @default false */
  readonly verbose?: boolean | undefined;
  /** Time limit for the whole answer in milliseconds; absent: unlimited. */
  readonly timeLimitMs?: number | undefined;
}

export type Privacy = "redacted" | "ephemeral";

/** The part of one document to which the answer is limited. */
export interface Selection extends TextRange {
  readonly documentId: string;
}

/** Filters by name. A passage must match all of them. */
export interface FilterRequest {
  /** Title, path, file name or id of a document, or a list of these for several documents. */
  readonly document?: string | readonly string[] | undefined;
  /** A heading of the top structural level, or its number. */
  readonly chapter?: string | undefined;
  /** A heading of any level, or its number. */
  readonly section?: string | undefined;
  /** A page or an inclusive range of pages, from 1: `12`, `"12"` or `"12-15"`. */
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

/** The ranges of documents that may be used, by document id. A document that is not in the map must not be used. */
export type Area = ReadonlyMap<string, AreaPart>;

export interface AreaPart {
  /** Version of the document that the ranges refer to; `null`: the current one. */
  readonly version: string | null;
  /** In ascending order, neither overlapping nor adjacent. */
  readonly ranges: readonly TextRange[];
}

/** Validated filters, with a description of the part of the documents that they match. */
export interface AppliedFilters extends Filters {
  /** Description such as `chapter "Cetology" of "Moby-Dick"`. */
  readonly searchedIn: string;
}

/** An earlier question–answer pair of a session. It helps to understand a question and is never evidence. */
export interface Turn {
  readonly question: string;
  readonly answer: string;
  /** Titles of the documents that the answer cites and the user may see today. */
  readonly titles?: readonly string[] | undefined;
}

/** One of several questions in a message. */
export interface QuestionPart {
  /** The part as the user wrote it. */
  readonly text: string;
  /** The part as a standalone question, with the topics that it refers to in earlier parts. */
  readonly resolved: string;
  /** True if the part names its subject: true for "How much is a locker?", false for "how long does it take?". */
  readonly standsAlone: boolean;
}

/** A question after admission. */
export interface Question extends Pick<AskRequest, "scope" | "profile" | "detail" | "sessionId" | "userId" | "privacy" | "selection"> {
  readonly text: string;
  /** The question in a form that needs no earlier turns, for retrieval and caching. */
  readonly resolved: string;
  readonly filters?: AppliedFilters | null;
  /**
   * The ranges that the filters allow; absent or `null`: everything visible in the scope. `areaOf` combines them with the
   * selection.
   */
  readonly area?: Area | null;
  readonly history: readonly Turn[];
  /** Names of the prompt-injection signals found in the question (`guard/injection.ts`). */
  readonly injectionSignals: readonly string[];
}
