import { z } from "zod";
import type { InProcess } from "../../text/validate.ts";
import { type SourceText, sourceSchema, type TextRange, undatedSource } from "./document.ts";
import type { Conflict, Evidence, Quote, WebEvidence } from "./evidence.ts";
import type { AppliedFilters } from "./question.ts";

// Schemas of the parts of an answer as they travel over HTTP. The types for use in the process have the same data with
// camelCase keys.

/** A table cell with the name of its column. The name is empty if the column has none. */
export interface NamedCell {
  readonly name: string;
  readonly text: string;
}

/** A sentence as a model or the extractor wrote it, before any check. */
export interface DraftSentence {
  readonly text: string;
  /** Quotes that the sentence cites. */
  readonly quotes: readonly Quote[];
  /** Citation numbers in the sentence to which no quote belongs. */
  readonly missing: readonly number[];
  /** True if the model cited nothing here, and the citations are those of the next sentence in the paragraph. */
  readonly inherits?: true;
}

export const claimStatus = z.enum(["supported", "contradicted", "unsupported", "unchecked"]);
/** A sentence of the answer with the result of its checks. */
export const claimSchema = z.object({
  sentence: z.int(),
  text: z.string(),
  status: claimStatus,
  citations: z.array(z.int()),
  reason: z.string(),
});
export type Claim = InProcess<z.infer<typeof claimSchema>>;

/** A box in points from the upper left corner of the displayed page. */
const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
/** A page, with the boxes of a quote on it. */
const pagePlace = z.object({
  page: z.int().describe("From 1."),
  printed: z
    .string()
    .optional()
    .describe("Page number that is printed or stated in the file, such as `xii`; absent: none, or the same as `page`."),
  width: z.number().optional().describe("Width of the displayed page in points."),
  height: z.number().optional(),
  boxes: z.array(box).optional().describe("One box per line, in points from the upper left corner; absent if the format has none."),
});
const cellPlace = z.object({ row: z.int(), column: z.int(), sheet: z.string().optional() });

/** The position of a quote in the original file. */
const originalPlaceSchema = z.object({
  path: z.string(),
  unit: z.enum(["utf16", "extracted_utf16"]).describe("UTF-16 code units of the file's text; `extracted_utf16`: of the extracted text."),
  start: z.int(),
  end: z.int(),
  encoding: z.string().optional().describe("Encoding of the file; absent: UTF-8, or not a text file."),
  pages: z.array(pagePlace).optional().describe("Absent: the original has no pages."),
  recognised: z.literal(true).optional().describe("True if the text was read by OCR and may be wrong; absent: no OCR."),
  cells: z.array(cellPlace).optional().describe("Counted from 1, as in a spreadsheet; absent: not a table."),
  time: z.string().optional().describe("Time in a transcript, such as `00:12:31`; absent: not a transcript."),
  speaker: z.string().optional().describe("Who speaks at that time; absent: the transcript does not say."),
  part: z.string().optional().describe("File inside the archive; `start` and `end` count from its beginning."),
});
export type Box = InProcess<z.infer<typeof box>>;
export type PagePlace = InProcess<z.infer<typeof pagePlace>>;
export type CellPlace = InProcess<z.infer<typeof cellPlace>>;

/** A table row, formatted for display. */
const tableRow = z.object({
  cells: z.array(z.object({ name: z.string(), text: z.string() })).describe("For display; the quote itself is byte-exact."),
  header: z.string().describe("Exact substring of the document's normalised text, from `header_start` to `header_end`."),
  header_start: z.int(),
  header_end: z.int(),
  caption: z.string().optional().describe("Sentence above the table that introduces it; absent if there is none."),
});

