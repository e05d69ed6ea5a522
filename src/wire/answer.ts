import { z } from "zod";
import { webUrl } from "./to-wire.ts";

const nullableScore = z.number().min(0).max(1).nullable();

const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const pagePlace = z.object({
  page: z.int().describe("From 1."),
  width: z.number().optional().describe("Of the page as it is shown, in points."),
  height: z.number().optional(),
  boxes: z.array(box).optional().describe("One for each line, in points from the upper left corner; absent where the format has none."),
});
const cellPlace = z.object({ row: z.int(), column: z.int(), sheet: z.string().optional() });

const originalPlaceSchema = z.object({
  path: z.string(),
  unit: z.enum(["utf16", "extracted_utf16"]).describe("UTF-16 code units of the file's own characters, or of the text extracted from it."),
  start: z.int(),
  end: z.int(),
  encoding: z.string().optional().describe("How the file's bytes were decoded; absent: as UTF-8, or the file is no text."),
  pages: z.array(pagePlace).optional().describe("Absent: the original has no pages."),
  recognised: z.literal(true).optional().describe("A page of it was recognised by OCR, and may be wrong; absent: none was."),
  cells: z.array(cellPlace).optional().describe("As a spreadsheet counts them, from 1; absent: the original is no table."),
  part: z.string().optional().describe("File inside the archive, from whose beginning `start` and `end` are counted."),
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
  caption: z.string().optional().describe("The sentence above the table that introduces it; absent when there is none."),
});

export const citationSchema = z.object({
  n: z.int().describe("The number in the text: `[n]`."),
  ...source,
  quote: z.string().describe("Exact substring of the document's normalised text."),
  start: z.int().describe("Start of the quote in the normalised text, in the unit below."),
  end: z.int(),
  unit: z.literal("utf16"),
  original: originalPlaceSchema
    .extend({ sha256: z.string(), normaliser: z.string() })
    .describe("Where the quote stands in the file that was read, with the hash of its bytes."),
  heading_path: z.array(z.string()).describe("Headings under which the quote stands, outermost first."),
  page: z.int().nullable().optional().describe("Page on which the quote begins, from 1; `null`: the document has no pages."),
  context: z.string().describe("The passage around the quote."),
  quote_start: z.int().describe("Where the quote starts inside `context`."),
  also_in: z.array(z.object(source)).optional().describe("Further documents whose passage says the same; absent when there are none."),
  row: tableRow.optional().describe("Of a table's row: its cells by the header of the table; absent otherwise."),
});

export type WireCitation = z.infer<typeof citationSchema>;

export const warningSchema = z.object({
  code: z.string().describe("`read_as`: a word was read as another one that the documents hold."),
  message: z.string(),
  ask_instead: z.string().optional().describe("The question to ask for what was written; only where it was read otherwise."),
  sentence: z.int().min(0).optional().describe("Index of the sentence at which it stands; absent: it is about the answer."),
});
export type WireWarning = z.infer<typeof warningSchema>;

const asOf = z.object({
  from: z.string().nullable(),
  to: z.string().nullable(),
  undated: z.int().describe("Documents that state no date."),
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
  note: z.string().describe("How the refusal is to be read: it is no answer, neither yes nor no."),
  searched: z.object({
    documents: z.int(),
    chunks: z.int(),
    revision: z.int().describe("Of the index: raised by every commit that changes documents of the domain."),
    as_of: asOf.describe("Dates for which the documents say that they hold, ISO; `null` where none states one."),
    unreadable: z.array(z.string()).describe("The first of the files that could not be read, and therefore were not searched."),
    unreadable_count: z.int().describe("How many files could not be read."),
    within: z.string().optional().describe("To what filters or a selection limited the search, counts and dates; absent without them."),
  }),
  nearest: z.array(
    z.object({
      ...undated,
      heading: z.string().nullable(),
      original: originalPlaceSchema.describe("Where the passage, or the quote of it, stands in the file that was read."),
      quote: z.string().nullable().describe("What comes nearest in it, exact; it is no answer. `null`: the checks let nothing pass."),
      missing: z.array(z.string()).describe("Words of the question that the passage does not hold; the document around it may."),
      missing_values: z.array(z.string()).describe('Kinds of value asked for that the passage does not show, such as "a length of time".'),
    }),
  ),
  contacts: z.array(z.object({ name: z.string(), contact: z.string() })),
});

export type WireRefusal = z.infer<typeof refusalSchema>;

const resolution = z.object({
  rule: z.enum(["newer", "regulation", "agency", "summary"]),
  holds: z.string().describe("`sid` of the side that holds."),
});

