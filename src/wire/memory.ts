import { z } from "zod";
import type { QueuedQuestion, ReviewHistory, ShownReview } from "../memory/review.ts";
import type { MadeStatistics } from "../memory/statistics.ts";
import { MAX_FEEDBACK_CHARACTERS } from "../shared/limits.ts";
import { undatedSource } from "../shared/types/document.ts";
import type { AuditRow } from "../store/audit.ts";
import type { ForgetTarget } from "../store/forget.ts";
import { optional, setting } from "../text/validate.ts";
import { askResponseSchema } from "./answer.ts";
import { answerToWire } from "./answer-to-wire.ts";
import { actor, askRequestSchema, dateOrTime, named, nextCursor, pageQuery, requestSchema, time } from "./ask.ts";
import { toWire } from "./to-wire.ts";

// Wire formats of sessions, feedback, review, statistics and deletion.

const { session_id, user_id } = askRequestSchema.shape;

export const feedbackRequestSchema = requestSchema("POST /v1/feedback", {
  id: z.string().min(1).max(100).describe("`id` of the answer."),
  verdict: z.enum(["up", "down"]),
  reason: optional(z.string().max(MAX_FEEDBACK_CHARACTERS), "Stored without personal data; with `ephemeral`, not stored."),
  session_id: session_id.describe("`session_id` of the answer; if given, it must match."),
  ...named,
});
export type WireFeedbackRequest = z.input<typeof feedbackRequestSchema>;

export const reviewActSchema = requestSchema("POST /v1/review/ID/approve and …/flag", { by: actor });

export const correctionSchema = requestSchema("POST /v1/review/ID/correct", {
  by: actor,
  answer: z.string().min(1).describe("Every sentence cites `[n]`: a citation of the answer, or a document in a final line `[n]: path`."),
});

export const forgetRequestSchema = requestSchema("DELETE /v1/admin/memory", {
  by: actor,
  session_id,
  user_id,
  question: optional(z.string().min(1), "Every occurrence of the question, ignoring case, spaces and final punctuation."),
  before: dateOrTime.describe("Everything stored before this time."),
  all: z.literal(true).optional(),
  dry_run: setting(z.boolean(), false, "Only count what would be deleted."),
}).refine(({ by: _by, dry_run: _dry, ...targets }) => Object.values(targets).filter((one) => one !== undefined).length === 1, {
  error: "name exactly one of session_id, user_id, question, before and all",
});

export const sessionQuerySchema = z.strictObject({ ...named, user_id });

const reviewStatus = z.enum(["unreviewed", "approved", "flagged"]);

export const queueQuerySchema = z.strictObject({
  domain: named.domain,
  limit: pageQuery.limit,
  status: reviewStatus.optional(),
  cursor: pageQuery.cursor,
});

export const historyQuerySchema = z.strictObject({
  id: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(10_000).optional(),
  cursor: pageQuery.cursor,
});

export const statisticsQuerySchema = z.strictObject({ domain: named.domain, since: dateOrTime });

const counts = z.record(z.string(), z.int());

const sessionCitation = z.object({
  n: z.int(),
  ...undatedSource,
  quote: z.string(),
  start: z.int(),
  end: z.int(),
  current: z.boolean().describe("`false`: the document has changed since."),
});

const messageSchema = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.string(), at: time }),
  z.object({
    role: z.literal("assistant"),
    content: z.string().nullable().describe("`null`: withheld, because a cited document was deleted or is no longer accessible."),
    at: time,
    answer_id: z.string().nullable(),
    citations: z.array(sessionCitation),
  }),
]);
export type WireMessage = z.infer<typeof messageSchema>;

export const sessionSchema = z.object({ session_id: z.string(), messages: z.array(messageSchema) });

const audit = z.object({
  seq: z.int(),
  at: time,
  by: z.string(),
  action: z.string(),
  subject: z.string(),
  details: z.unknown().describe("Counts and names; no text of questions or answers."),
  previous: z.string(),
  hash: z.string().describe("Hash of the row and of `previous`, the hash of the previous row."),
});

const queueItemSchema = z.object({
  id: z.string(),
  question: z.string(),
  within: z.string().nullable().describe("Filters or selection of the question, in words; `null`: none, or no longer known."),
  tenant: z.string().nullable(),
  profile: z.string(),
  status: z.string(),
  review_status: reviewStatus,
  confidence: z.number().nullable(),
  asked: z.int().describe("How often the question was asked."),
  waiting: z.int().describe("Number of interactions with this question that wait for review."),
  risk: z.number(),
  score: z.number().describe("How urgent a review is; the queue is sorted by it, highest first."),
  why: z.array(z.string()),
  thumbs: z.enum(["up", "down"]).nullable(),
  demoted: z.boolean(),
  reported: z.boolean(),
  created_at: time,
});
/** An item of `GET /v1/review`. */
export type WireQueueItem = z.infer<typeof queueItemSchema>;
export const queueSchema = z.object({ items: z.array(queueItemSchema), next_cursor: nextCursor });

const historyFields = z.object({
  chain: z.object({
    intact: z.boolean(),
    broken_at: z.int().nullable(),
    rows: z.int(),
    head: z.string().describe("Hash of the last row."),
  }),
  rows: z.array(audit),
});
/** `GET /v1/review/history` */
export type WireHistory = z.infer<typeof historyFields>;
export const historySchema = historyFields.extend({ next_cursor: nextCursor });