/** The link from a claim to its quote. */
export const citationSchema = z.object({
  n: z.int().describe("Number in the text: `[n]`."),
  ...sourceSchema.shape,
  quote: z.string().describe("Exact substring of the document's normalised text."),
  start: z.int().describe("Start of the quote in the normalised text, in the unit that `unit` names."),
  end: z.int(),
  unit: z.literal("utf16"),
  original: originalPlaceSchema
    .extend({ sha256: z.string(), normaliser: z.string() })
    .describe("Place of the quote in the original file, with the hash of its bytes."),
  heading_path: z.array(z.string()).describe("Headings above the quote, outermost first."),
  page: z.int().nullable().optional().describe("Page on which the quote begins, from 1; `null`: the document has no pages."),
  context: z.string().describe("Passage around the quote."),
  quote_start: z.int().describe("Start of the quote within `context`."),
  also_in: z.array(sourceSchema).optional().describe("Other documents with a near-duplicate passage; absent if there are none."),
  row: tableRow.optional().describe("Cells of a quoted table row with the table's header; absent for other quotes."),
});
type WireCitation = InProcess<z.infer<typeof citationSchema>>;
export type OriginalPlace = WireCitation["original"];
/** Another document with a near-duplicate of the cited passage. */
export type FurtherSource = InProcess<z.infer<typeof sourceSchema>>;
/** A citation in the process. `page` is absent in answers stored by older versions. */
export type Citation = Omit<WireCitation, "unit" | "row"> & {
  readonly chunkId: string;
  /** Cells and header of a cited table row, for display; absent if the quote is not a table row. */
  readonly row?: CitedRow;
};

export interface CitedRow {
  readonly cells: readonly NamedCell[];
  /** Position of the header in the normalised text. */
  readonly header: SourceText;
  /** The sentence above the table that introduces it; absent if there is none. */
  readonly caption?: SourceText;
}

export const seeAlsoSchema = z.object({
  title: z.string(),
  heading: z.string().nullable(),
  url: z.string().nullable(),
  document_id: z.string(),
});
/**
 * The best relevant passage of a document that the answer does not cite, as further reading. `heading` is the heading
 * above the passage.
 */
export type SeeAlso = InProcess<z.infer<typeof seeAlsoSchema>> & { readonly documentVersion: string };

export interface AnswerSentence {
  readonly text: string;
  readonly citations: readonly number[];
}

export const findingSchema = z.object({
  name: z.string(),
  verdict: z.enum(["pass", "repaired", "warn", "fail"]),
  score: z.number().nullable(),
  reason: z.string(),
});
/** The result of a check. `score` is 0–1; `null` if the check has no score or could not compute one. */
export type CheckResult = InProcess<z.infer<typeof findingSchema>> & {
  /** Ranges of the sentence's text that the verdict is about. */
  readonly spans: readonly TextRange[];
  /** Index of the sentence; `null` for the whole answer and for sentences that were removed. */
  readonly sentence: number | null;
  /** Set if the sentence was removed from the answer. */
  readonly leftOut?: true;
};

export const warningSchema = z.object({
  code: z.string().describe("Such as `read_as`: a word was corrected to one that the documents contain."),
  message: z.string(),
  ask_instead: z.string().optional().describe("Question to send instead, to search for the original spelling. Only with `read_as`."),
  sentence: z.int().min(0).optional().describe("Index of the sentence that the warning is about; absent: the whole answer."),
});
export type Warning = InProcess<z.infer<typeof warningSchema>>;

export const datesSchema = z.object({
  from: z.string().nullable(),
  to: z.string().nullable(),
  undated: z.int().describe("Number of documents without a date."),
});
/** The reason for a refusal, and what was searched. It says that the search found nothing, never that the documents do not contain it. */
export const refusalSchema = z.object({
  reason: z.enum([
    "nothing_relevant",
    "evidence_too_weak",
    "not_reliable",
    "empty_corpus",
    "injection",
    "language",
    "small_talk",
    "crisis",
  ]),
  message: z.string(),
  note: z.string().describe("How to read the refusal: it is not a negative answer."),
  searched: z.object({
    documents: z.int(),
    chunks: z.int(),
    revision: z.int().describe("Revision of the index; every change of the domain's documents increases it."),
    as_of: datesSchema.describe("Range of the documents' dates, ISO; `null` if none has a date."),
    unreadable: z.array(z.string()).describe("Paths of the first files that could not be read and were not searched."),
    unreadable_count: z.int().describe("Number of files that could not be read."),
    within: z.string().optional().describe("Filters or selection that limited the search, counts and dates; absent without a limit."),
  }),
  nearest: z.array(
    z.object({
      ...undatedSource,
      heading: z.string().nullable(),
      original: originalPlaceSchema.describe("Place of the passage or its quote in the original file."),
      quote: z.string().nullable().describe("Verbatim text of the passage, shown instead of an answer. `null`: none passed the checks."),
      missing: z.array(z.string()).describe("Words of the question that the passage lacks; the rest of the document may contain them."),
      missing_values: z.array(z.string()).describe('Types of value asked for that the passage lacks, such as "a length of time".'),
    }),
  ),
  contacts: z.array(z.object({ name: z.string(), contact: z.string() })),
});
export type Refusal = InProcess<z.infer<typeof refusalSchema>>;
export type Searched = Refusal["searched"];
export type AsOfRange = Searched["asOf"];
/** A similar passage, with the question's words that it lacks. The rest of its document may contain them. */
export type NearMiss = Refusal["nearest"][number];

