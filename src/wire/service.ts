import { z } from "zod";
import type { RefreshResult } from "../engine/documents.ts";
import type { LibraryFile } from "../engine/engine-types.ts";
import type { SearchResult } from "../engine/searching.ts";
import type { VerifiedAnswer } from "../pipeline/verify-answer.ts";
import { citationSchema, claimStatus, datesSchema, findingSchema, gradeReportSchema, warningSchema } from "../shared/types/answer.ts";
import { sourceSchema, webUrl } from "../shared/types/document.ts";
import { scoresSchema } from "../shared/types/evidence.ts";
import type { Answer, StoredDocument, TextRange } from "../shared/types.ts";
import { type KeyRecord, ROLES } from "../store/keys.ts";
import { originalPlaceOf } from "../text/original-place.ts";
import { outlineOf } from "../text/units.ts";
import { optional, setting, toSnakeCase } from "../text/validate.ts";
import { answerToWire } from "./answer-to-wire.ts";
import { actor, askRequestSchema, named, nextCursor, requestSchema } from "./ask.ts";
import { toWire } from "./to-wire.ts";

// Wire formats of searches, checks, documents, domains, keys and the server.

const { profile, filters } = askRequestSchema.shape;

export const searchRequestSchema = requestSchema("POST /v1/search", {
  query: z.string().describe("A question or search terms; the length limit of a question applies."),
  limit: setting(z.int().min(1).max(50), 10, "Maximum number of passages."),
  ...named,
  profile,
  filters,
  reading: setting(z.boolean(), false, "Also score every passage with the cross-encoder (`scores.reading`); the order does not change."),
});

export const searchResponseSchema = z.object({
  passages: z.array(
    z.object({
      sid: z.string(),
      ...sourceSchema.shape,
      heading_path: z.array(z.string()),
      page: z.int().nullable().describe("Page on which the passage begins, from 1; `null`: the document has no pages."),
      text: z.string().describe("Exact substring of the document's normalised text."),
      start: z.int(),
      end: z.int(),
      unit: z.literal("utf16"),
      scores: scoresSchema
        .extend({
          reading: z
            .number()
            .nullable()
            .describe("Score of the cross-encoder: the log odds that the best candidate of the passage answers the question."),
        })
        .describe("Raw scores; `null` if the scorer did not run."),
    }),
  ),
  encoder: z.string().nullable().describe("Dense encoder; `null`: ranked by words only."),
  reader: z.string().nullable().describe("Cross-encoder; `null`: not requested, or not available, which a warning says."),
  warnings: z.array(warningSchema),
});
export type WireSearchRequest = z.input<typeof searchRequestSchema>;
export type WireSearch = z.infer<typeof searchResponseSchema>;

export function searchToWire({ passages, ...found }: SearchResult): WireSearch {
  return toWire(searchResponseSchema, {
    ...found,
    passages: passages.map(({ document, range, units, scores, reading, ...passage }) => ({
      ...{ ...document, ...passage, ...range, documentId: document.id, documentVersion: document.version },
      ...{ page: units[0]?.page ?? null, unit: "utf16" as const, scores: { ...scores, reading } },
    })),
  });
}

const some = <One extends z.ZodType>(one: One) => z.array(one).min(1).max(20);
const sourceText = z.strictObject({ name: z.string().min(1).max(200), text: z.string().max(200_000) });

export const checkRequestSchema = requestSchema("POST /v1/check", {
  question: z.string().min(1).max(2_000).describe("The question that was asked."),
  answer: z.string().min(1).describe("The answer to check; `[n]` cites the n-th source."),
  sources: optional(some(sourceText), "Texts of the sources. The extension of the name determines the format; Markdown without one."),
  documents: optional(
    some(z.string().min(1).max(200)),
    "Document ids instead of texts. If neither ids nor texts are given, the engine searches for sources.",
  ),
  ...named,
  profile,
}).refine(({ sources, documents }) => sources === undefined || documents === undefined, {
  error: "use either sources or documents, not both",
});

export const checkResponseSchema = z.object({
  passed: z.boolean().describe("True if neither a sentence nor the answer as a whole has a fault."),
  profile: z.string(),
  sources: z.array(z.object({ n: z.int(), path: z.string(), title: z.string() })),
  unreadable: z
    .array(z.object({ n: z.int().nullable(), path: z.string(), reason: z.string() }))
    .describe("Sources that could not be read. Each keeps its number; a sentence that cites one fails the check `unread`."),
  sentences: z.array(
    z.looseObject({
      text: z.string(),
      start: z.int(),
      end: z.int(),
      verdict: findingSchema.shape.verdict,
      status: claimStatus,
      reason: z.string(),
      citations: z.array(z.int()),
      searched: z.boolean().describe("True if the sentence had no citation and the engine searched for sources."),
      checks: z.array(findingSchema.loose()),
      passage: z
        .object({ source: z.int(), path: z.string(), text: z.string(), start: z.int(), end: z.int() })
        .loose()
        .nullable()
        .describe("The part of a source that best matches the sentence, byte for byte; `null`: none was found."),
    }),
  ),
  checks: z.array(findingSchema.loose()).describe("Checks of the answer as a whole."),
});
export type WireCheckRequest = z.input<typeof checkRequestSchema>;
export type WireCheck = z.infer<typeof checkResponseSchema>;