const reviewFields = z.object({
  id: z.string(),
  domain: z.string(),
  tenant: z.string().nullable(),
  access: z.array(z.string()),
  profile: z.string(),
  question: z.string().describe("Redacted; empty if no text is kept."),
  within: z.string().nullable().describe("Filters or selection of the question, in words; `null`: none, or no longer known."),
  status: z.string(),
  reason: z.string().nullable(),
  privacy: z.enum(["redacted", "ephemeral"]),
  confidence: z.number().nullable(),
  cache_mode: z.string(),
  review_status: reviewStatus,
  reviewed_by: z.string().nullable(),
  reviewed_at: time.nullable(),
  demoted_at: time.nullable().describe("Time when a source of the approved answer changed."),
  created_at: time,
  asked: z.int(),
  feedback: z.object({ verdict: z.enum(["up", "down"]), reason: z.string().nullable(), at: time }).nullable(),
  report: z.string().nullable().describe("Id of its diagnostic report; `null`: none."),
  withheld: z
    .boolean()
    .describe(
      "True if answer and correction are withheld, because they depend on a document that was deleted or is not accessible to the key.",
    ),
  history: z.array(audit),
});
export const reviewSchema = reviewFields.extend({
  answer: askResponseSchema.nullable().describe("`null`: its text was not kept, or it is withheld."),
  curated: z.object({ answer: askResponseSchema, status: z.enum(["served", "demoted"]), by: z.string(), at: time }).nullable(),
});
/** `GET /v1/review/ID` */
export type WireReview = z.infer<typeof reviewSchema>;

const daySchema = z.object({
  day: z.string().describe("UTC, YYYY-MM-DD."),
  interactions: z.int(),
  refused: z.int(),
  failed: z.int(),
  hits: z.int(),
  usd: z.number(),
  tokens: z.number(),
  p50_ms: z.number().nullable().describe("`null`: no duration is known for this day."),
  p95_ms: z.number().nullable(),
});
const cost = z.object({ tokens: z.number(), usd: z.number(), uncounted: z.int() });
export const statisticsSchema = z.object({
  interactions: z.int(),
  statuses: counts,
  refusals: counts,
  levels: counts.describe("By cache level: `miss`, `exact`, `semantic`, `graph`, `curated`."),
  hit_rate: z.number().nullable(),
  spent: cost,
  saved: cost.describe("Original cost of the answers served from the cache."),
  topics: z.array(z.object({ topic: z.string(), count: z.int() })),
  confidence: z.object({ counts: z.array(z.int()), none: z.int(), median: z.number().nullable() }),
  latency_ms: z.object({ p50: z.number().nullable(), p95: z.number().nullable(), max: z.number().nullable() }),
  reviews: counts,
  feedback: z.object({ up: z.int(), down: z.int() }),
  ephemeral: z.int(),
  days: z.array(daySchema).describe("Oldest first."),
  judged: z.array(z.object({ right: z.int(), wrong: z.int() })).describe("Answers that a person judged, in ten ranges of confidence."),
});
/** `GET /v1/admin/stats` */
export type WireStatistics = z.infer<typeof statisticsSchema>;
/** `GET /v1/admin/stats/made` */
export type WireMadeStatistics = MadeStatistics;

export const forgottenSchema = z.object({
  interactions: z.int(),
  cache: z.int(),
  sessions: z.int(),
  turns: z.int(),
  feedback: z.int(),
  reports: z.int(),
  curated: z.int(),
  embeddings: z.int(),
  scrubbed: z.boolean().nullable().describe("True if the database files contain no deleted data any more; `null`: nothing was deleted."),
  left: z.string().nullable().describe("Where deleted data may remain, and what to do; `null`: nowhere."),
});

export function queueItemToWire(item: QueuedQuestion): WireQueueItem {
  return toWire(queueItemSchema, { ...item, tenant: item.tenant === "" ? null : item.tenant });
}

export function reviewToWire(shown: ShownReview): WireReview {
  const { answer, curated, history } = shown;
  return {
    ...toWire(reviewFields, { ...shown, history: history.map(travelling) }),
    answer: answer === null ? null : answerToWire(answer),
    curated: curated === null ? null : { ...curated, answer: answerToWire(curated.answer) },
  };
}

export function historyToWire({ rows, chain }: ReviewHistory): WireHistory {
  return toWire(historyFields, { chain, rows: rows.map(travelling) });
}

function travelling({ actor: by, ...row }: AuditRow) {
  return { ...row, by };
}

/** Returns what a request or command asks to delete. */
export function forgetTargetOf({ session_id, user_id, question, before }: Partial<z.output<typeof forgetRequestSchema>>): ForgetTarget {
  if (session_id !== undefined) return { type: "session", id: session_id };
  if (user_id !== undefined) return { type: "user", id: user_id };
  if (question !== undefined) return { type: "question", question };
  if (before !== undefined) return { type: "before", time: isoOf(before) };
  return { type: "all" };
}

/** Converts a date or time to ISO, the format of the store. */
export function isoOf(time: string): string {
  return new Date(time).toISOString();
}
