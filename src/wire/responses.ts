import { z } from "zod";
import { ROLES } from "../store/keys.ts";
import { askResponseSchema, refusalSchema } from "./answer.ts";
import { nextCursor } from "./service.ts";

/** What routes answer beside answers, as OpenAPI describes it; a test holds what they send against it. */

const time = z.string().describe("ISO 8601, UTC.");
const counts = z.record(z.string(), z.int());
const reviewStatus = z.enum(["unreviewed", "approved", "flagged"]);
const privacy = z.enum(["redacted", "ephemeral"]);

const sessionCitation = z.object({
  n: z.int(),
  title: z.string(),
  url: z.string().nullable(),
  quote: z.string(),
  start: z.int(),
  end: z.int(),
  document_id: z.string(),
  document_version: z.string(),
  current: z.boolean().describe("`false`: the document has another version now."),
});

export const sessionSchema = z.object({
  session_id: z.string(),
  messages: z.array(
    z.discriminatedUnion("role", [
      z.object({ role: z.literal("user"), content: z.string(), at: time }),
      z.object({
        role: z.literal("assistant"),
        content: z.string().nullable().describe("`null`: withheld, because a cited document is gone or may not be seen any more."),
        at: time,
        answer_id: z.string().nullable(),
        citations: z.array(sessionCitation),
      }),
    ]),
  ),
});

export const domainsSchema = z.object({
  domains: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      description: z.string().describe("What the documents are about, in a sentence."),
      examples: z
        .array(z.string())
        .describe("Questions to try: of its pack, or, where that names none, made of headings of its documents."),
      documents: z.int(),
      golden: z.boolean().describe("Its pack brings a golden set."),
      default: z.boolean().describe("It is meant where a request names none."),
      profile: z.string().describe("The one that is meant where a request names none."),
      tenants: z.array(z.object({ name: z.string(), title: z.string() })),
    }),
  ),
  profiles: z.array(z.object({ name: z.string(), title: z.string() })),
});
export type WireDomains = z.infer<typeof domainsSchema>;
export type WireDomain = WireDomains["domains"][number];

const uploadLimitsSchema = z.object({
  files: z.int().describe("Most files of one upload."),
  bytes: z.int().describe("Of all its files together."),
  file_bytes: z.int().describe("Of one file."),
});
export type WireUploadLimits = z.infer<typeof uploadLimitsSchema>;

export const callerSchema = z.object({
  key_id: z.string().nullable().describe("`null`: without a key, or with the administration token."),
  roles: z.array(z.enum(ROLES)),
  uploads: uploadLimitsSchema.optional().describe("What it may send at once; absent: it takes no files in."),
});
export type WireCaller = z.infer<typeof callerSchema>;

const audit = z.object({
  seq: z.int(),
  at: time,
  by: z.string(),
  action: z.string(),
  subject: z.string(),
  details: z.unknown().describe("Counts and names; no words of questions or answers."),
  previous: z.string(),
  hash: z.string().describe("Covers the row and `previous`, the hash of the row before."),
});

export const queueSchema = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      question: z.string(),
      within: z
        .string()
        .nullable()
        .describe("What the question was limited to, in words; `null`: to nothing, or it is not known any more."),
      tenant: z.string().nullable(),
      profile: z.string(),
      status: z.string(),
      review_status: reviewStatus,
      confidence: z.number().nullable(),
      asked: z.int().describe("How often it was asked."),
      waiting: z.int().describe("Interactions with this question that wait for review."),
      risk: z.number(),
      score: z.number().describe("By which the queue is ordered."),
      why: z.array(z.string()),
      thumbs: z.enum(["up", "down"]).nullable(),
      demoted: z.boolean(),
      reported: z.boolean(),
      created_at: time,
    }),
  ),
  next_cursor: nextCursor,
});

export const historySchema = z.object({
  chain: z.object({
    intact: z.boolean(),
    broken_at: z.int().nullable(),
    rows: z.int(),
    head: z.string().describe("Hash of the last row."),
  }),
  rows: z.array(audit),
  next_cursor: nextCursor,
});

