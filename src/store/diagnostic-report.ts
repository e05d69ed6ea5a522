import { z } from "zod";
import type { QuestionType, VALUE_KINDS } from "../language/question.ts";
import { refusalSchema } from "../shared/types/answer.ts";
import { type ConflictKind, scoresSchema } from "../shared/types/evidence.ts";
import type { InProcess } from "../text/validate.ts";

/** Creates the schema of a name: in TypeScript, one of a set of names; in the OpenAPI document, any string. */
const named = <Name extends string>() => z.string() as unknown as z.ZodType<Name, Name>;

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

export type ValueKind = keyof typeof VALUE_KINDS;

/** Advice about the documents. `subject` is the word, topic or file concerned; it is equal whenever the same advice recurs. */
export const recommendationSchema = z.object({
  kind: named<RecommendationKind>(),
  subject: z.string(),
  text: z.string(),
  basis: z.enum(["counted", "heuristic"]),
});
/** Diagnosis of a question that was not answered well, made without a model. Words of the question are redacted. */
const diagnosis = z.object({
  /** Reasons for the report: the question was refused, the confidence is low, or a check removed or warned about a sentence. */
  causes: z.array(z.enum(["refused", "low_confidence", "checks"])),
  /** Confidence of the decision to answer or refuse, 0–1; `null`: nothing was found. */
  confidence: z.number().nullable(),
  /** Confidence minus the threshold, so negative for a refusal. `null`: unknown, or the profile has no threshold. */
  headroom: z.number().nullable(),
  /** An answered question is reported if its confidence is below this. `null`: the profile has no such threshold. */
  report_below: z.number().nullable(),
  /** Reason for the refusal; `null`: the question was answered. */
  refusal: refusalSchema.shape.reason.nullable(),
  query: z.object({
    type: named<QuestionType>(),
    /** Number of words, stop words included. */
    words: z.int(),
    /** Content words, as written. */
    terms: z.array(z.string()),
    /** Form ids, diagnostic codes, sections. */
    codes: z.array(z.string()),
    /** Amounts, percentages, periods, numbers, as written. */
    values: z.array(z.string()),
    /** Groups of kinds of value. An answer needs a value of one kind from each group. */
    expects: z.array(z.array(named<ValueKind>())),
    repaired: z.array(z.object({ written: z.string(), read: z.string() })),
    /** Synonyms that were added to the search. */
    expanded: z.array(z.string()),
    /** Slugs of the domain's topics, the main one first. */
    topics: z.array(z.string()),
    /** Whether earlier questions of the conversation were used to resolve the question. */
    follow_up: z.boolean(),
    injection_signals: z.array(z.string()),
  }),
  passages: z.array(
    z.object({
      sid: z.string(),
      chunk_id: z.string(),
      document_id: z.string(),
      document_version: z.string(),
      title: z.string(),
      url: z.string().nullable(),
      heading_path: z.array(z.string()),
      range: z.object({ start: z.int(), end: z.int() }),
      scores: scoresSchema,
      /** The score from which the verdict follows, 0–1. */
      score: z.number(),
      verdict: z.enum(["verified", "uncertain", "rejected"]),
      reason: z.string(),
      topics: z.array(z.string()),
      /** Words, codes and values of the question that the passage lacks. */
      lacks: z.array(z.string()),
      preview: z.string().nullable().optional().describe("Beginning of the passage's text; `null`: the document was changed or deleted."),
    }),
  ),
  gaps: z.object({
    /** Terms of the question that no retrieved passage contains. `in_documents`: a document that the user may see contains the term. */
    missing: z.array(z.object({ text: z.string(), kind: z.enum(["word", "code", "value"]), in_documents: z.boolean() })),
    /** Requested kinds of value that no passage contains. A heuristic based on the form of values. */
    kinds: z.array(z.array(named<ValueKind>())),
    /** Topics of the question that no passage covers. `in_documents`: a document contains all words of one of the topic's keywords. */
    topics: z.array(z.object({ topic: z.string(), in_documents: z.boolean() })),
    /** Files that failed to parse and were not searched: the first paths, and the total number. */
    unreadable: z.object({ paths: z.array(z.string()), total: z.int() }),
    /** Passages that disagree, found without a model. `resolved_by`: the rule of the domain pack that resolves the conflict, if any. */
    conflicts: z.array(
      z.object({
        about: z.string(),
        kind: named<ConflictKind>(),
        values: z.array(z.string()),
        titles: z.array(z.string()),
        resolved_by: z.string().nullable(),
      }),
    ),
  }),
  /** Results of each check over all sentences. `left_out`: number of sentences that the check removed. */
  checks: z.array(z.object({ check: z.string(), warned: z.int(), left_out: z.int(), reasons: z.array(z.string()) })),
  recommendations: z.array(recommendationSchema),
});

/** A stored diagnosis, in the form of the API. */
export const reportSchema = z.object({
  id: z.string(),
  interaction_id: z.string(),
  domain: z.string(),
  tenant: z.string().nullable(),
  profile: z.string(),
  /** Slug of the question's main topic; `null`: none. */
  topic: z.string().nullable(),
  created_at: z.string().describe("ISO 8601, UTC."),
  question: z.string().describe("Redacted; empty if no text is kept."),
  report: diagnosis,
});

export type StoredReport = InProcess<z.infer<typeof reportSchema>>;
export type DiagnosticReport = StoredReport["report"];
export type ReportCause = DiagnosticReport["causes"][number];
export type QueryAnalysis = DiagnosticReport["query"];
/** A retrieved passage with its verdict, without its text. */
export type ReportedPassage = DiagnosticReport["passages"][number];
export type CoverageGaps = DiagnosticReport["gaps"];
export type MissingTerm = CoverageGaps["missing"][number];
export type ReportedConflict = CoverageGaps["conflicts"][number];
export type CheckIssue = DiagnosticReport["checks"][number];
export type Recommendation = DiagnosticReport["recommendations"][number];
