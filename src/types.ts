import type { NamedCell } from "./text/table-row.ts";

/** The words of the glossary (DESIGN.md) as types. Plain data; offsets are UTF-16 code units into the normalised text. */

/** Who asks in which body of knowledge. A hard partition: every query of the store filters by all three. */
export interface Scope {
  readonly domain: string;
  /** A party inside the domain; `null` sees only what belongs to no tenant. */
  readonly tenant: string | null;
  /** Access labels granted to the request; a document is visible when its label is among them. */
  readonly access: readonly string[];
}

/** Half-open range `[start, end)` of UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export type DocumentType = "policy" | "definition" | "rating_table";
export type Authority = "regulation" | "agency" | "summary";

/** What is known of a document besides its text. */
export interface DocumentMetadata {
  readonly title: string;
  readonly description: string | null;
  readonly url: string | null;
  /** ISO date for which the content holds, if the document states one. */
  readonly asOf: string | null;
  readonly authority: Authority | null;
  readonly topic: string | null;
  readonly subtopic: string | null;
  readonly type: DocumentType | null;
}

export type BlockType = "heading" | "paragraph" | "list-item" | "table-row" | "quote" | "code";

/** A structural piece of the normalised text. Blocks are in order and do not overlap; between two stands white space only. */
export interface Block extends TextRange {
  readonly type: BlockType;
  /** Headings: 1 to 6. List items: depth from 1. Otherwise 0. */
  readonly level: number;
  /** Table rows: index into `blocks` of the table's header row (its own index if it is the header); otherwise -1. */
  readonly header: number;
}

/** A sentence, list item, table row or heading: the smallest thing that is quoted, and where chunks may be cut. */
export interface Unit extends TextRange {
  readonly type: BlockType;
  /** Index of the block that it lies in. */
  readonly block: number;
}

/** A stretch of a document with its text. */
export interface SourceText extends TextRange {
  readonly text: string;
}

/** A unit with where it stands. What it names may lie outside the passage that holds it. */
export interface PlacedUnit extends Unit {
  /** Headings above it, outermost first; of a heading with itself. */
  readonly headingPath: readonly string[];
  /** From 1; `null`: the document has no pages. */
  readonly page: number | null;
  /** Of a list item: the sentence that announces the list, or the item in which it stands. Of a row: the row above that labels it. */
  readonly leadIn: SourceText | null;
  /** Of a table's row: its table's header. */
  readonly header: SourceText | null;
  /** Of a table's row: the sentence that stands above its table. */
  readonly caption: SourceText | null;
}

/** A heading of a document: what it opens reaches to the next one of its level or above. */
export interface Heading {
  readonly start: number;
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
}

/** An indexed piece inside a chunk, 128–256 tokens where the chunk has them. */
export interface Window extends TextRange {
  readonly tokens: number;
}

/** A stored piece of a document with exact offsets. */
export interface Chunk extends TextRange {
  readonly id: string;
  readonly documentId: string;
  readonly ordinal: number;
  readonly tokens: number;
  /** Headings above the chunk's start, outermost first. */
  readonly headingPath: readonly string[];
  readonly windows: readonly Window[];
}

/** A document as stored: normalised text, structure, and the way back to the original. */
export interface StoredDocument extends DocumentMetadata {
  readonly id: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: string;
  /** The folder (or other origin) that it was read from; deletions are computed inside one source. */
  readonly source: string;
  /** Path relative to the source, with `/`. For JSON chunks `file.json#entry_id`. */
  readonly path: string;
  /** SHA-256 (hex) of the original bytes. */
  readonly originalHash: string;
  /** SHA-256 (hex) of normalised text, metadata, structure settings and normaliser version: the document's version. */
  readonly version: string;
  readonly normaliser: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly units: readonly Unit[];
  readonly chunks: readonly Chunk[];
  readonly sourceMap: SourceMapData;
  /** Where each page begins in the text, page 1 first; absent or `null`: the original has no pages. A blank page begins where the next one does. */
  readonly pages?: readonly number[] | null;
}

/**
 * Map from normalised text to original text, as segments `[outStart, outEnd, sourceStart, sourceEnd]` flattened, in order of `outStart`.
 * A segment whose two lengths are equal maps offset by offset; any other maps as a whole.
 */
export type SourceMapData = readonly number[];

