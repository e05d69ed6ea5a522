import { z } from "zod";
import { FILTER_CHARACTERS } from "../admit/filters.ts";
import type { RefreshResult } from "../engine/refresh.ts";
import type { AnswerEvent } from "../events.ts";
import { httpUrl } from "../text/http-url.ts";
import type {
  Answer,
  AppliedFilters,
  Citation,
  CitedRow,
  Conflict,
  Evidence,
  FurtherSource,
  GradeReport,
  PricedCall,
  Refusal,
  Searched,
  SeeAlso,
  WebEvidence,
} from "../types.ts";
import { renderAnswerHtml, renderAnswerPlain } from "../write/render.ts";

/** A name in a filter; what it may hold is judged at admission, for every way in. */
const filterName = () => z.string().min(1).max(FILTER_CHARACTERS);

/** The API as it travels: snake_case. These schemas are the documentation; this is the one file that converts. */

export const askRequestSchema = z
  .strictObject({
    question: z.string().describe("The question, 1–500 characters after trimming (limit configurable)."),
    detail: z.enum(["normal", "more"]).default("normal").describe("`more` asks for a longer answer."),
    domain: z.string().min(1).optional().describe("Body of knowledge; the server's default domain when absent."),
    tenant: z.string().min(1).optional().describe("Party inside the domain whose vocabulary and documents apply."),
    profile: z.string().min(1).optional().describe("Which stages run with which numbers; the domain's default when absent."),
    session_id: z.string().min(1).max(100).optional().describe("Continue a session. Sent back in every answer."),
    user_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Whose session it is; only a keyed hash of it is stored. Another user's session of the same id is another session."),
    privacy: z
      .enum(["redacted", "ephemeral"])
      .optional()
      .describe("`ephemeral`: no text of this question or its answer is stored. It can only tighten what the server is set to."),
    selection: z
      .strictObject({
        document_id: z.string().min(1),
        start: z.int().min(0).describe("UTF-16 code units into the normalised text."),
        end: z.int().min(1),
      })
      .optional()
      .describe("Answer only from this range of this document."),
    filters: z
      .strictObject({
        document: filterName().optional().describe("Title, path, file name or id."),
        chapter: filterName().optional().describe('A heading of the top level, such as "Chapter 32. Cetology", or its number or name.'),
        section: filterName()
          .optional()
          .describe('A heading of any level, such as "§ 4.25 Combined ratings table", or its number or name.'),
        page: z
          .union([z.int(), z.string().min(1).max(40)], { error: 'give a page number from 1, or a range such as "12-15"' })
          .optional()
          .describe('A page, `12`, or pages, `"12-15"`; of documents that have pages.'),
      })
      .optional()
      .describe(
        "Answer only from these parts of documents; all that are given hold together. A name that does not exist is an error that names the nearest.",
      ),
  })
  .describe("POST /v1/ask");
export type WireAskRequest = z.input<typeof askRequestSchema>;

const nullableScore = z.number().min(0).max(1).nullable();

export const citationSchema = z.object({
  n: z.int().describe("The number in the text: `[n]`."),
  url: z.string().nullable(),
  title: z.string(),
  quote: z.string().describe("Exact substring of the document's normalised text."),
  start: z.int().describe("Start of the quote in the normalised text, in the unit below."),
  end: z.int(),
  unit: z.literal("utf16"),
  original: z
    .object({
      path: z.string(),
      unit: z.literal("utf16"),
      start: z.int(),
      end: z.int(),
      sha256: z.string(),
      normaliser: z.string(),
    })
    .describe("Where the quote stands in the file that was read, with the hash of its bytes."),
  document_id: z.string(),
  document_version: z.string(),
  as_of: z.string().nullable(),
  heading_path: z.array(z.string()).describe("Headings under which the quote stands, outermost first."),
  page: z.int().nullable().optional().describe("Page on which the quote begins, from 1; `null`: the document has no pages."),
  context: z.string().describe("The passage around the quote."),
  quote_start: z.int().describe("Where the quote starts inside `context`."),
  also_in: z
    .array(
      z.object({
        document_id: z.string(),
        document_version: z.string(),
        title: z.string(),
        url: z.string().nullable(),
        as_of: z.string().nullable(),
      }),
    )
    .optional()
    .describe("Further documents whose passage says the same; absent when there are none."),
  row: z
    .object({
      cells: z.array(z.object({ name: z.string(), text: z.string() })).describe("For display; the quote itself is byte-exact."),
      header: z.string().describe("Exact substring of the document's normalised text, at the offsets below."),
      header_start: z.int(),
      header_end: z.int(),
      caption: z.string().optional().describe("The sentence above the table; absent when there is none."),
    })
    .optional()
    .describe("Of a table's row: its cells by the header of the table; absent otherwise."),
});
export type WireCitation = z.infer<typeof citationSchema>;