export const conflictSchema = z.object({
  about: z.string().describe("Words that both sides share."),
  kind: z.enum(["value", "date", "polarity", "condition"]),
  certainty: z.number().describe("How surely both speak of the same thing, 0–1: an order, no probability."),
  sides: z.array(
    z.object({
      sid: z.string(),
      value: z.string().describe("The words that differ."),
      quote: z.string().describe("The sentence that says it, exact; `start` and `end` are its place in the document's text."),
      start: z.int(),
      end: z.int(),
      ...source,
    }),
  ),
  resolved_by: resolution.nullable().describe("The rule of the domain pack that decides; `null`: the sources disagree."),
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
  searched_in: z.string().describe('What they were found to mean, such as `chapter "Cetology" of "Moby-Dick"`.'),
});

const answerSpan = z.object({ sentence: z.int().describe("Index in `sentences`, from 0."), start: z.int(), end: z.int() });
const seeAlso = z.object({ title: z.string(), heading: z.string().nullable(), url: z.string().nullable(), document_id: z.string() });

const evidenceSchema = z.object({
  sid: z.string(),
  ...undated,
  heading_path: z.array(z.string()),
  start: z.int().describe("Where the passage stands in the document's normalised text, in UTF-16 code units."),
  end: z.int(),
  window: z.object({ start: z.int(), end: z.int() }).describe("The part of it whose meaning fitted the question best."),
  rel: nullableScore,
  consistency: nullableScore.describe("Self-contained, dated, without contradiction in itself; `null`: not scored."),
  agreement: nullableScore.describe("Share of the passages on the same that say the same; `null`: there is none, or not scored."),
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
  claim: z.string().describe("The sentence of the passage that was compared."),
  quote: z.string().describe("The sentence of the page. Plain text of the web page: escape it where it is shown."),
});
const webVerdict = z.object({
  sid: z.string().describe("The uncertain passage that was looked up."),
  verdict: z.enum(["confirmed", "contradicted", "silent"]),
  reason: z.string(),
  query: z.string().describe("What was searched for."),
  pages: z.array(webPage),
});

const stored = z.object({
  question: z.string().nullable().describe("The stored question; `null` where no text is kept."),
  stored_at: z.string().describe("ISO time."),
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
  overall_pass: verdict.describe("`null`: no metric failed, but not every one could be told."),
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
    filters: appliedFilters.optional().describe("The filters that held; absent without any."),
    agg_conf: nullableScore.describe("Confidence of the decision to answer; `null` when nothing was found."),
    agg_conf_calibrated: z.boolean().describe("False: the threshold was not fitted on labelled questions."),
    answer_plain: z.string(),
    answer_html: z.string().describe("Rendered by the server from the checked sentences; safe to insert."),
    sentences: z.array(z.object({ text: z.string(), citations: z.array(z.int()) })),
    answer_spans: z.array(answerSpan).optional().describe("The one value of the kind asked for, where the answer has it; else empty."),
    citations: z.array(citationSchema),
    see_also: seeAlso.nullable().describe("The best passage of another document on the question. Nothing in the answer rests on it."),
    claims: z.array(claimSchema),
    evidence: z.array(evidenceSchema),
    conflicts: z.array(conflictSchema),
    web: z.array(webVerdict).optional().describe("What the web said of uncertain passages: never a source. Absent: it was not asked."),
    checks: z.array(findingSchema.extend({ sentence: z.int().nullable() })),
    warnings: z.array(warningSchema),
    refusal: refusalSchema.nullable(),
    cache_mode: z.enum(["miss", "exact", "semantic", "graph", "curated"]),
    cached: stored.optional().describe("Of a hit: whose answer this is; it was checked again on today's documents. Absent on a miss."),
    token_usage: tokenUsage.describe("Of models, by stage; `null` where an endpoint was asked and did not count."),
    cost_usd: z.number().nullable().describe("By list prices: 0 when no endpoint was called; `null` where tokens or price are not known."),
    calls: z.array(callSchema).describe("Calls of endpoints in order, failed ones too. `rewrite`: the draft that follows a faulty one."),
    report: gradeReport.optional().describe("Only of a profile that grades (`validator`)."),
    latency_ms: z.number(),
    timings_ms: z.record(z.string(), z.number()).describe("By stage; `first_sentence`: from the question to the first checked sentence."),
    model: z.string(),
    session_id: z.string().nullable(),
    proof: proof.optional().describe("Where it was asked for: `prove verify` checks it offline. `null`: a warning says why there is none."),
  })
  .describe("Response of POST /v1/ask, and the data of the `answer` event");

export type WireAnswer = z.infer<typeof askResponseSchema>;