export const reviewSchema = z.object({
  id: z.string(),
  domain: z.string(),
  tenant: z.string().nullable(),
  access: z.array(z.string()),
  profile: z.string(),
  question: z.string().describe("Redacted; empty where no text is kept."),
  within: z.string().nullable().describe("What the question was limited to, in words; `null`: to nothing, or it is not known any more."),
  status: z.string(),
  reason: z.string().nullable(),
  privacy,
  confidence: z.number().nullable(),
  cache_mode: z.string(),
  review_status: reviewStatus,
  reviewed_by: z.string().nullable(),
  reviewed_at: time.nullable(),
  demoted_at: time.nullable().describe("When a source of the approved answer changed."),
  created_at: time,
  asked: z.int(),
  feedback: z.object({ verdict: z.enum(["up", "down"]), reason: z.string().nullable(), at: time }).nullable(),
  report: z.string().nullable().describe("Id of its diagnostic report; `null`: it has none."),
  answer: askResponseSchema.nullable().describe("`null`: its text was not kept, or it is withheld."),
  withheld: z
    .boolean()
    .describe("Answer and correction that rest on a document which is gone or not open to the key are left out; administrators get them."),
  curated: z.object({ answer: askResponseSchema, status: z.enum(["served", "demoted"]), by: z.string(), at: time }).nullable(),
  history: z.array(audit),
});

const cost = z.object({ tokens: z.number(), usd: z.number(), uncounted: z.int() });
export const statisticsSchema = z.object({
  interactions: z.int(),
  statuses: counts,
  refusals: counts,
  levels: counts.describe("By level of the memory that served: `miss`, `exact`, `semantic`, `graph`, `curated`."),
  hit_rate: z.number().nullable(),
  spent: cost,
  saved: cost.describe("What hits had cost when their answers were made."),
  topics: z.array(z.object({ topic: z.string(), count: z.int() })),
  confidence: z.object({ counts: z.array(z.int()), none: z.int(), median: z.number().nullable() }),
  latency_ms: z.object({ p50: z.number().nullable(), p95: z.number().nullable(), max: z.number().nullable() }),
  reviews: counts,
  feedback: z.object({ up: z.int(), down: z.int() }),
  ephemeral: z.int(),
  days: z
    .array(
      z.object({
        day: z.string().describe("UTC, YYYY-MM-DD."),
        interactions: z.int(),
        refused: z.int(),
        failed: z.int(),
        hits: z.int(),
        usd: z.number(),
        tokens: z.number(),
        p50_ms: z.number().nullable().describe("`null`: no time of that day is known."),
        p95_ms: z.number().nullable(),
      }),
    )
    .describe("Oldest first."),
  judged: z.array(z.object({ right: z.int(), wrong: z.int() })).describe("Answers that a person judged, by tenths of their confidence."),
});

export const forgottenSchema = z.object({
  interactions: z.int(),
  cache: z.int(),
  sessions: z.int(),
  turns: z.int(),
  feedback: z.int(),
  reports: z.int(),
  curated: z.int(),
  embeddings: z.int(),
  scrubbed: z.boolean().nullable().describe("Do the files hold nothing of it any more? `null`: nothing was deleted."),
  left: z.string().nullable().describe("What may still hold it, and what to do about it; `null`: nothing."),
});

export const healthSchema = z.object({
  status: z.enum(["ok", "degraded"]),
  domain: z.string(),
  title: z.string().describe("Of the domain pack; nothing that stands in documents is said here."),
  examples: z.array(z.string()).describe("Questions to try, of the domain pack."),
  documents: z.int(),
  chunks: z.int(),
  revision: z.int(),
  version: z.string(),
  encoder: z.string(),
  model: z.string(),
  calibration: z.string().nullable().describe("Name of the calibration in use; `null`: none."),
  warnings: z.array(z.string()),
});
export type WireHealth = z.infer<typeof healthSchema>;