export const sentenceSchema = z.object({ text: z.string(), citations: z.array(z.int()) });

export const warningSchema = z.object({ code: z.string(), message: z.string() });

export const refusalSchema = z.object({
  reason: z.enum(["nothing_relevant", "evidence_too_weak", "not_reliable", "empty_corpus", "injection"]),
  message: z.string(),
  note: z.string().describe("How the refusal is to be read: it is no answer, neither yes nor no."),
  searched: z.object({
    documents: z.int(),
    chunks: z.int(),
    revision: z.int().describe("Of the index: raised by every change of a document in the domain."),
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
      title: z.string(),
      heading: z.string().nullable(),
      url: z.string().nullable(),
      document_id: z.string(),
      document_version: z.string(),
      original: z
        .object({ path: z.string(), unit: z.literal("utf16"), start: z.int(), end: z.int() })
        .describe("Where the passage stands in the file that was read."),
      missing: z.array(z.string()).describe("Words of the question that the passage does not hold; the document around it may."),
      missing_values: z
        .array(z.string())
        .describe('Kinds of value that are asked for and the passage does not show, such as "a length of time".'),
    }),
  ),
  contacts: z.array(z.object({ name: z.string(), contact: z.string() })),
});
export type WireRefusal = z.infer<typeof refusalSchema>;

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
    sentences: z.array(sentenceSchema),
    citations: z.array(citationSchema),
    see_also: z
      .object({ title: z.string(), heading: z.string().nullable(), url: z.string().nullable(), document_id: z.string() })
      .nullable()
      .describe("Where to read on: the best passage that the answer does not quote. Nothing in the answer rests on it."),
    claims: z.array(
      z.object({
        sentence: z.int(),
        text: z.string(),
        status: z.enum(["supported", "contradicted", "unsupported", "unchecked"]),
        citations: z.array(z.int()),
        reason: z.string(),
      }),
    ),
    evidence: z.array(
      z.object({
        sid: z.string(),
        url: z.string().nullable(),
        title: z.string(),
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
    conflicts: z.array(
      z.object({
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
            document_id: z.string(),
            document_version: z.string(),
            title: z.string(),
            url: z.string().nullable(),
            as_of: z.string().nullable(),
          }),
        ),
        resolved_by: z
          .object({
            rule: z.enum(["newer", "regulation", "agency", "summary"]),
            holds: z.string().describe("`sid` of the side that holds."),
          })
          .nullable()
          .describe("The rule of the domain pack that decides; `null`: the sources disagree."),
      }),
    ),
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
    checks: z.array(
      z.object({
        name: z.string(),
        verdict: z.enum(["pass", "repaired", "warn", "fail"]),
        score: z.number().nullable(),
        reason: z.string(),
        sentence: z.int().nullable(),
      }),
    ),
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
  })
  .describe("Response of POST /v1/ask, and the data of the `answer` event");
export type WireAnswer = z.infer<typeof askResponseSchema>;

export const refreshRequestSchema = z
  .strictObject({ domain: z.string().min(1).optional().describe("Body of knowledge; the server's default domain when absent.") })
  .describe("POST /v1/admin/refresh; the body may be absent");
export type RefreshRequest = z.output<typeof refreshRequestSchema>;

export const refreshResponseSchema = z
  .object({
    status: z.enum(["ok", "partly"]).describe("`partly`: a source or a file could not be read; what was known of the source stays."),
    domain: z.string(),
    sources: z
      .array(
        z.object({
          source: z.string(),
          tenant: z.string().nullable(),
          counts: z
            .object({
              total: z.int(),
              added: z.int(),
              changed: z.int(),
              unchanged: z.int(),
              deleted: z.int(),
              failed: z.int(),
            })
            .nullable()
            .describe("Files; `null` when the source could not be read."),
          failure: z.object({ code: z.string(), message: z.string() }).nullable(),
        }),
      )
      .describe("Every folder that was ingested, read again as it was then."),
    documents: z.int(),
    windows: z.int().describe("Indexed units."),
    revision: z.int(),
    cache_before: z.int().describe("Stored answers of the domain."),
    cache_after: z.int(),
    latency_ms: z.number(),
  })
  .describe("Response of POST /v1/admin/refresh");

