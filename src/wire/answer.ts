import { z } from "zod";
import {
  cachedSchema,
  callSchema,
  citationSchema,
  claimSchema,
  findingSchema,
  gradeReportSchema,
  refusalSchema,
  seeAlsoSchema,
  tokenUsageSchema,
  warningSchema,
} from "../shared/types/answer.ts";
import { undatedSource } from "../shared/types/document.ts";
import { conflictSchema, webEvidenceSchema } from "../shared/types/evidence.ts";
import { optional } from "../text/validate.ts";

const nullableScore = z.number().min(0).max(1).nullable();

export type WireCitation = z.infer<typeof citationSchema>;

export type WireWarning = z.infer<typeof warningSchema>;

export type WireRefusal = z.infer<typeof refusalSchema>;

const appliedFilters = z.object({
  document: z.string().or(z.array(z.string())).nullable(),
  chapter: z.string().nullable(),
  section: z.string().nullable(),
  page: z.string().nullable(),
  searched_in: z.string().describe('What the filters matched, such as `chapter "Cetology" of "Moby-Dick"`.'),
});

const answerSpan = z.object({ sentence: z.int().describe("Index in `sentences`, from 0."), start: z.int(), end: z.int() });
const evidenceSchema = z.object({
  sid: z.string(),
  ...undatedSource,
  heading_path: z.array(z.string()),
  start: z.int().describe("Place of the passage in the document's normalised text, in UTF-16 code units."),
  end: z.int(),
  window: z.object({ start: z.int(), end: z.int() }).describe("Part of the passage that best matches the question."),
  rel: nullableScore,
  consistency: nullableScore.describe("How self-contained, dated and free of contradictions the passage is; `null`: not scored."),
  agreement: nullableScore.describe(
    "Share of the other passages on the same subject that agree with this one; `null`: no such passage, or not scored.",
  ),
  cross: nullableScore,
  final: z.number(),
  verdict: z.enum(["verified", "uncertain", "rejected"]),
  reason: z.string(),
});

/** How a sentence is displayed. These fields do not change its exact `text`. */
export const displaySchema = {
  label: optional(z.string(), "Heading or caption that the sentence stands under; absent: none, or the same as for the previous sentence."),
  asked_cell: optional(z.int(), "Index of the cell that answers, in `row.cells` of the citation; absent: not known exactly."),
};

export const askResponseSchema = z
  .object({
    id: z.string(),
    status: z.enum(["ok", "insufficient_context", "error"]),
    question: z.string(),
    domain: z.string(),
    profile: z.string(),
    filters: optional(appliedFilters, "Filters that were applied; absent without filters."),
    agg_conf: nullableScore.describe("Confidence from 0 to 1 that decided whether to answer; `null` if nothing was found."),
    agg_conf_calibrated: z
      .boolean()
      .describe("True if the threshold was chosen on labelled questions of this domain (`sourcebound calibrate`)."),
    answer_plain: z.string(),
    answer_html: z.string().describe("Rendered by the server from the checked sentences; safe to insert."),
    sentences: z.array(z.object({ text: z.string(), citations: z.array(z.int()), ...displaySchema })),
    answer_spans: optional(
      z.array(answerSpan),
      "If the question asks for a single value: where that value stands in the answer; otherwise empty.",
    ),
    citations: z.array(citationSchema),
    see_also: seeAlsoSchema.nullable().describe("Best passage of another document for the question. The answer does not depend on it."),
    claims: z.array(claimSchema),
    evidence: z.array(evidenceSchema),
    conflicts: z.array(conflictSchema),
    web: optional(z.array(webEvidenceSchema), "Web results for uncertain passages; they are never sources. Absent: no web search."),
    checks: z.array(findingSchema.extend({ sentence: z.int().nullable() })),
    warnings: z.array(warningSchema),
    refusal: refusalSchema.nullable(),
    cache_mode: z.enum(["miss", "exact", "semantic", "graph", "curated"]),
    cached: optional(cachedSchema, "Origin of a cached answer, which was checked again on the current documents. Absent on a miss."),
    token_usage: tokenUsageSchema.describe("Model tokens by stage; `null` if an endpoint did not report them."),
    cost_usd: z.number().nullable().describe("US dollars at list prices; 0: no endpoint was called; `null`: tokens or price are unknown."),
    calls: z
      .array(callSchema)
      .describe("Endpoint calls in order, including failed ones. `rewrite`: a second draft, only in answers of earlier versions."),
    report: optional(gradeReportSchema, "Only for profiles that compute the metrics (`validator`)."),
    latency_ms: z.number(),
    timings_ms: z
      .record(z.string(), z.number())
      .describe("Duration by stage; `first_sentence`: from the question to the first checked sentence."),
    model: z
      .string()
      .describe(
        "Who made the sentences: the name of the model that wrote, `extractive` for quotes, `reviewer`, or `none` if nothing was written.",
      ),
    session_id: z.string().nullable(),
    proof: optional(
      z.record(z.string(), z.unknown()).nullable(),
      "Proof of the answer, present only if requested; verify it offline with `prove verify`. `null`: no proof could be made; a warning gives the reason.",
    ),
  })
  .describe("Response of POST /v1/ask, and the data of the `answer` event");

export type WireAnswer = z.infer<typeof askResponseSchema>;
