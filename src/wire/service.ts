import { z } from "zod";
import type { VerifiedAnswer } from "../answer/verify-answer.ts";
import type { LibraryFile, SearchResult } from "../engine/engine-types.ts";
import type { KeyRecord } from "../store/keys.ts";
import { ROLES } from "../store/keys.ts";
import { httpUrl } from "../text/http-url.ts";
import { toSnakeCase } from "../text/snake-case.ts";
import type { Answer } from "../types.ts";
import { askResponseSchema, warningSchema } from "./answer.ts";
import { answerToWire, warningToWire } from "./answer-to-wire.ts";
import { askRequestSchema } from "./ask.ts";

/** What the service gives beside answers, as it travels: snake_case. */

const { domain, tenant, profile, filters } = askRequestSchema.shape;
const named = { domain, tenant };
/** Most items of one page of a list. */
export const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;

/** `limit` and `cursor` of every list. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE).describe("Items of a page."),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,40}$/, "is no cursor that this server gave")
    .optional()
    .describe("`next_cursor` of the page before."),
};
export const nextCursor = z.string().nullable().describe("To be sent as `cursor` for the page that follows; `null`: this was the last.");

export const scopeQuerySchema = z.strictObject(named);
export const listQuerySchema = z.strictObject({ ...named, ...pageQuery });

export const searchRequestSchema = z
  .strictObject({
    query: z.string().describe("A question or words, within the limits of a question."),
    limit: z.int().min(1).max(50).default(10).describe("Passages that are given."),
    ...named,
    profile,
    filters,
    reading: z.boolean().default(false).describe("Has the reader read every passage too (`scores.reading`); the order stays."),
  })
  .describe("POST /v1/search");

export const searchResponseSchema = z.object({
  passages: z.array(
    z.object({
      sid: z.string(),
      document_id: z.string(),
      document_version: z.string(),
      title: z.string(),
      url: z.string().nullable(),
      as_of: z.string().nullable(),
      heading_path: z.array(z.string()),
      page: z.int().nullable().describe("On which the passage begins, from 1; `null`: the document has no pages."),
      text: z.string().describe("Exact substring of the document's normalised text."),
      start: z.int(),
      end: z.int(),
      unit: z.literal("utf16"),
      scores: z
        .object({
          dense: z.number().nullable(),
          bm25: z.number().nullable(),
          fused: z.number(),
          cross: z.number().nullable(),
          rerank: z.number().nullable(),
          reading: z.number().nullable().describe("By the reader: log odds that the best piece of it answers the question."),
        })
        .describe("Raw scores; `null` where the scorer did not run."),
    }),
  ),
  encoder: z.string().nullable().describe("What ranked by vectors; `null`: words alone ranked."),
  reader: z.string().nullable().describe("What read the passages; `null`: not asked for, or there is none, which a warning says."),
  warnings: z.array(warningSchema),
});

export function searchToWire({ passages, encoder, reader, warnings }: SearchResult): z.input<typeof searchResponseSchema> {
  return {
    passages: passages.map(({ sid, document, headingPath, range, text, units, scores, reading }) => ({
      ...{ sid, document_id: document.id, document_version: document.version, title: document.title },
      ...{ url: httpUrl(document.url), as_of: document.asOf, heading_path: [...headingPath], page: units[0]?.page ?? null },
      ...{ text, start: range.start, end: range.end, unit: "utf16" as const, scores: { ...scores, reading } },
    })),
    ...{ encoder, reader },
    warnings: warnings.map(warningToWire),
  };
}

const MAX_SOURCES = 20;
const MAX_SOURCE_CHARACTERS = 200_000;

export const checkRequestSchema = z
  .strictObject({
    question: z.string().min(1).max(2_000).describe("What was asked."),
    answer: z.string().min(1).describe("The answer that somebody else wrote; `[n]` cites the n-th source."),
    sources: z
      .array(z.strictObject({ name: z.string().min(1).max(200), text: z.string().max(MAX_SOURCE_CHARACTERS) }))
      .min(1)
      .max(MAX_SOURCES)
      .optional()
      .describe("Texts that it rests on, read by the ending of their names; as markdown without one."),
    documents: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(MAX_SOURCES)
      .optional()
      .describe("Ids of documents in their place. Without either, those that a search for question and answer finds."),
    ...named,
    profile,
  })
  .refine(({ sources, documents }) => sources === undefined || documents === undefined, { error: "give sources or documents, not both" })
  .describe("POST /v1/check");

const findingSchema = z.object({
  name: z.string(),
  verdict: z.enum(["pass", "repaired", "warn", "fail"]),
  score: z.number().nullable(),
  reason: z.string(),
});

export const checkResponseSchema = z.object({
  passed: z.boolean().describe("Nothing was found in any sentence, nor in the answer as a whole."),
  profile: z.string(),
  sources: z.array(z.object({ n: z.int(), path: z.string(), title: z.string() })),
  unreadable: z
    .array(z.object({ n: z.int().nullable(), path: z.string(), reason: z.string() }))
    .describe("Sources that could not be read; each keeps its number, and a sentence that cites it is found by `unread`."),
  sentences: z.array(
    z.looseObject({
      text: z.string(),
      start: z.int(),
      end: z.int(),
      verdict: z.enum(["pass", "repaired", "warn", "fail"]),
      status: z.enum(["supported", "contradicted", "unsupported", "unchecked"]),
      reason: z.string(),
      citations: z.array(z.int()),
      searched: z.boolean().describe("It cited none: the sources were looked for."),
      checks: z.array(findingSchema.loose()),
      passage: z
        .object({ source: z.int(), path: z.string(), text: z.string(), start: z.int(), end: z.int() })
        .loose()
        .nullable()
        .describe("Where the claim stands, byte for byte."),
    }),
  ),
  checks: z.array(findingSchema.loose()).describe("Of the answer as a whole."),
});

export function checkToWire(verified: VerifiedAnswer): z.input<typeof checkResponseSchema> {
  return toSnakeCase(verified) as z.input<typeof checkResponseSchema>;
}

export const fileSchema = z.object({
  id: z.string(),
  path: z.string(),
  tenant: z.string().nullable(),
  status: z.enum(["queued", "reading", "ok", "failed"]).describe("`queued` and `reading`: ask again."),
  reason: z.string().nullable().describe("Why it could not be read."),
  uploaded: z.boolean().describe("It came over HTTP, and can be deleted so; else a folder of the server holds it."),
  updated_at: z.string().nullable(),
  documents: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      title: z.string(),
      version: z.string(),
      characters: z.int(),
      chunks: z.int(),
      pages: z.int().nullable(),
      format: z.string().nullable(),
      encoding: z.string().nullable(),
      notices: z.array(z.object({ code: z.string(), message: z.string(), pages: z.array(z.int()).optional() })),
    }),
  ),
});

export function fileToWire(file: LibraryFile): z.input<typeof fileSchema> {
  const { id, path, tenant, source, status, reason, updatedAt, documents } = file;
  return {
    ...{ id, path, tenant, status, reason, uploaded: source.startsWith("upload:"), updated_at: updatedAt },
    documents: toSnakeCase(documents) as z.input<typeof fileSchema>["documents"],
  };
}

export const fileListSchema = z.object({ items: z.array(fileSchema), next_cursor: nextCursor });

export const uploadQuerySchema = z.strictObject({
  ...named,
  access: z
    .string()
    .min(1)
    .max(60)
    .optional()
    .describe(
      "Access label of the files, one that the key holds; when absent its first, or, of a key that names none, that of the domain pack.",
    ),
});
export const uploadResponseSchema = z.object({ items: z.array(fileSchema) });

export const newSessionSchema = z.object({ session_id: z.string() });

const keyItemSchema = z.object({
  id: z.string(),
  name: z.string(),
  roles: z.array(z.enum(ROLES)),
  domains: z.array(z.string()).nullable(),
  tenants: z.array(z.string()).nullable(),
  access: z.array(z.string()).nullable(),
  requests_per_hour: z.int().nullable(),
  tokens_per_day: z.int().nullable(),
  usd_per_day: z.number().nullable(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
export const keyListSchema = z.object({ items: z.array(keyItemSchema), next_cursor: nextCursor });
export const newKeyResponseSchema = keyItemSchema.extend({ key: z.string().describe("Shown this once.") });

const names = () => z.array(z.string().min(1).max(100)).max(100);
export const newKeyRequestSchema = z
  .strictObject({
    name: z.string().min(1).max(80),
    roles: z.array(z.enum(ROLES)).min(1).max(ROLES.length).default(["ask"]),
    domains: names().min(1).nullable().optional().describe("The configured one when absent; `null`: all."),
    tenants: names().nullable().default([]).describe("Empty: only what belongs to no tenant; `null`: all."),
    access: names().nullable().default(null).describe("`null`: the labels of the configuration."),
    requests_per_hour: z.int().min(0).nullable().default(null),
    tokens_per_day: z.int().min(0).nullable().default(null).describe("`null`: what the server is set to; 0: as many as come."),
    usd_per_day: z.number().min(0).nullable().default(null),
    expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
    by: z.string().min(1).max(100).describe("Who acts; the audit log keeps it."),
  })
  .refine(
    ({ roles, domains, tenants, access }) =>
      !roles.includes("admin") || (domains == null && (tenants === null || tenants.length === 0) && access === null),
    { error: "an admin key runs the whole installation: leave out domains, tenants and access" },
  )
  .describe("POST /v1/admin/keys");

export function keyToWire(record: KeyRecord): z.input<typeof keyItemSchema> {
  return toSnakeCase(record) as z.input<typeof keyItemSchema>;
}

/** The `validator` source's own shape; `client` is its word for a tenant. */
export const queryRequestSchema = z
  .strictObject({
    query: z.string().describe("The question."),
    domain,
    client: z.string().min(1).optional().describe("The tenant."),
  })
  .describe("POST /query");

