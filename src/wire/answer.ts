import { z } from "zod";
import { webUrl } from "./to-wire.ts";

const nullableScore = z.number().min(0).max(1).nullable();

const originalPlaceSchema = z.object({
  path: z.string(),
  unit: z
    .enum(["utf16", "extracted_utf16"])
    .describe(
      "What `start` and `end` count: UTF-16 code units of the file's own characters, or of the text that the format's reader took out of it.",
    ),
  start: z.int(),
  end: z.int(),
  encoding: z.string().optional().describe("How the file's bytes were decoded; absent: as UTF-8, or the file is no text."),
  pages: z
    .array(
      z.object({
        page: z.int().describe("From 1."),
        width: z.number().optional().describe("Of the page as it is shown, in points."),
        height: z.number().optional(),
        boxes: z
          .array(z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }))
          .optional()
          .describe("One for each line, in points from the upper left corner of the page; absent where the format has none."),
      }),
    )
    .optional()
    .describe("Absent: the original has no pages."),
  recognised: z
    .literal(true)
    .optional()
    .describe("A page of it is a picture whose text was recognised (OCR), and may be wrong; absent: none is."),
  cells: z
    .array(z.object({ row: z.int(), column: z.int(), sheet: z.string().optional() }))
    .optional()
    .describe("Rows and columns as a spreadsheet counts them, from 1; absent: the original is no table."),
  part: z.string().optional().describe("File inside the archive, from whose beginning `start` and `end` are counted."),
});

/** A document that is named beside what it says. */
export const source = {
  document_id: z.string(),
  document_version: z.string(),
  title: z.string(),
  url: webUrl,
  as_of: z.string().nullable(),
};
const { as_of: _, ...undated } = source;

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
  row: z
    .object({
      cells: z.array(z.object({ name: z.string(), text: z.string() })).describe("For display; the quote itself is byte-exact."),
      header: z.string().describe("Exact substring of the document's normalised text, at the offsets below."),
      header_start: z.int(),
      header_end: z.int(),
      caption: z.string().optional().describe("The sentence above the table that introduces it; absent when there is none."),
    })
    .optional()
    .describe("Of a table's row: its cells by the header of the table; absent otherwise."),
});

export type WireCitation = z.infer<typeof citationSchema>;

export const warningSchema = z.object({
  code: z.string().describe("`read_as`: a word was read as another one that the documents hold."),
  message: z.string(),
  ask_instead: z.string().optional().describe("The question to ask for what was written; only where it was read otherwise."),
  sentence: z
    .int()
    .min(0)
    .optional()
    .describe("Index of the sentence at which it stands; a stream says it right behind that sentence. Absent: it is about the answer."),
});
export type WireWarning = z.infer<typeof warningSchema>;

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
    revision: z
      .int()
      .describe("Of the index: raised by every commit that changes documents of the domain: files that are stored together raise it once."),
    as_of: z
      .object({ from: z.string().nullable(), to: z.string().nullable(), undated: z.int().describe("Documents that state no date.") })
      .describe("Dates for which the documents say that they hold, ISO; `null` where none states one."),
    unreadable: z.array(z.string()).describe("The first of the files that could not be read, and therefore were not searched."),
    unreadable_count: z.int().describe("How many files could not be read."),
    within: z
      .string()
      .optional()
      .describe("Where filters or a selection kept the search to; counts and dates are of that part. Absent without them."),
  }),
  nearest: z.array(
    z.object({
      ...undated,
      heading: z.string().nullable(),
      original: originalPlaceSchema.describe("Where the passage, or the quote of it, stands in the file that was read."),
      quote: z
        .string()
        .nullable()
        .describe("What comes nearest in it, byte for byte; it is no answer. `null`: nothing that the checks let pass."),
      missing: z.array(z.string()).describe("Words of the question that the passage does not hold; the document around it may."),
      missing_values: z
        .array(z.string())
        .describe('Kinds of value that are asked for and the passage does not show, such as "a length of time".'),
    }),
  ),
  contacts: z.array(z.object({ name: z.string(), contact: z.string() })),
});

export type WireRefusal = z.infer<typeof refusalSchema>;

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
  resolved_by: z
    .object({
      rule: z.enum(["newer", "regulation", "agency", "summary"]),
      holds: z.string().describe("`sid` of the side that holds."),
    })
    .nullable()
    .describe("The rule of the domain pack that decides; `null`: the sources disagree."),
});

export const claimStatus = z.enum(["supported", "contradicted", "unsupported", "unchecked"]);
export const findingSchema = z.object({
  name: z.string(),
  verdict: z.enum(["pass", "repaired", "warn", "fail"]),
  score: z.number().nullable(),
  reason: z.string(),
});