/** Converts all fields, including fields of checks that the schema does not list. */
export function checkToWire(verified: VerifiedAnswer): WireCheck {
  return toSnakeCase(verified) as WireCheck;
}

/** The request of `POST /query` in the published `validator` design (docs/profiles.md). `client` is the tenant. */
export const queryRequestSchema = requestSchema("POST /query", {
  query: z.string().describe("The question."),
  domain: named.domain,
  client: optional(z.string().min(1), "The tenant."),
});

export const queryResponseSchema = z.object({
  id: z.string(),
  answer: z.string(),
  sources: z.array(z.object({ title: z.string(), url: z.string().nullable(), quote: z.string() })),
  ...gradeReportSchema.shape,
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

const notice = z.object({ code: z.string(), message: z.string(), pages: z.array(z.int()).optional(), count: z.int().optional() });

export const fileSchema = z.object({
  id: z.string(),
  path: z.string(),
  tenant: z.string().nullable(),
  status: z.enum(["queued", "reading", "ok", "failed"]).describe("`queued` and `reading`: not finished, ask again."),
  reason: z.string().nullable().describe("Why the file could not be read."),
  uploaded: z.boolean().describe("True if uploaded over HTTP, and therefore deletable over HTTP; otherwise from a folder of the server."),
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
      notices: z.array(notice),
    }),
  ),
});
export type WireFile = z.infer<typeof fileSchema>;
export const fileListSchema = z.object({ items: z.array(fileSchema), next_cursor: nextCursor });
export type WireFileList = z.infer<typeof fileListSchema>;

export function fileToWire(file: LibraryFile): WireFile {
  return toWire(fileSchema, { ...file, uploaded: file.source.startsWith("upload:") });
}

export const uploadQuerySchema = z.strictObject({
  ...named,
  access: optional(
    z.string().min(1).max(60),
    "Access label given to the files; one of the caller's labels. Default: the key's first label, else the label in the domain pack.",
  ),
});
export const uploadResponseSchema = z.object({ items: z.array(fileSchema) });

export const documentQuerySchema = z.strictObject({
  ...named,
  start: z.coerce.number().int().min(0).optional(),
  end: z.coerce.number().int().min(1).optional(),
  version: optional(z.string().min(1).max(100), "An earlier version whose text is kept; the current one when absent."),
});

const blockType = z.enum(["heading", "paragraph", "list-item", "table-row", "quote", "code"]);

export const documentSchema = z.object({
  id: z.string(),
  version: z.string(),
  domain: z.string(),
  tenant: z.string().nullable(),
  title: z.string(),
  description: z.string().nullable(),
  url: webUrl,
  as_of: z.string().nullable(),
  path: z.string(),
  format: z.string().nullable(),
  sha256: z.string(),
  text: z.string().describe("Normalised text. All offsets are counted in its UTF-16 code units."),
  blocks: z.array(z.tuple([z.int(), z.int(), blockType, z.int(), z.int()])).describe("`[start, end, type, level, header]`"),
  outline: z.array(z.object({ start: z.int(), level: z.int(), text: z.string() })),
  pages: z.array(z.int()).nullable().describe("Start of each page, page 1 first; `null`: the document has no pages."),
  places: citationSchema.shape.original.shape.pages.describe("Place of the range from `start` to `end` on the original pages."),
  notices: z.array(notice),
});
export type WireDocument = z.infer<typeof documentSchema>;

/** @param range part of the text whose position on the pages of the original is returned too; `null`: none */
export function documentToWire(document: StoredDocument, range: TextRange | null): WireDocument {
  const { text, blocks, pages = null, reading, originalHash } = document;
  return toWire(documentSchema, {
    ...document,
    format: reading?.format ?? null,
    sha256: originalHash,
    blocks: blocks.map(({ start, end, type, level, header }) => [start, end, type, level, header] as const),
    outline: outlineOf(text, blocks),
    pages,
    places: range === null ? undefined : originalPlaceOf(document, range).pages,
    notices: reading?.notices ?? [],
  });
}

export const suggestionsSchema = z.object({ items: z.array(z.string()) });
export type WireSuggestions = z.infer<typeof suggestionsSchema>;