const scores = z.object({
  dense: z.number().nullable(),
  bm25: z.number().nullable(),
  fused: z.number(),
  cross: z.number().nullable(),
  rerank: z.number().nullable(),
});
const recommendation = z.object({ kind: z.string(), subject: z.string(), text: z.string(), basis: z.enum(["counted", "heuristic"]) });
const diagnosis = z.object({
  causes: z.array(z.enum(["refused", "low_confidence", "checks"])),
  confidence: z.number().nullable(),
  headroom: z.number().nullable(),
  report_below: z.number().nullable(),
  refusal: refusalSchema.shape.reason.nullable(),
  query: z.object({
    type: z.string(),
    words: z.int(),
    terms: z.array(z.string()),
    codes: z.array(z.string()),
    values: z.array(z.string()),
    expects: z.array(z.array(z.string())),
    repaired: z.array(z.object({ written: z.string(), read: z.string() })),
    expanded: z.array(z.string()),
    topics: z.array(z.string()),
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
      scores,
      score: z.number(),
      verdict: z.enum(["verified", "uncertain", "rejected"]),
      reason: z.string(),
      topics: z.array(z.string()),
      lacks: z.array(z.string()),
      preview: z.string().nullable().optional().describe("The beginning of its text; `null`: the document has changed or is gone."),
    }),
  ),
  gaps: z.object({
    missing: z.array(z.object({ text: z.string(), kind: z.enum(["word", "code", "value"]), in_documents: z.boolean() })),
    kinds: z.array(z.array(z.string())),
    topics: z.array(z.object({ topic: z.string(), in_documents: z.boolean() })),
    unreadable: z.object({ paths: z.array(z.string()), total: z.int() }),
    conflicts: z.array(
      z.object({
        about: z.string(),
        kind: z.string(),
        values: z.array(z.string()),
        titles: z.array(z.string()),
        resolved_by: z.string().nullable(),
      }),
    ),
  }),
  checks: z.array(z.object({ check: z.string(), warned: z.int(), left_out: z.int(), reasons: z.array(z.string()) })),
  recommendations: z.array(recommendation),
});

export const reportSchema = z.object({
  id: z.string(),
  interaction_id: z.string(),
  domain: z.string(),
  tenant: z.string().nullable(),
  profile: z.string(),
  topic: z.string().nullable(),
  created_at: time,
  question: z.string().describe("Redacted; empty where no text is kept."),
  report: diagnosis,
});

export const reportsResponseSchema = z.object({
  total: z.int(),
  topics: z
    .array(
      z.object({
        topic: z.string().nullable(),
        name: z.string().nullable(),
        reports: z.int(),
        refused: z.int(),
        mean_confidence: z.number().nullable(),
        missing: z.array(z.object({ text: z.string(), reports: z.int() })),
        recommendations: z.array(recommendation.extend({ reports: z.int() })),
        newest: time,
      }),
    )
    .describe("Reports by topic, the largest group first."),
  items: z.array(reportSchema).describe("Newest first."),
  next_cursor: nextCursor,
});

const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const notice = z.object({ code: z.string(), message: z.string(), pages: z.array(z.int()).optional() });

export const documentSchema = z.object({
  id: z.string(),
  version: z.string(),
  domain: z.string(),
  tenant: z.string().nullable(),
  title: z.string(),
  description: z.string().nullable(),
  url: z.string().nullable(),
  as_of: z.string().nullable(),
  path: z.string(),
  format: z.string().nullable(),
  sha256: z.string(),
  text: z.string().describe("Normalised; every offset counts its UTF-16 code units."),
  blocks: z
    .array(z.tuple([z.int(), z.int(), z.enum(["heading", "paragraph", "list-item", "table-row", "quote", "code"]), z.int(), z.int()]))
    .describe("`[start, end, type, level, header]`"),
  outline: z.array(z.object({ start: z.int(), level: z.int(), text: z.string() })),
  pages: z.array(z.int()).nullable().describe("Where each page begins, page 1 first; `null`: the document has none."),
  places: z
    .array(z.object({ page: z.int(), width: z.number().optional(), height: z.number().optional(), boxes: z.array(box).optional() }))
    .optional()
    .describe("Where the words asked for as `start` and `end` stand on the pages of the original."),
  notices: z.array(notice),
});
export type WireDocument = z.infer<typeof documentSchema>;