export const askResponseSchema = z
  .object({
    id: z.string(),
    status: z.enum(["ok", "insufficient_context", "error"]),
    question: z.string(),
    domain: z.string(),
    profile: z.string(),
    filters: z
      .object({
        document: z.string().nullable(),
        chapter: z.string().nullable(),
        section: z.string().nullable(),
        page: z.string().nullable(),
        searched_in: z.string().describe('What they were found to mean, such as `chapter "Cetology" of "Moby-Dick"`.'),
      })
      .optional()
      .describe("The filters that held; absent without any."),
    agg_conf: nullableScore.describe("Confidence of the decision to answer; `null` when nothing was found."),
    agg_conf_calibrated: z.boolean().describe("False: the threshold was not fitted on labelled questions."),
    answer_plain: z.string(),
    answer_html: z.string().describe("Rendered by the server from the checked sentences; safe to insert."),
    sentences: z.array(z.object({ text: z.string(), citations: z.array(z.int()) })),
    answer_spans: z
      .array(z.object({ sentence: z.int().describe("Index in `sentences`, from 0."), start: z.int(), end: z.int() }))
      .optional()
      .describe(
        "Words of a sentence that answer, where its values settle that: the one amount, date, length of time, form or number of the kind asked for. Empty where that cannot be said.",
      ),
    citations: z.array(citationSchema),
    see_also: z
      .object({ title: z.string(), heading: z.string().nullable(), url: z.string().nullable(), document_id: z.string() })
      .nullable()
      .describe(
        "Where to read on: the best passage of another document that was found to bear on the question. Nothing in the answer rests on it.",
      ),
    claims: z.array(
      z.object({
        sentence: z.int(),
        text: z.string(),
        status: claimStatus,
        citations: z.array(z.int()),
        reason: z.string(),
      }),
    ),
    evidence: z.array(
      z.object({
        sid: z.string(),
        ...undated,
        heading_path: z.array(z.string()),
        start: z.int().describe("Where the passage stands in the document's normalised text, in UTF-16 code units."),
        end: z.int(),
        window: z
          .object({ start: z.int(), end: z.int() })
          .describe("The stretch of it that fitted the question best: what the search by meaning compared."),
        rel: nullableScore,
        consistency: nullableScore.describe("Self-contained, dated, without contradiction in itself; `null`: not scored."),
        agreement: nullableScore.describe(
          "Share of the passages on the same that say the same; `null`: there is none, or it was not scored.",
        ),
        cross: nullableScore,
        final: z.number(),
        verdict: z.enum(["verified", "uncertain", "rejected"]),
        reason: z.string(),
      }),
    ),
    conflicts: z.array(conflictSchema),
    web: z
      .array(
        z.object({
          sid: z.string().describe("The uncertain passage that was looked up."),
          verdict: z.enum(["confirmed", "contradicted", "silent"]),
          reason: z.string(),
          query: z.string().describe("What was searched for."),
          pages: z.array(
            z.object({
              url: z.string(),
              title: z.string(),
              retrieved_at: z.string().describe("ISO 8601."),
              verdict: z.enum(["confirmed", "contradicted"]),
              claim: z.string().describe("The sentence of the passage that was compared."),
              quote: z.string().describe("The sentence of the page. Plain text that strangers wrote: escape it where it is shown."),
            }),
          ),
        }),
      )
      .optional()
      .describe("What the web said of uncertain passages: beside the answer, never a source of it. Absent where the web was not asked."),
    checks: z.array(findingSchema.extend({ sentence: z.int().nullable() })),
    warnings: z.array(warningSchema),
    refusal: refusalSchema.nullable(),
    cache_mode: z.enum(["miss", "exact", "semantic", "graph", "curated"]),
    cached: z
      .object({
        question: z.string().nullable().describe("The stored question; `null` where no text is kept."),
        stored_at: z.string().describe("ISO time."),
      })
      .optional()
      .describe("Of a hit: whose answer this is and since when. It was checked again on today's documents. Absent on a miss."),
    token_usage: z
      .object({ verification: z.int().nullable(), compression: z.int().nullable(), answer: z.int().nullable(), total: z.int().nullable() })
      .describe("Of models, by stage; `null` where an endpoint was asked and did not count."),
    cost_usd: z
      .number()
      .nullable()
      .describe(
        "By the list prices in `src/models/prices.json`: 0 when no endpoint was called; `null` when one was and it did not count, or its price is not known.",
      ),
    calls: z
      .array(
        z.object({
          stage: z.enum(["retrieve", "verify", "compress", "write", "rewrite"]),
          model: z.string(),
          input_tokens: z.int().nullable(),
          output_tokens: z.int().nullable(),
          cost_usd: z.number().nullable(),
        }),
      )
      .describe("Every call of an endpoint in order, also those that failed. `rewrite`: the one draft that follows a faulty one."),
    report: z
      .object({
        overall_pass: z.boolean().nullable().describe("`null`: no metric failed, but not every one could be told."),
        metrics: z.record(
          z.string(),
          z.object({ passed: z.boolean().nullable(), score: z.number().nullable(), threshold: z.number().nullable(), reason: z.string() }),
        ),
      })
      .optional()
      .describe("Only of a profile that grades (`validator`)."),
    latency_ms: z.number(),
    timings_ms: z.record(z.string(), z.number()).describe("By stage; `first_sentence`: from the question to the first checked sentence."),
    model: z.string(),
    session_id: z.string().nullable(),
    proof: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .describe("Where one was asked for: `prove verify` checks it offline. `null`: it could not be made, and a warning says why."),
  })
  .describe("Response of POST /v1/ask, and the data of the `answer` event");

export type WireAnswer = z.infer<typeof askResponseSchema>;
