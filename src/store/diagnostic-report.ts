import type { VALUE_KINDS } from "../language/asked-values.ts";
import type { QuestionType } from "../language/question.ts";
import type { ConflictKind, Passage, Refusal, TextRange, Verdict } from "../shared/types.ts";

/** Reason for a report: the question was refused, answered with low confidence, or a check warned about or removed a sentence. */
export type ReportCause = "refused" | "low_confidence" | "checks";

/** Diagnosis of a question that was not answered well, built without a model. Words of the question are redacted. */
export interface DiagnosticReport {
  readonly causes: readonly ReportCause[];
  /** Confidence of the decision, 0–1; `null`: nothing was found. */
  readonly confidence: number | null;
  /** Confidence minus the threshold (below 0: refused); `null`: unknown, or the profile has no threshold. */
  readonly headroom: number | null;
  /** Confidence below which an answered question is reported; `null`: the profile uses the headroom, or reports nothing. */
  readonly reportBelow: number | null;
  /** Reason for the refusal; `null`: the question was answered. */
  readonly refusal: Refusal["reason"] | null;
  readonly query: QueryAnalysis;
  readonly passages: readonly ReportedPassage[];
  readonly gaps: CoverageGaps;
  readonly checks: readonly CheckIssue[];
  readonly recommendations: readonly Recommendation[];
}

/** Rule-based analysis of the question. */
export interface QueryAnalysis {
  readonly type: QuestionType;
  /** Number of words, stop words included. */
  readonly words: number;
  /** Content words, as written. */
  readonly terms: readonly string[];
  /** Form ids, diagnostic codes, sections. */
  readonly codes: readonly string[];
  /** Amounts, percentages, periods, numbers, as written. */
  readonly values: readonly string[];
  /** Value types that the answer must contain, one of each group. */
  readonly expects: readonly (readonly ValueKind[])[];
  readonly repaired: readonly { readonly written: string; readonly read: string }[];
  /** Synonyms that were searched too. */
  readonly expanded: readonly string[];
  /** Slugs of the domain's topics, the main one first. */
  readonly topics: readonly string[];
  /** Whether the conversation was used to resolve the question. */
  readonly followUp: boolean;
  readonly injectionSignals: readonly string[];
}

export type ValueKind = keyof typeof VALUE_KINDS;

/** A retrieved passage with its verdict; its text stays in the document. */
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
  /** Score behind the verdict, 0–1. */
  readonly score: number;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly topics: readonly string[];
  /** Words, codes and values of the question that the passage lacks. */
  readonly lacks: readonly string[];
  /** The beginning of the text, loaded from the document when the report is shown; `null`: the document has changed or is gone. */
  readonly preview?: string | null;
}

export interface CoverageGaps {
  /** Terms of the question that no retrieved passage contains. */
  readonly missing: readonly MissingTerm[];
  /** Requested value types that no passage contains, by form: a heuristic. */
  readonly kinds: readonly (readonly ValueKind[])[];
  /** Topics of the question that no passage has; `inDocuments`: a document contains the words of one of the topic's keywords. */
  readonly topics: readonly { readonly topic: string; readonly inDocuments: boolean }[];
  /** Files that failed to parse and were not searched: the first paths and the total. */
  readonly unreadable: { readonly paths: readonly string[]; readonly total: number };
  readonly conflicts: readonly ReportedConflict[];
}

export interface MissingTerm {
  readonly text: string;
  readonly kind: "word" | "code" | "value";
  /** Whether a document that the asker may see contains it. */
  readonly inDocuments: boolean;
}

/** Two passages that disagree, found without a model. */
export interface ReportedConflict {
  readonly about: string;
  readonly kind: ConflictKind;
  readonly values: readonly [string, string];
  readonly titles: readonly [string, string];
  /** The declared rule that resolves the conflict; `null`: none does. */
  readonly resolvedBy: string | null;
}

/** Result of one check over all sentences. */
export interface CheckIssue {
  readonly check: string;
  readonly warned: number;
  /** Sentences that the check removed. */
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

/** Advice about the documents. */
export interface Recommendation {
  readonly kind: RecommendationKind;
  /** The word, topic or file concerned; equal for equal advice in other reports. */
  readonly subject: string;
  readonly text: string;
  /** `counted`: derived from the index and the files; `heuristic`: a rule-based guess. */
  readonly basis: "counted" | "heuristic";
}

export interface StoredReport {
  readonly id: string;
  readonly interactionId: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly profile: string;
  /** Slug of the question's main topic; `null`: none. */
  readonly topic: string | null;
  readonly createdAt: string;
  /** Redacted; empty where no text is kept. */
  readonly question: string;
  readonly report: DiagnosticReport;
}