export const domainsSchema = z.object({
  domains: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      description: z.string().describe("What the documents are about, in one sentence."),
      examples: z.array(z.string()).describe("Example questions of the domain pack."),
      documents: z.int(),
      as_of: datesSchema.describe("Range of the documents' dates, ISO; `null` if none has a date."),
      golden: z.boolean().describe("True if the domain pack has a golden set."),
      default: z.boolean().describe("True if used when a request names no domain."),
      profile: z.string().describe("Used when a request names no profile."),
      tenants: z.array(z.object({ name: z.string(), title: z.string() })),
    }),
  ),
  profiles: z.array(z.object({ name: z.string(), title: z.string() })),
  model: z.boolean().describe("True if a language model is configured, so that `write` has an effect."),
});
export type WireDomains = z.infer<typeof domainsSchema>;
export type WireDomain = WireDomains["domains"][number];

const uploadLimitsSchema = z.object({
  files: z.int().describe("Maximum number of files per upload."),
  bytes: z.int().describe("Maximum total size of an upload."),
  file_bytes: z.int().describe("Maximum size of a file."),
});
export type WireUploadLimits = z.infer<typeof uploadLimitsSchema>;

export const callerSchema = z.object({
  key_id: z.string().nullable().describe("`null`: without a key, or with the admin token."),
  roles: z.array(z.enum(ROLES)),
  uploads: uploadLimitsSchema.optional().describe("Upload limits; absent: uploads are not allowed."),
});
export type WireCaller = z.infer<typeof callerSchema>;

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
export const newKeyResponseSchema = keyItemSchema.extend({ key: z.string().describe("The secret key, shown only once.") });

export function keyToWire(key: KeyRecord): z.infer<typeof keyItemSchema> {
  return toWire(keyItemSchema, key);
}

const names = z.array(z.string().min(1).max(100)).max(100);
export const newKeyRequestSchema = requestSchema("POST /v1/admin/keys", {
  name: z.string().min(1).max(80),
  roles: z.array(z.enum(ROLES)).min(1).max(ROLES.length).default(["ask"]),
  domains: names.min(1).nullable().optional().describe("The default domain when absent; `null`: all."),
  tenants: names.nullable().default([]).describe("Empty: only documents without a tenant; `null`: all."),
  access: names.nullable().default(null).describe("`null`: the configured labels."),
  requests_per_hour: z.int().min(0).nullable().default(null),
  tokens_per_day: z.int().min(0).nullable().default(null).describe("`null`: the server's limit; 0: unlimited."),
  usd_per_day: z.number().min(0).nullable().default(null),
  expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
  by: actor,
}).refine(({ roles, domains, tenants, access }) => !roles.includes("admin") || (domains == null && !tenants?.length && access === null), {
  error: "an admin key covers the whole installation: omit domains, tenants and access",
});

export const healthSchema = z.object({
  status: z.enum(["ok", "degraded"]),
  domain: z.string(),
  title: z.string().describe("Title of the domain pack; no document content."),
  examples: z.array(z.string()).describe("Example questions of the domain pack."),
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

export const readySchema = z.object({
  status: z.literal("ready"),
  search: z.array(
    z.object({
      domain: z.string(),
      revision: z.int().describe("Revision of the domain that the search engine has indexed."),
      lag: z.int().describe("Number of later changes that are stored, but not indexed yet."),
    }),
  ),
});

export const refreshRequestSchema = z.strictObject({ domain: named.domain }).describe("POST /v1/admin/refresh; the body is optional");

const fileCounts = z.object({
  total: z.int(),
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  renamed: z.int(),
  deleted: z.int(),
  failed: z.int(),
});
const refreshedSource = z.object({
  source: z.string(),
  tenant: z.string().nullable(),
  counts: fileCounts.nullable().describe("Number of files by outcome; `null` if the source could not be read."),
  failure: z.object({ code: z.string(), message: z.string() }).nullable(),
});

export const refreshResponseSchema = z
  .object({
    status: z.enum(["ok", "partly"]).describe("`partly`: a source or a file could not be read; earlier content is kept."),
    domain: z.string(),
    sources: z.array(refreshedSource).describe("All sources of the domain, read again with the settings of their last ingest."),
    documents: z.int(),
    windows: z.int().describe("Indexed windows."),
    revision: z.int(),
    cache_before: z.int().describe("Number of stored answers of the domain before the refresh."),
    cache_after: z.int(),
    latency_ms: z.number(),
  })
  .describe("Response of POST /v1/admin/refresh");

export function refreshToWire({ cache, ms, ...result }: RefreshResult): z.infer<typeof refreshResponseSchema> {
  return toWire(refreshResponseSchema, { ...result, cacheBefore: cache.before, cacheAfter: cache.after, latencyMs: ms });
}