const tokens = z.int().nullable();
export const tokenUsageSchema = z.object({ verification: tokens, compression: tokens, answer: tokens, total: tokens });
export const callSchema = z.object({
  stage: z.enum(["retrieve", "verify", "compress", "write", "rewrite"]),
  model: z.string(),
  input_tokens: tokens,
  output_tokens: tokens,
  cost_usd: z.number().nullable(),
});
/** Tokens of model calls by stage, without embeddings; `null` for a stage whose endpoint did not count them. */
export type TokenUsage = InProcess<z.infer<typeof tokenUsageSchema>>;
/**
 * A call to an endpoint, priced by list prices. Stage `rewrite`, a second draft, occurs only in answers of earlier versions.
 * Numbers are `null` if the tokens were not counted or the price is unknown.
 */
export type PricedCall = InProcess<z.infer<typeof callSchema>>;
export type ModelCall = Omit<PricedCall, "costUsd">;

const verdict = z.boolean().nullable();
/** The result of one metric. `passed` and `score` are `null` if it could not be measured; `reason` then says why. */
const gradeSchema = z.object({ passed: verdict, score: z.number().nullable(), threshold: z.number().nullable(), reason: z.string() });
/** The metrics of an answer, under a profile that computes them. They do not change the answer. */
export const gradeReportSchema = z.object({
  overall_pass: verdict.describe("`null`: no metric failed, but some could not be determined."),
  metrics: z.record(z.string(), gradeSchema),
});
export type Metric = InProcess<z.infer<typeof gradeSchema>>;
export type GradeReport = InProcess<z.infer<typeof gradeReportSchema>>;

export type CacheMode = "miss" | "exact" | "semantic" | "graph" | "curated";

/** Where a cached answer came from. */
export const cachedSchema = z.object({
  question: z.string().nullable().describe("Stored question; `null` if no text is kept."),
  stored_at: z.string().describe("ISO 8601."),
});

export interface Answer {
  readonly id: string;
  readonly status: "ok" | "insufficient_context" | "error";
  readonly question: string;
  readonly domain: string;
  readonly profile: string;
  /** Applied filters; absent without filters. */
  readonly filters?: AppliedFilters;
  readonly sentences: readonly AnswerSentence[];
  /** Confidence in the answer, 0–1, by which the system decided to answer; `null` if nothing was found. */
  readonly confidence: number | null;
  readonly confidenceCalibrated: boolean;
  readonly claims: readonly Claim[];
  readonly citations: readonly Citation[];
  /** Absent in answers stored by older versions. */
  readonly seeAlso?: SeeAlso | null;
  readonly evidence: readonly Evidence[];
  readonly conflicts: readonly Conflict[];
  /** Evidence from the web; absent if the web was not searched, empty if the search failed. */
  readonly web?: readonly WebEvidence[];
  readonly checks: readonly CheckResult[];
  readonly warnings: readonly Warning[];
  readonly refusal: Refusal | null;
  readonly cacheMode: CacheMode;
  /** Question and time of the stored answer; absent unless the answer came from the cache. */
  readonly cached?: InProcess<z.infer<typeof cachedSchema>>;
  readonly tokenUsage: TokenUsage;
  /** Cost in US dollars by list prices. 0: no calls to an endpoint; `null`: tokens were not counted or a price is unknown. */
  readonly costUsd: number | null;
  /** All calls to endpoints in order, including failed ones; empty if there were none. */
  readonly calls: readonly PricedCall[];
  /** Present only if the profile computes the metrics, or with `grade: always`. */
  readonly report?: GradeReport;
  /** Milliseconds by stage. `first_sentence` is the time to the first checked sentence, absent without sentences. */
  readonly timings: Readonly<Record<string, number>>;
  readonly latencyMs: number;
  /** Name of the model that wrote, `extractive` for quotes, `reviewer`, or `none` if nothing was written. */
  readonly model: string;
  readonly sessionId: string | null;
  /**
   * Present only on request; `null` if the proof failed (a warning gives the reason). `sourcebound/proof` defines the
   * shape.
   */
  readonly proof?: Readonly<Record<string, unknown>> | null;
}
