import type { VALUE_KINDS } from "../language/asked-values.ts";
import type { QuestionType } from "../language/question.ts";
import type { ConflictKind, Passage, Refusal, TextRange, Verdict } from "../shared/types.ts";

/** Why a question has a report: it was refused, it was answered with low confidence, or a check warned or left a sentence out. */
export type ReportCause = "refused" | "low_confidence" | "checks";

/**
 * What is known of a question that was not answered well: what it asked, what was found, what was missing, and what would help.
 * Built without a model. Words of the question are those that are left when personal data has been taken out.
 */
export interface DiagnosticReport {
  readonly causes: readonly ReportCause[];
  /** Confidence of the decision, 0–1; `null` when nothing was found. */
  readonly confidence: number | null;
  /** How far above the least that answers (below 0: refused); `null`: not known, or the profile asks for nothing. */
  readonly headroom: number | null;
  /** An answered question is reported below this confidence; `null`: its profile goes by the headroom, or by nothing. */
  readonly reportBelow: number | null;
  /** Why it was refused; `null` when it was answered. */
  readonly refusal: Refusal["reason"] | null;
  readonly query: QueryAnalysis;
  readonly passages: readonly ReportedPassage[];
  readonly gaps: CoverageGaps;
  readonly checks: readonly CheckIssue[];
  readonly recommendations: readonly Recommendation[];
}

/** What the question asks, read by rules. */
export interface QueryAnalysis {
  readonly type: QuestionType;
  /** Words in all, stop words included. */
  readonly words: number;
  /** Words that carry meaning, as written. */
  readonly terms: readonly string[];
  /** Form ids, diagnostic codes, sections. */
  readonly codes: readonly string[];
  /** Amounts, percentages, periods, numbers, as written. */
  readonly values: readonly string[];
  /** Kinds of value that an answer has to hold, one of each group. */
  readonly expects: readonly (readonly ValueKind[])[];
  readonly repaired: readonly { readonly written: string; readonly read: string }[];
  /** Other words that were searched too. */
  readonly expanded: readonly string[];
  /** Slugs of the domain's topics, the main one first. */
  readonly topics: readonly string[];
  /** Was it read with the help of the conversation before? */
  readonly followUp: boolean;
  readonly injectionSignals: readonly string[];
}

export type ValueKind = keyof typeof VALUE_KINDS;

/** A passage as it was found and judged; its text stays in the document. */
export interface ReportedPassage {
  readonly sid: string;
  readonly chunkId: string;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly title: string;
  readonly url: string | null;
  readonly headingPath: readonly string[];
  readonly range: TextRange;
  readonly scores: Passage["scores"];
  /** On which the verdict rests, 0–1. */
  readonly score: number;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly topics: readonly string[];
  /** Words, codes and values of the question that it lacks. */
  readonly lacks: readonly string[];
  /** The beginning of its text, read from the document when the report is shown; `null`: the document has changed or is gone. */
  readonly preview?: string | null;
}

export interface CoverageGaps {
  /** What was asked and stands in no passage that was found. */
  readonly missing: readonly MissingTerm[];
  /** Kinds of value that were asked for and that no passage holds, going by its form: a heuristic. */
  readonly kinds: readonly (readonly ValueKind[])[];
  /** Topics of the question that no passage has; `inDocuments`: could a document have it, because it holds the words of a keyword? */
  readonly topics: readonly { readonly topic: string; readonly inDocuments: boolean }[];
  /** Files that could not be parsed and so were not searched: the first ones, and how many there are. */
  readonly unreadable: { readonly paths: readonly string[]; readonly total: number };
  readonly conflicts: readonly ReportedConflict[];
}

export interface MissingTerm {
  readonly text: string;
  readonly kind: "word" | "code" | "value";
  /** Does a document that the asker may read hold it? */
  readonly inDocuments: boolean;
}

/** Passages that differ about the same, found without a model. */
export interface ReportedConflict {
  readonly about: string;
  readonly kind: ConflictKind;
  readonly values: readonly [string, string];
  readonly titles: readonly [string, string];
  /** The declared rule that decides; `null`: none does. */
  readonly resolvedBy: string | null;
}

/** What one check found, over all sentences. */
export interface CheckIssue {
  readonly check: string;
  readonly warned: number;
  /** Sentences that it kept from being shown. */
  readonly leftOut: number;
  readonly reasons: readonly string[];
}

export type RecommendationKind =
  | "no_documents"
  | "outside_domain"
  | "in_no_document"
  | "not_together"
  | "no_such_value"
  | "topic_without_documents"
  | "unreadable_file"
  | "conflict"
  | "sentences_left_out"
  | "worded_otherwise";

/** What to do about the documents. */
export interface Recommendation {
  readonly kind: RecommendationKind;
  /** What it is about: a word, a topic, a file; equal for the same advice in other reports. */
  readonly subject: string;
  readonly text: string;
  /** `counted`: read off the index and the files; `heuristic`: a guess by rule. */
  readonly basis: "counted" | "heuristic";
}

/** A report with what it belongs to. */
export interface StoredReport {
  readonly id: string;
  readonly interactionId: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly profile: string;
  /** Slug of the question's main topic; `null`: it has none. */
  readonly topic: string | null;
  readonly createdAt: string;
  /** Redacted; empty where no text is kept. */
  readonly question: string;
  readonly report: DiagnosticReport;
}
