import { z } from "zod";
import { MAX_FEEDBACK_CHARACTERS } from "../remember/memory.ts";
import type { QueuedQuestion, ReviewHistory, ShownReview } from "../remember/review.ts";
import type { SessionMessage } from "../remember/session-messages.ts";
import type { MadeStatistics, Statistics } from "../remember/statistics.ts";
import type { AuditRow } from "../store/audit.ts";
import type { ForgetTarget } from "../store/forget.ts";
import { answerToWire, askRequestSchema } from "./index.ts";

/** What is remembered, as it travels: snake_case, like `wire.ts`. */

const { domain, tenant, session_id, user_id } = askRequestSchema.shape;

export const feedbackRequestSchema = z
  .strictObject({
    id: z.string().min(1).max(100).describe("`id` of the answer."),
    verdict: z.enum(["up", "down"]),
    reason: z
      .string()
      .max(MAX_FEEDBACK_CHARACTERS)
      .optional()
      .describe("Stored without personal data; where privacy is ephemeral, not at all."),
    session_id: session_id.describe("`session_id` of the answer; where it is given, it must fit."),
    domain,
    tenant,
  })
  .describe("POST /v1/feedback");
export type WireFeedbackRequest = z.input<typeof feedbackRequestSchema>;

const actor = z.string().min(1).max(100).describe("Who acts; the audit log keeps it.");

export const reviewActSchema = z.strictObject({ by: actor }).describe("POST /v1/review/ID/approve and …/flag");

export const correctionSchema = z
  .strictObject({
    by: actor,
    answer: z
      .string()
      .min(1)
      .describe(
        "Sentences that each cite `[n]`: the n-th citation's document of the answer that is corrected, or what a line `[n]: path` at the end names.",
      ),
  })
  .describe("POST /v1/review/ID/correct");

export const forgetRequestSchema = z
  .strictObject({
    by: actor,
    session_id,
    user_id,
    question: z
      .string()
      .min(1)
      .optional()
      .describe("Every time it was asked, in any spelling that differs in case, spaces and closing signs alone."),
    before: z.iso.datetime({ offset: true }).or(z.iso.date()).optional().describe("Everything that was stored before this time."),
    all: z.literal(true).optional(),
    dry_run: z.boolean().default(false).describe("Only counts what would go."),
  })
  .refine(
    ({ session_id, user_id, question, before, all }) =>
      [session_id, user_id, question, before, all].filter((one) => one !== undefined).length === 1,
    {
      error: "name exactly one of session_id, user_id, question, before and all",
    },
  )
  .describe("DELETE /v1/admin/memory");
export type ParsedForgetRequest = z.output<typeof forgetRequestSchema>;

export const sessionQuerySchema = z.strictObject({ domain, tenant, user_id });

export const queueQuerySchema = z.strictObject({
  domain,
  limit: z.coerce.number().int().min(1).max(500).optional(),
  status: z.enum(["unreviewed", "approved", "flagged"]).optional(),
});

export const historyQuerySchema = z.strictObject({
  id: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(10_000).optional(),
});

export const statisticsQuerySchema = z.strictObject({
  domain,
  since: z.iso.datetime({ offset: true }).or(z.iso.date()).optional(),
});

/** A message of `GET /v1/sessions/ID`. */
export interface WireMessage {
  readonly role: "user" | "assistant";
  /** `null`: withheld, because a cited document is gone or may not be seen any more. */
  readonly content: string | null;
  readonly at: string;
  readonly answer_id?: string | null;
  readonly citations?: readonly {
    readonly n: number;
    readonly title: string;
    readonly url: string | null;
    readonly quote: string;
    readonly start: number;
    readonly end: number;
    readonly document_id: string;
    readonly document_version: string;
    readonly current: boolean;
  }[];
}

export function messageToWire(message: SessionMessage): WireMessage {
  if (message.role === "user") return { ...message };
  const { role, content, at, answerId, citations } = message;
  return {
    role,
    content,
    at,
    answer_id: answerId,
    citations: citations.map(({ documentId, documentVersion, ...rest }) => ({
      ...rest,
      document_id: documentId,
      document_version: documentVersion,
    })),
  };
}

export function queueItemToWire(item: QueuedQuestion) {
  const {
    id,
    question,
    within,
    profile,
    status,
    reviewStatus,
    confidence,
    asked,
    waiting,
    risk,
    score,
    why,
    thumbs,
    demoted,
    reported,
    createdAt,
  } = item;
  return {
    id,
    question,
    within,
    tenant: item.tenant === "" ? null : item.tenant,
    profile,
    status,
    review_status: reviewStatus,
    confidence,
    asked,
    waiting,
    risk,
    score,
    why: [...why],
    thumbs,
    demoted,
    reported,
    created_at: createdAt,
  };
}

export function reviewToWire(shown: ShownReview) {
  const { id, domain, tenant, profile, question, within, status, reason, privacy, confidence, asked, feedback, answer, curated, report } =
    shown;
  return {
    id,
    domain,
    tenant,
    access: [...shown.access],
    profile,
    question,
    within,
    status,
    reason,
    privacy,
    confidence,
    cache_mode: shown.cacheMode,
    review_status: shown.reviewStatus,
    reviewed_by: shown.reviewedBy,
    reviewed_at: shown.reviewedAt,
    demoted_at: shown.demotedAt,
    created_at: shown.createdAt,
    asked,
    feedback,
    report,
    answer: answer === null ? null : answerToWire(answer),
    withheld: shown.withheld,
    curated: curated === null ? null : { ...curated, answer: answerToWire(curated.answer) },
    history: shown.history.map(auditToWire),
  };
}

function auditToWire({ seq, at, actor: by, action, subject, details, previous, hash }: AuditRow) {
  return { seq, at, by, action, subject, details, previous, hash };
}

export function historyToWire({ rows, chain }: ReviewHistory) {
  const { intact, brokenAt, rows: count, head } = chain;
  return { chain: { intact, broken_at: brokenAt, rows: count, head }, rows: rows.map(auditToWire) };
}

export function statisticsToWire(statistics: Statistics) {
  const { hitRate, latencyMs, days, ...rest } = statistics;
  const dayToWire = ({ p50Ms, p95Ms, ...day }: Statistics["days"][number]) => ({ ...day, p50_ms: p50Ms, p95_ms: p95Ms });
  return { ...rest, hit_rate: hitRate, latency_ms: latencyMs, days: days.map(dayToWire) };
}

/** `GET /v1/admin/stats/made` */
export type WireMadeStatistics = MadeStatistics;

/** What a request, or a command line, wants forgotten. */
export function forgetTargetOf({ session_id, user_id, question, before }: Partial<Omit<ParsedForgetRequest, "by">>): ForgetTarget {
  if (session_id !== undefined) return { type: "session", id: session_id };
  if (user_id !== undefined) return { type: "user", id: user_id };
  if (question !== undefined) return { type: "question", question };
  if (before !== undefined) return { type: "before", time: isoOf(before) };
  return { type: "all" };
}

/** A date or a time as the store compares it. */
export function isoOf(time: string): string {
  return new Date(time).toISOString();
}

/** An item of `GET /v1/admin/review`. */
export type WireQueueItem = ReturnType<typeof queueItemToWire>;
/** `GET /v1/admin/review/ID` */
export type WireReview = ReturnType<typeof reviewToWire>;
/** `GET /v1/admin/review/history` */
export type WireHistory = ReturnType<typeof historyToWire>;
/** `GET /v1/admin/stats` */
export type WireStatistics = ReturnType<typeof statisticsToWire>;