const { report } = askResponseSchema.shape;
export const queryResponseSchema = z.object({
  id: z.string(),
  answer: z.string(),
  sources: z.array(z.object({ title: z.string(), url: z.string().nullable(), quote: z.string() })),
  overall_pass: report.unwrap().shape.overall_pass,
  metrics: report.unwrap().shape.metrics,
  latency_ms: z.number(),
});

export function queryToWire(answer: Answer): z.input<typeof queryResponseSchema> {
  const wire = answerToWire(answer);
  return {
    id: wire.id,
    answer: wire.refusal?.message ?? wire.answer_plain,
    sources: wire.citations.map(({ title, url, quote }) => ({ title, url, quote })),
    overall_pass: wire.report?.overall_pass ?? null,
    metrics: wire.report?.metrics ?? {},
    latency_ms: wire.latency_ms,
  };
}

export const reportsQuerySchema = z.strictObject({
  ...named,
  ...pageQuery,
  topic: z.string().min(1).max(100).optional().describe("Slug of a topic; `none`: reports of questions without one."),
  since: z.iso.datetime({ offset: true }).or(z.iso.date()).optional(),
});
export type WireSearchRequest = z.input<typeof searchRequestSchema>;
export type WireSearch = z.infer<typeof searchResponseSchema>;
export type WireCheckRequest = z.input<typeof checkRequestSchema>;
export type WireCheck = z.infer<typeof checkResponseSchema>;
export type WireFile = z.infer<typeof fileSchema>;
export type WireFileList = z.infer<typeof fileListSchema>;