/** What a request asks, before anything is known of it. */
export interface AskRequest {
  readonly question: string;
  readonly scope: Scope;
  readonly profile: string;
  readonly detail: "normal" | "more";
  readonly sessionId: string | null;
  readonly selection: Selection | null;
  /** As they came; admission checks them. */
  readonly filters?: FilterRequest | null;
  /** Whose session it is. */
  readonly userId?: string | null;
  /** What may be stored: redacted text (also when absent), or no text at all. */
  readonly privacy?: Privacy;
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

/** A retrieved chunk with its scores; everything later stages need of its document travels along. */
export interface Passage {
  /** `S1`, `S2`, … in rank order. */
  readonly sid: string;
  readonly chunkId: string;
  readonly document: PassageDocument;
  readonly headingPath: readonly string[];
  /** The chunk's range in the document. */
  readonly range: TextRange;
  /** The window that scored best. */
  readonly window: TextRange;
  readonly text: string;
  readonly units: readonly PlacedUnit[];
  /** Raw scores; `null` where the scorer did not run. */
  readonly scores: {
    readonly dense: number | null;
    readonly bm25: number | null;
    readonly fused: number;
    /** Of a cross-encoder, 0–1. */
    readonly cross: number | null;
    /** Of the embedded reranker: chance that the passage answers, 0–1. */
    readonly rerank: number | null;
  };
  /** Passages merged into this one: further sources of what it says. Absent when there are none. */
  readonly twins?: readonly Twin[];
}

/** A passage elsewhere that says the same as the one that was kept. */
export interface Twin {
  readonly chunkId: string;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string | null;
  readonly headingPath: readonly string[];
  readonly range: TextRange;
}

/** A document's face in answers. */
export interface PassageDocument {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string | null;
  readonly authority: Authority | null;
  readonly version: string;
  readonly originalHash: string;
  readonly normaliser: string;
  readonly blocks: readonly Block[];
  readonly sourceMap: SourceMapData;
}

export type WebVerdict = "confirmed" | "contradicted" | "silent";

/** What the web said about one uncertain passage: evidence of its own kind. It is never cited as a source and never given to a writer. */
export interface WebEvidence {
  /** The passage. */
  readonly sid: string;
  readonly verdict: WebVerdict;
  /** One line for people. */
  readonly reason: string;
  /** What was searched for. */
  readonly query: string;
  /** Pages that speak of the same, and what each says. */
  readonly pages: readonly WebPageEvidence[];
}

export interface WebPageEvidence {
  readonly url: string;
  readonly title: string;
  /** ISO 8601. */
  readonly retrievedAt: string;
  readonly verdict: Exclude<WebVerdict, "silent">;
  /** The sentence of the passage that was compared. */
  readonly claim: string;
  /** The sentence of the page: plain text that strangers wrote. */
  readonly quote: string;
}

export type Verdict = "verified" | "uncertain" | "rejected";

/** A passage with a verdict. */
export interface Evidence {
  readonly passage: Passage;
  readonly verdict: Verdict;
  /** 0–1, or `null` when it could not be scored; never 0 for "unknown". */
  readonly relevance: number | null;
  readonly consistency: number | null;
  readonly agreement: number | null;
  /** The combination on which the verdict rests, 0–1. */
  readonly score: number;
  /** Share of the question's words that the passage holds, by weight, where the score is a learned one. */
  readonly held?: number;
  /** One line for people. */
  readonly reason: string;
}

/** An exact substring of evidence. `text === document.text.slice(start, end)`. */
export interface Quote extends TextRange {
  readonly passage: Passage;
  readonly text: string;
  /** Of a table's row that can be read by it: the header of its table. */
  readonly header?: SourceText;
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
  readonly unit: "utf16";
  readonly start: number;
  readonly end: number;
  /** SHA-256 of the original bytes. */
  readonly sha256: string;
  readonly normaliser: string;
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
  /** The sentence above the table; absent when there is none. */
  readonly caption?: SourceText;
}

/** Where to read on: the best passage that the answer does not quote. */
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
}

export type ConflictKind = "value" | "date" | "polarity" | "condition";

/** Two sources that differ; shown side by side. */
export interface Conflict {
  /** Words that both sides share, as written. */
  readonly about: string;
  readonly kind: ConflictKind;
  /** How surely both speak of the same thing, 0–1: an order, no probability. */
  readonly certainty: number;
  readonly sides: readonly [ConflictSide, ConflictSide];
  /** The declared rule that decides, and the `sid` of the side that holds; `null`: the sources disagree. */
  readonly resolvedBy: ConflictResolution | null;
}

export interface ConflictResolution {
  readonly rule: "newer" | Authority;
  readonly holds: string;
}

/** One side of a conflict: what it says, and the sentence that says it, in the document's text. */
export interface ConflictSide extends TextRange {
  readonly sid: string;
  /** The words that differ. */
  readonly value: string;
  readonly quote: string;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string | null;
}

/** Why there is no answer, and what was searched. It never says what the documents do not say: only what was looked for and not found. */
export interface Refusal {
  readonly reason: "nothing_relevant" | "evidence_too_weak" | "not_reliable" | "empty_corpus" | "injection";
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
  /** Of the index: raised by every change of a document in the domain. */
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
  readonly original: Pick<OriginalPlace, "path" | "unit" | "start" | "end">;
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
}
