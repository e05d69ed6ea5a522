import type { OriginalUnit, SourceText, TextRange } from "./document.ts";
import type { Conflict, Evidence, Quote, WebEvidence } from "./evidence.ts";
import type { AppliedFilters } from "./question.ts";

/** A cell of a table's row with the name of its column; the name is empty where the header has none. */
export interface NamedCell {
  readonly name: string;
  readonly text: string;
}

/** A sentence as written, before it is checked. */
export interface DraftSentence {
  readonly text: string;
  /** Quotes that it cites. */
  readonly quotes: readonly Quote[];
  /** Numbers that it cites and that no quote has. */
  readonly missing: readonly number[];
}

export type ClaimStatus = "supported" | "contradicted" | "unsupported" | "unchecked";

/** A sentence of the answer with what the checks found. */
export interface Claim {
  readonly sentence: number;
  readonly text: string;
  readonly status: ClaimStatus;
  readonly citations: readonly number[];
  readonly reason: string;
}

/** Where a quote stands in the file that was read. */
export interface OriginalPlace {
  /** Path relative to the source. */
  readonly path: string;
  readonly unit: OriginalUnit;
  readonly start: number;
  readonly end: number;
  /** SHA-256 of the original bytes. */
  readonly sha256: string;
  readonly normaliser: string;
  /** How the file's bytes were decoded; absent: as UTF-8, or the file is no text. */
  readonly encoding?: string;
  /** Pages on which the quote stands; absent: the original has none. */
  readonly pages?: readonly PagePlace[];
  /** A page of it is a picture whose text was recognised, and may be wrong; absent: none is. */
  readonly recognised?: true;
  /** Cells of the table in which the quote stands; absent: the original is no table. */
  readonly cells?: readonly CellPlace[];
  /** File inside the archive, from whose beginning `start` and `end` are counted; absent: the original is no archive. */
  readonly part?: string;
}

/** A page, from 1, and where on it. */
export interface PagePlace {
  readonly page: number;
  /** Of the page as it is shown, in points; absent where boxes are. */
  readonly width?: number;
  readonly height?: number;
  /** One for each line, in points from the upper left corner; absent: the format has no boxes. */
  readonly boxes?: readonly Box[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A cell as a spreadsheet counts: the first row and the first column are 1. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
  /** Absent: the file has one table. */
  readonly sheet?: string;
}

/** Claim → quote. */
export interface Citation extends TextRange {
  readonly n: number;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly chunkId: string;
  readonly url: string | null;
  readonly title: string;
  readonly asOf: string | null;
  readonly quote: string;
  /** The passage around the quote, for display; the quote stands in it at `quoteStart`. */
  readonly context: string;
  readonly quoteStart: number;
  /** Headings under which the quote stands, outermost first. */
  readonly headingPath: readonly string[];
  /** Page on which the quote begins, from 1; `null`: the document has no pages. Absent where an answer was stored before it was known. */
  readonly page?: number | null;
  readonly original: OriginalPlace;
  /** Further sources whose passage says the same; absent when there are none. */
  readonly alsoIn?: readonly FurtherSource[];
  /** Of a table's row: its cells under their header, for display; absent otherwise. */
  readonly row?: CitedRow;
}

/** A table's row as people read it. */
export interface CitedRow {
  readonly cells: readonly NamedCell[];
  /** Where the header stands in the normalised text. */
  readonly header: SourceText;
  /** The sentence above the table that introduces it; absent when there is none. */
  readonly caption?: SourceText;
}

/** Where to read on: the best passage of another document that was found to bear on the question. */
export interface SeeAlso {
  readonly documentId: string;
  readonly documentVersion: string;
  readonly title: string;
  /** Heading above the part that was found; `null` when there is none. */
  readonly heading: string | null;
  readonly url: string | null;
}

/** Another document that says what a citation says. */
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

/** What one check found. */
export interface CheckResult {
  readonly name: string;
  readonly verdict: CheckVerdict;
  /** 0–1, or `null` when the check has no score or could not compute one. */
  readonly score: number | null;
  readonly reason: string;
  /** Ranges in the sentence that it judged. */
  readonly spans: readonly TextRange[];
  /** Index of the sentence, or `null` for the whole answer or for a sentence that was left out. */
  readonly sentence: number | null;
  /** It judged a sentence that is not shown. */
  readonly leftOut?: true;
}

export interface Warning {
  readonly code: string;
  readonly message: string;
  /** The question to ask when it was read otherwise than it was meant. */
  readonly askInstead?: string;
  /** Index of the sentence at which it stands; absent: it is about the answer. */
  readonly sentence?: number;
}

/** Why there is no answer, and what was searched. It never says what the documents do not say: only what was looked for and not found. */
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
  /** How the refusal is to be read: it is no answer. */
  readonly note: string;
  readonly searched: Searched;
  /** The best passage of each of the documents that came nearest. */
  readonly nearest: readonly NearMiss[];
  /** Whom to ask instead, those that the question calls for first. */
  readonly contacts: readonly { readonly name: string; readonly contact: string }[];
}

