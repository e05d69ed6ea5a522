import { z } from "zod";
import { webUrl } from "./to-wire.ts";

const nullableScore = z.number().min(0).max(1).nullable();

const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const pagePlace = z.object({
  page: z.int().describe("From 1."),
  width: z.number().optional().describe("Width of the displayed page in points."),
  height: z.number().optional(),
  boxes: z.array(box).optional().describe("One box per line, in points from the upper left corner; absent if the format has none."),
});
const cellPlace = z.object({ row: z.int(), column: z.int(), sheet: z.string().optional() });

const originalPlaceSchema = z.object({
  path: z.string(),
  unit: z.enum(["utf16", "extracted_utf16"]).describe("UTF-16 code units of the file's own text, or of the text extracted from it."),
  start: z.int(),
  end: z.int(),
  encoding: z.string().optional().describe("Encoding of the file; absent: UTF-8, or not a text file."),
  pages: z.array(pagePlace).optional().describe("Absent: the original has no pages."),
  recognised: z.literal(true).optional().describe("True if a page was recognised by OCR, which may be wrong; absent: no OCR."),
  cells: z.array(cellPlace).optional().describe("Counted from 1, as in a spreadsheet; absent: not a table."),
  part: z.string().optional().describe("File inside the archive; `start` and `end` count from its beginning."),
});

/** A document reference. */
export const source = {
  document_id: z.string(),
  document_version: z.string(),
  title: z.string(),
  url: webUrl,
  as_of: z.string().nullable(),
};
const { as_of: _, ...undated } = source;

const tableRow = z.object({
  cells: z.array(z.object({ name: z.string(), text: z.string() })).describe("For display; the quote itself is byte-exact."),
  header: z.string().describe("Exact substring of the document's normalised text, at the offsets below."),
  header_start: z.int(),
  header_end: z.int(),
  caption: z.string().optional().describe("Sentence above the table that introduces it; absent if there is none."),
});

export const citationSchema = z.object({
  n: z.int().describe("Number in the text: `[n]`."),
  ...source,
  quote: z.string().describe("Exact substring of the document's normalised text."),
  start: z.int().describe("Start of the quote in the normalised text, in the unit below."),
  end: z.int(),
  unit: z.literal("utf16"),
  original: originalPlaceSchema
    .extend({ sha256: z.string(), normaliser: z.string() })
    .describe("Place of the quote in the original file, with the hash of its bytes."),
  heading_path: z.array(z.string()).describe("Headings above the quote, outermost first."),
  page: z.int().nullable().optional().describe("Page on which the quote begins, from 1; `null`: the document has no pages."),
  context: z.string().describe("Passage around the quote."),
  quote_start: z.int().describe("Start of the quote within `context`."),
  also_in: z.array(z.object(source)).optional().describe("Other documents with a near-duplicate passage; absent if there are none."),
  row: tableRow.optional().describe("Cells of a quoted table row with the table's header; absent for other quotes."),
});

export type WireCitation = z.infer<typeof citationSchema>;

export const warningSchema = z.object({
  code: z.string().describe("`read_as`: a word was corrected to one that the documents contain."),
  message: z.string(),
  ask_instead: z.string().optional().describe("Question that forces the original spelling; only with `read_as`."),
  sentence: z.int().min(0).optional().describe("Index of the sentence that the warning is about; absent: the whole answer."),
});
export type WireWarning = z.infer<typeof warningSchema>;

const asOf = z.object({
  from: z.string().nullable(),
  to: z.string().nullable(),
  undated: z.int().describe("Number of documents without a date."),
});

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
    as_of: asOf.describe("Range of the documents' dates, ISO; `null` if none has a date."),
    unreadable: z.array(z.string()).describe("First files that could not be read and were not searched."),
    unreadable_count: z.int().describe("Number of files that could not be read."),
    within: z.string().optional().describe("Filters or selection that limited the search, counts and dates; absent without a limit."),
  }),
  nearest: z.array(
    z.object({
      ...undated,
      heading: z.string().nullable(),
      original: originalPlaceSchema.describe("Place of the passage or its quote in the original file."),
      quote: z.string().nullable().describe("Exact nearest text, which is not an answer. `null`: the checks allowed none."),
      missing: z.array(z.string()).describe("Words of the question that the passage lacks; the rest of the document may contain them."),
      missing_values: z.array(z.string()).describe('Types of value asked for that the passage lacks, such as "a length of time".'),
    }),
  ),
  contacts: z.array(z.object({ name: z.string(), contact: z.string() })),
});

export type WireRefusal = z.infer<typeof refusalSchema>;

const resolution = z.object({
  rule: z.enum(["newer", "regulation", "agency", "summary"]),
  holds: z.string().describe("`sid` of the side that takes precedence."),
});

export const conflictSchema = z.object({
  about: z.string().describe("Words that both sides share."),
  kind: z.enum(["value", "date", "polarity", "condition"]),
  certainty: z.number().describe("Certainty that both sides have the same subject, 0–1; for ordering, not a probability."),
  sides: z.array(
    z.object({
      sid: z.string(),
      value: z.string().describe("Words that differ."),
      quote: z.string().describe("Exact sentence with the value; `start` and `end` are its place in the document's text."),
      start: z.int(),
      end: z.int(),
      ...source,
    }),
  ),
  resolved_by: resolution.nullable().describe("Rule of the domain pack that decides; `null`: unresolved."),
});

export const claimStatus = z.enum(["supported", "contradicted", "unsupported", "unchecked"]);
export const findingSchema = z.object({
  name: z.string(),
  verdict: z.enum(["pass", "repaired", "warn", "fail"]),
  score: z.number().nullable(),
  reason: z.string(),
});

