import type { OriginalUnit, SourceText, TextRange } from "./document.ts";
import type { Conflict, Evidence, Quote, WebEvidence } from "./evidence.ts";
import type { AppliedFilters } from "./question.ts";

/** A table cell with the name of its column; the name is empty if the header has none. */
export interface NamedCell {
  readonly name: string;
  readonly text: string;
}

/** A written sentence before its checks. */
export interface DraftSentence {
  readonly text: string;
  /** Cited quotes. */
  readonly quotes: readonly Quote[];
  /** Cited numbers that no quote has. */
  readonly missing: readonly number[];
}

export type ClaimStatus = "supported" | "contradicted" | "unsupported" | "unchecked";

/** A sentence of the answer with the result of its checks. */
export interface Claim {
  readonly sentence: number;
  readonly text: string;
  readonly status: ClaimStatus;
  readonly citations: readonly number[];
  readonly reason: string;
}

/** The position of a quote in the original file. */
export interface OriginalPlace {
  /** Relative to the source. */
  readonly path: string;
  readonly unit: OriginalUnit;
  readonly start: number;
  readonly end: number;
  /** SHA-256 of the original bytes. */
  readonly sha256: string;
  readonly normaliser: string;
  /** Encoding of the file; absent for UTF-8 and for files that are not text. */
  readonly encoding?: string;
  /** Pages of the quote; absent if the original has none. */
  readonly pages?: readonly PagePlace[];
  /** A page of the quote is a picture with recognised text (OCR), which may be wrong. */
  readonly recognised?: true;
  /** Table cells of the quote; absent if the original is not a table. */
  readonly cells?: readonly CellPlace[];
  /** File inside the archive; `start` and `end` count from its beginning. Absent if the original is not an archive. */
  readonly part?: string;
}