export function refreshToWire({ sources, cache, ms, ...result }: RefreshResult): z.infer<typeof refreshResponseSchema> {
  return {
    ...result,
    sources: sources.map(({ counts, ...source }) => {
      if (counts === null) return { ...source, counts };
      const { done: _, ...files } = counts;
      return { ...source, counts: files };
    }),
    cache_before: cache.before,
    cache_after: cache.after,
    latency_ms: ms,
  };
}

/** What every failed request answers, and the data of the `error` event. */
export const errorResponseSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
    warnings: z
      .array(warningSchema)
      .optional()
      .describe("To be shown before the error: the hotlines that the message calls for; absent when there are none."),
  }),
});
export type WireError = z.infer<typeof errorResponseSchema>;

/** What `GET /healthz` reports. */
export interface WireHealth {
  readonly status: "ok" | "degraded";
  readonly domain: string;
  readonly documents: number;
  readonly chunks: number;
  readonly revision: number;
  readonly version: string;
  readonly encoder: string;
  readonly model: string;
  /** Name of the calibration in use; `null`: none. */
  readonly calibration: string | null;
  readonly warnings: readonly string[];
}

/** One Server-Sent Event: `event: NAME`, `data: JSON`. */
export type WireEvent =
  | { readonly event: "stage"; readonly data: { stage: string; phase: "start" | "end"; ms?: number; facts?: Record<string, unknown> } }
  | { readonly event: "notice"; readonly data: { stage: string; code: string; message: string } }
  | { readonly event: "warning"; readonly data: { code: string; message: string } }
  | { readonly event: "sentence"; readonly data: { index: number; text: string; citations: WireCitation[] } }
  | { readonly event: "answer"; readonly data: WireAnswer }
  | { readonly event: "error"; readonly data: WireError["error"] };

function citationToWire(citation: Citation): WireCitation {
  return {
    n: citation.n,
    url: httpUrl(citation.url),
    title: citation.title,
    quote: citation.quote,
    start: citation.start,
    end: citation.end,
    unit: "utf16",
    original: { ...citation.original },
    document_id: citation.documentId,
    document_version: citation.documentVersion,
    as_of: citation.asOf,
    heading_path: [...citation.headingPath],
    page: citation.page ?? null,
    context: citation.context,
    quote_start: citation.quoteStart,
    ...(citation.alsoIn === undefined ? {} : { also_in: citation.alsoIn.map(furtherSourceToWire) }),
    ...(citation.row === undefined ? {} : { row: rowToWire(citation.row) }),
  };
}

function rowToWire({ cells, header, caption }: CitedRow): WireCitation["row"] {
  return {
    cells: cells.map((cell) => ({ ...cell })),
    header: header.text,
    header_start: header.start,
    header_end: header.end,
    ...(caption === undefined ? {} : { caption: caption.text }),
  };
}

function seeAlsoToWire({ title, heading, url, documentId }: SeeAlso): WireAnswer["see_also"] {
  return { title, heading, url: httpUrl(url), document_id: documentId };
}

function furtherSourceToWire({ documentId, documentVersion, title, url, asOf }: FurtherSource) {
  return { document_id: documentId, document_version: documentVersion, title, url: httpUrl(url), as_of: asOf };
}

function evidenceToWire({ passage, relevance, consistency, agreement, score, verdict, reason }: Evidence): WireAnswer["evidence"][number] {
  const { sid, document, scores } = passage;
  const judged = { rel: relevance, consistency, agreement, cross: scores.cross, final: score, verdict, reason };
  return { sid, url: httpUrl(document.url), title: document.title, ...judged };
}

function conflictToWire(conflict: Conflict): WireAnswer["conflicts"][number] {
  const sides = conflict.sides.map(({ documentId, documentVersion, asOf, ...side }) => ({
    ...side,
    url: httpUrl(side.url),
    document_id: documentId,
    document_version: documentVersion,
    as_of: asOf,
  }));
  return { ...conflict, sides, resolved_by: conflict.resolvedBy };
}

function webToWire({ pages, ...said }: WebEvidence): NonNullable<WireAnswer["web"]>[number] {
  return { ...said, pages: pages.map(({ retrievedAt, ...page }) => ({ ...page, retrieved_at: retrievedAt })) };
}