const claimSchema = z.object({
  sentence: z.int(),
  text: z.string(),
  status: claimStatus,
  citations: z.array(z.int()),
  reason: z.string(),
});

const appliedFilters = z.object({
  document: z.string().nullable(),
  chapter: z.string().nullable(),
  section: z.string().nullable(),
  page: z.string().nullable(),
  searched_in: z.string().describe('What the filters matched, such as `chapter "Cetology" of "Moby-Dick"`.'),
});

const answerSpan = z.object({ sentence: z.int().describe("Index in `sentences`, from 0."), start: z.int(), end: z.int() });
const seeAlso = z.object({ title: z.string(), heading: z.string().nullable(), url: z.string().nullable(), document_id: z.string() });

const evidenceSchema = z.object({
  sid: z.string(),
  ...undated,
  heading_path: z.array(z.string()),
  start: z.int().describe("Place of the passage in the document's normalised text, in UTF-16 code units."),
  end: z.int(),
  window: z.object({ start: z.int(), end: z.int() }).describe("Part of the passage that best matches the question."),
  rel: nullableScore,
  consistency: nullableScore.describe("Self-contained, dated and free of contradictions; `null`: not scored."),
  agreement: nullableScore.describe("Share of passages on the same subject that agree; `null`: none, or not scored."),
  cross: nullableScore,
  final: z.number(),
  verdict: z.enum(["verified", "uncertain", "rejected"]),
  reason: z.string(),
});

const webPage = z.object({
  url: z.string(),
  title: z.string(),
  retrieved_at: z.string().describe("ISO 8601."),
  verdict: z.enum(["confirmed", "contradicted"]),
  claim: z.string().describe("Sentence of the passage that was compared."),
  quote: z.string().describe("Sentence of the web page, as plain text: escape it for display."),
});
const webVerdict = z.object({
  sid: z.string().describe("Uncertain passage that was looked up."),
  verdict: z.enum(["confirmed", "contradicted", "silent"]),
  reason: z.string(),
  query: z.string().describe("Search query."),
  pages: z.array(webPage),
});

const stored = z.object({
  question: z.string().nullable().describe("Stored question; `null` if no text is kept."),
  stored_at: z.string().describe("ISO 8601."),
});

const tokens = z.int().nullable();
const tokenUsage = z.object({ verification: tokens, compression: tokens, answer: tokens, total: tokens });
const callSchema = z.object({
  stage: z.enum(["retrieve", "verify", "compress", "write", "rewrite"]),
  model: z.string(),
  input_tokens: tokens,
  output_tokens: tokens,
  cost_usd: z.number().nullable(),
});

const verdict = z.boolean().nullable();
const gradeSchema = z.object({ passed: verdict, score: z.number().nullable(), threshold: z.number().nullable(), reason: z.string() });
export const gradeReport = z.object({
  overall_pass: verdict.describe("`null`: no metric failed, but some could not be determined."),
  metrics: z.record(z.string(), gradeSchema),
});
const proof = z.record(z.string(), z.unknown()).nullable();

export const askResponseSchema = z
  .object({
    id: z.string(),
    status: z.enum(["ok", "insufficient_context", "error"]),
    question: z.string(),
    domain: z.string(),
    profile: z.string(),
    filters: appliedFilters.optional().describe("Filters that were applied; absent without filters."),
    agg_conf: nullableScore.describe("Confidence of the decision to answer; `null` if nothing was found."),
    agg_conf_calibrated: z.boolean().describe("False: the threshold was not fitted on labelled questions."),
    answer_plain: z.string(),
    answer_html: z.string().describe("Rendered by the server from the checked sentences; safe to insert."),
    sentences: z.array(z.object({ text: z.string(), citations: z.array(z.int()) })),
    answer_spans: z
      .array(answerSpan)
      .optional()
      .describe("Place of the single value asked for, if the answer contains it; otherwise empty."),
    citations: z.array(citationSchema),
    see_also: seeAlso.nullable().describe("Best passage of another document for the question. The answer does not depend on it."),
    claims: z.array(claimSchema),
    evidence: z.array(evidenceSchema),
    conflicts: z.array(conflictSchema),
    web: z.array(webVerdict).optional().describe("Web results for uncertain passages; they are never sources. Absent: no web search."),
    checks: z.array(findingSchema.extend({ sentence: z.int().nullable() })),
    warnings: z.array(warningSchema),
    refusal: refusalSchema.nullable(),
    cache_mode: z.enum(["miss", "exact", "semantic", "graph", "curated"]),
    cached: stored.optional().describe("Origin of a cached answer, which was checked again on the current documents. Absent on a miss."),
    token_usage: tokenUsage.describe("Model tokens by stage; `null` if an endpoint did not report them."),
    cost_usd: z.number().nullable().describe("At list prices: 0 if no endpoint was called; `null` if tokens or price are unknown."),
    calls: z.array(callSchema).describe("Endpoint calls in order, including failed ones. `rewrite`: the draft after a faulty one."),
    report: gradeReport.optional().describe("Only for profiles that grade (`validator`)."),
    latency_ms: z.number(),
    timings_ms: z
      .record(z.string(), z.number())
      .describe("Duration by stage; `first_sentence`: from the question to the first checked sentence."),
    model: z.string(),
    session_id: z.string().nullable(),
    proof: proof
      .optional()
      .describe("If requested; `prove verify` checks it offline. `null`: not available, and a warning gives the reason."),
  })
  .describe("Response of POST /v1/ask, and the data of the `answer` event");

export type WireAnswer = z.infer<typeof askResponseSchema>;