export interface Searched {
  readonly documents: number;
  readonly chunks: number;
  /** Of the index: raised by every commit that changes documents of the domain: files that are stored together raise it once. */
  readonly revision: number;
  /** Dates for which the documents say that they hold. */
  readonly asOf: AsOfRange;
  /** The first of the files that could not be read, as far as the asker may know of them. */
  readonly unreadable: readonly string[];
  /** How many there are of them. */
  readonly unreadableCount: number;
  /** Where filters or a selection kept the search to, in words; absent without them. The counts and dates are of that part alone. */
  readonly within?: string;
}

/** ISO dates; `null` where no document states one. */
export interface AsOfRange {
  readonly from: string | null;
  readonly to: string | null;
  /** Documents that state none. */
  readonly undated: number;
}

/** A passage that came near, and what it lacks; the document around it may hold more. */
export interface NearMiss {
  readonly title: string;
  /** Heading above the part that was found; `null` when there is none. */
  readonly heading: string | null;
  readonly url: string | null;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly original: Omit<OriginalPlace, "sha256" | "normaliser">;
  /** What comes nearest in it, byte for byte; it is no answer. `null`: nothing that the checks let pass. */
  readonly quote: string | null;
  /** Words of the question that it does not hold, as they were asked. */
  readonly missing: readonly string[];
  /** Kinds of value that the question asks for and it does not show, such as "a length of time". */
  readonly missingValues: readonly string[];
}

/** Tokens of model calls by stage, vectors left out; `null` where an endpoint was asked and did not count. */
export interface TokenUsage {
  readonly verification: number | null;
  readonly compression: number | null;
  readonly answer: number | null;
  readonly total: number | null;
}

/** One call of an endpoint for an answer; `rewrite` is the one draft that follows a faulty one. `null`: the endpoint did not count. */
export interface ModelCall {
  readonly stage: "retrieve" | "verify" | "compress" | "write" | "rewrite";
  readonly model: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A call by list price; `null`: it did not count, or its price is not known. */
export interface PricedCall extends ModelCall {
  readonly costUsd: number | null;
}

/** One metric of a profile's report. */
export interface Metric {
  /** `null`: could not be told; the reason says why. */
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly threshold: number | null;
  readonly reason: string;
}

/** What a profile that grades says of an answer; it blocks nothing. */
export interface GradeReport {
  /** `null`: no metric failed, but not every one could be told. */
  readonly overallPass: boolean | null;
  readonly metrics: Readonly<Record<string, Metric>>;
}

export type AnswerStatus = "ok" | "insufficient_context" | "error";

export type CacheMode = "miss" | "exact" | "semantic" | "graph" | "curated";

/** Where an answer comes from that was not made for this question alone. */
export interface CachedFrom {
  /** Redacted; `null` where no text is kept. */
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
  /** The filters that held; absent without any. */
  readonly filters?: AppliedFilters;
  readonly sentences: readonly AnswerSentence[];
  /** Confidence in 0–1 of the decision to answer; `null` when nothing was found. */
  readonly confidence: number | null;
  readonly confidenceCalibrated: boolean;
  readonly claims: readonly Claim[];
  readonly citations: readonly Citation[];
  /** Absent where an answer was stored before there was any. */
  readonly seeAlso?: SeeAlso | null;
  readonly evidence: readonly Evidence[];
  readonly conflicts: readonly Conflict[];
  /** Only where the web was asked; empty when it could not be. */
  readonly web?: readonly WebEvidence[];
  readonly checks: readonly CheckResult[];
  readonly warnings: readonly Warning[];
  readonly refusal: Refusal | null;
  readonly cacheMode: CacheMode;
  /** Of a hit: the stored question whose answer this is, and since when. */
  readonly cached?: CachedFrom;
  readonly tokenUsage: TokenUsage;
  /** By dated list prices: 0 when no endpoint was called; `null` when one was and it did not count, or its price is not known. */
  readonly costUsd: number | null;
  /** Every call of an endpoint in order, also those that failed; empty for a hit and for quotes. */
  readonly calls: readonly PricedCall[];
  /** Only of a profile that grades. */
  readonly report?: GradeReport;
  /** Milliseconds by stage; `first_sentence` is the time from the question to the first checked sentence, absent without any. */
  readonly timings: Readonly<Record<string, number>>;
  readonly latencyMs: number;
  /** Name of the model that wrote, or `extractive`. */
  readonly model: string;
  readonly sessionId: string | null;
  /** Only where one was asked for; `null`: it could not be made, and a warning says why. Its shape is that of `sourcebound/proof`. */
  readonly proof?: Readonly<Record<string, unknown>> | null;
}