function refusalToWire(refusal: Refusal): WireRefusal {
  return {
    reason: refusal.reason,
    message: refusal.message,
    note: refusal.note,
    searched: searchedToWire(refusal.searched),
    nearest: refusal.nearest.map(({ documentId, documentVersion, original, missing, missingValues, ...miss }) => ({
      ...miss,
      url: httpUrl(miss.url),
      document_id: documentId,
      document_version: documentVersion,
      original: { ...original },
      missing: [...missing],
      missing_values: [...missingValues],
    })),
    contacts: refusal.contacts.map((contact) => ({ ...contact })),
  };
}

function searchedToWire({ asOf, unreadable, unreadableCount, ...searched }: Searched): WireRefusal["searched"] {
  return { ...searched, as_of: { ...asOf }, unreadable: [...unreadable], unreadable_count: unreadableCount };
}

function filtersToWire({ document, chapter, section, pages, searchedIn }: AppliedFilters): NonNullable<WireAnswer["filters"]> {
  const page = pages === null ? null : pages.first === pages.last ? String(pages.first) : `${pages.first}-${pages.last}`;
  return { document, chapter, section, page, searched_in: searchedIn };
}

function callToWire({ stage, model, inputTokens, outputTokens, costUsd }: PricedCall): WireAnswer["calls"][number] {
  return { stage, model, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd };
}

function reportToWire({ overallPass, metrics }: GradeReport): NonNullable<WireAnswer["report"]> {
  return { overall_pass: overallPass, metrics: { ...metrics } };
}

/** An answer as it travels. */
export function answerToWire(answer: Answer): WireAnswer {
  return {
    id: answer.id,
    status: answer.status,
    question: answer.question,
    domain: answer.domain,
    profile: answer.profile,
    ...(answer.filters === undefined ? {} : { filters: filtersToWire(answer.filters) }),
    agg_conf: answer.confidence,
    agg_conf_calibrated: answer.confidenceCalibrated,
    answer_plain: renderAnswerPlain(answer),
    answer_html: renderAnswerHtml(answer),
    sentences: answer.sentences.map(({ text, citations }) => ({ text, citations: [...citations] })),
    citations: answer.citations.map(citationToWire),
    see_also: answer.seeAlso === undefined || answer.seeAlso === null ? null : seeAlsoToWire(answer.seeAlso),
    claims: answer.claims.map((claim) => ({ ...claim, citations: [...claim.citations] })),
    evidence: answer.evidence.map(evidenceToWire),
    conflicts: answer.conflicts.map(conflictToWire),
    ...(answer.web === undefined ? {} : { web: answer.web.map(webToWire) }),
    checks: answer.checks.map(({ name, verdict, score, reason, sentence }) => ({ name, verdict, score, reason, sentence })),
    warnings: answer.warnings.map((warning) => ({ ...warning })),
    refusal: answer.refusal === null ? null : refusalToWire(answer.refusal),
    cache_mode: answer.cacheMode,
    ...(answer.cached === undefined ? {} : { cached: { question: answer.cached.question, stored_at: answer.cached.storedAt } }),
    token_usage: { ...answer.tokenUsage },
    cost_usd: answer.costUsd,
    calls: answer.calls.map(callToWire),
    ...(answer.report === undefined ? {} : { report: reportToWire(answer.report) }),
    latency_ms: answer.latencyMs,
    timings_ms: { ...answer.timings },
    model: answer.model,
    session_id: answer.sessionId,
  };
}

/** An event as it travels. */
export function eventToWire(event: AnswerEvent): WireEvent {
  switch (event.type) {
    case "notice":
      return { event: "notice", data: { stage: event.stage, code: event.code, message: event.message } };
    case "warning":
      return { event: "warning", data: { ...event.warning } };
    case "sentence":
      return {
        event: "sentence",
        data: { index: event.index, text: event.sentence.text, citations: event.citations.map(citationToWire) },
      };
    case "answer":
      return { event: "answer", data: answerToWire(event.answer) };
    default: {
      const [stage, phase] = splitStage(event.type);
      if ("ms" in event) return { event: "stage", data: { stage, phase, ms: event.ms, facts: { ...event.facts } } };
      return { event: "stage", data: { stage, phase } };
    }
  }
}

function splitStage(type: `${string}-start` | `${string}-end`): [string, "start" | "end"] {
  const at = type.lastIndexOf("-");
  return [type.slice(0, at), type.endsWith("-start") ? "start" : "end"];
}