/** A page, counted from 1, with the position on it. */
export interface PagePlace {
  readonly page: number;
  /** Size of the displayed page in points; absent without boxes. */
  readonly width?: number;
  readonly height?: number;
  /** One box per line, in points from the upper left corner; absent if the format has no boxes. */
  readonly boxes?: readonly Box[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A spreadsheet cell; rows and columns count from 1. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
  /** Absent if the file has one table. */
  readonly sheet?: string;
}

/** The link from a claim to its quote. */
export interface Citation extends TextRange {
  readonly n: number;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly chunkId: string;
  readonly url: string | null;
  readonly title: string;
  readonly asOf: string | null;
  readonly quote: string;
  /** Passage around the quote, for display; the quote begins in it at `quoteStart`. */
  readonly context: string;
  readonly quoteStart: number;
  /** Headings above the quote, outermost first. */
  readonly headingPath: readonly string[];
  /** Page on which the quote begins, from 1; `null`: the document has no pages. Absent in answers stored by older versions. */
  readonly page?: number | null;
  readonly original: OriginalPlace;
  /** Further sources with a near-duplicate passage; absent if there are none. */
  readonly alsoIn?: readonly FurtherSource[];
  /** Cells of a cited table row under their header, for display; absent otherwise. */
  readonly row?: CitedRow;
}

/** A table row for display. */
export interface CitedRow {
  readonly cells: readonly NamedCell[];
  /** Position of the header in the normalised text. */
  readonly header: SourceText;
  /** The sentence above the table that introduces it; absent if there is none. */
  readonly caption?: SourceText;
}

/** The best relevant passage of another document, as further reading. */
export interface SeeAlso {
  readonly documentId: string;
  readonly documentVersion: string;
  readonly title: string;
  /** Heading above the passage; `null` if there is none. */
  readonly heading: string | null;
  readonly url: string | null;
}

/** Another document with the content of a citation. */
export interface FurtherSource {
  readonly documentId: string;
  readonly documentVersion: string;
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string | null;
}

export interface AnswerSentence {
  readonly text: string;
  readonly citations: readonly number[];
}

export type CheckVerdict = "pass" | "repaired" | "warn" | "fail";

export interface CheckResult {
  readonly name: string;
  readonly verdict: CheckVerdict;
  /** 0–1; `null` if the check has no score or could not compute one. */
  readonly score: number | null;
  readonly reason: string;
  /** Judged ranges of the sentence. */
  readonly spans: readonly TextRange[];
  /** Index of the sentence; `null` for the whole answer and for sentences that were removed. */
  readonly sentence: number | null;
  /** The judged sentence was removed. */
  readonly leftOut?: true;
}

export interface Warning {
  readonly code: string;
  readonly message: string;
  /** Question to ask if the system misinterpreted the original one. */
  readonly askInstead?: string;
  /** Index of the sentence; absent if the warning concerns the answer. */
  readonly sentence?: number;
}

/** The reason for a refusal, with what was searched. It states that nothing was found, never that the documents do not say something. */
export interface Refusal {
  readonly reason:
    | "nothing_relevant"
    | "evidence_too_weak"
    | "not_reliable"
    | "empty_corpus"
    | "injection"
    | "language"
    | "small_talk"
    | "crisis";
  readonly message: string;
  /** States that the refusal is not an answer. */
  readonly note: string;
  readonly searched: Searched;
  /** Best passage of each of the most similar documents. */
  readonly nearest: readonly NearMiss[];
  /** Contacts to ask instead; those that fit the question come first. */
  readonly contacts: readonly { readonly name: string; readonly contact: string }[];
}

export interface Searched {
  readonly documents: number;
  readonly chunks: number;
  /** Revision of the index. Each commit that changes documents of the domain raises it once. */
  readonly revision: number;
  /** Dates for which the documents claim to be valid. */
  readonly asOf: AsOfRange;
  /** The first unreadable files that the user may see. */
  readonly unreadable: readonly string[];
  /** Total number of such files. */
  readonly unreadableCount: number;
  /** Description of the filters or the selection; absent without them. Counts and dates then cover that part only. */
  readonly within?: string;
}

/** ISO dates; `null` if no document states one. */
export interface AsOfRange {
  readonly from: string | null;
  readonly to: string | null;
  /** Documents without a date. */
  readonly undated: number;
}

/** A similar passage, with what it lacks. The rest of its document may contain more. */
export interface NearMiss {
  readonly title: string;
  /** Heading above the passage; `null` if there is none. */
  readonly heading: string | null;
  readonly url: string | null;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly original: Omit<OriginalPlace, "sha256" | "normaliser">;
  /** The best candidate of the passage, byte for byte; not an answer. `null`: no candidate passes the checks. */
  readonly quote: string | null;
  /** Words of the question that the passage lacks, as asked. */
  readonly missing: readonly string[];
  /** Kinds of value that the question asks for and the passage lacks, such as "a length of time". */
  readonly missingValues: readonly string[];
}

/** Tokens of model calls by stage, without embeddings; `null` where an endpoint did not count. */
export interface TokenUsage {
  readonly verification: number | null;
  readonly compression: number | null;
  readonly answer: number | null;
  readonly total: number | null;
}

/** One call to an endpoint; `rewrite` is the second draft after a faulty one. `null`: the endpoint did not count. */
export interface ModelCall {
  readonly stage: "retrieve" | "verify" | "compress" | "write" | "rewrite";
  readonly model: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A call with its list price; `null`: not counted, or the price is unknown. */
export interface PricedCall extends ModelCall {
  readonly costUsd: number | null;
}

export interface Metric {
  /** `null`: not measurable, for the given reason. */
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly threshold: number | null;
  readonly reason: string;
}

/** The report of a profile that grades answers; it blocks nothing. */
export interface GradeReport {
  /** `null`: no metric failed, but not all could be measured. */
  readonly overallPass: boolean | null;
  readonly metrics: Readonly<Record<string, Metric>>;
}

export type AnswerStatus = "ok" | "insufficient_context" | "error";

export type CacheMode = "miss" | "exact" | "semantic" | "graph" | "curated";

/** The origin of an answer from the cache. */
export interface CachedFrom {
  /** Redacted; `null` where no text is stored. */
  readonly question: string | null;
  /** ISO time. */
  readonly storedAt: string;
}

export interface Answer {
  readonly id: string;
  readonly status: AnswerStatus;
  readonly question: string;
  readonly domain: string;
  readonly profile: string;
  /** Applied filters; absent without filters. */
  readonly filters?: AppliedFilters;
  readonly sentences: readonly AnswerSentence[];
  /** Confidence of the decision to answer, 0–1; `null` if nothing was found. */
  readonly confidence: number | null;
  readonly confidenceCalibrated: boolean;
  readonly claims: readonly Claim[];
  readonly citations: readonly Citation[];
  /** Absent in answers stored by older versions. */
  readonly seeAlso?: SeeAlso | null;
  readonly evidence: readonly Evidence[];
  readonly conflicts: readonly Conflict[];
  /** Present only if the web was consulted; empty if that failed. */
  readonly web?: readonly WebEvidence[];
  readonly checks: readonly CheckResult[];
  readonly warnings: readonly Warning[];
  readonly refusal: Refusal | null;
  readonly cacheMode: CacheMode;
  /** Stored question of a cache hit, and its time. */
  readonly cached?: CachedFrom;
  readonly tokenUsage: TokenUsage;
  /** By dated list prices; 0 without calls to an endpoint; `null` if tokens were not counted or a price is unknown. */
  readonly costUsd: number | null;
  /** All calls to endpoints in order, failed ones included; empty for cache hits and quotes. */
  readonly calls: readonly PricedCall[];
  /** Present only for profiles that grade. */
  readonly report?: GradeReport;
  /** Milliseconds by stage. `first_sentence` is the time to the first checked sentence, absent without sentences. */
  readonly timings: Readonly<Record<string, number>>;
  readonly latencyMs: number;
  /** Name of the model that wrote, or `extractive`. */
  readonly model: string;
  readonly sessionId: string | null;
  /** Present only on request; `null`: it failed, and a warning gives the reason. `sourcebound/proof` defines its shape. */
  readonly proof?: Readonly<Record<string, unknown>> | null;
}
