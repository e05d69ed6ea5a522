import { z } from "zod";
import type { WriteMode } from "../profiles/profile.ts";
import type { IngestCounts } from "../shared/events.ts";
import type { AskRequest, FilterRequest } from "../shared/types.ts";
import type { FileDescription } from "../store/documents.ts";

/** Who asks: domain and tenant by name, access labels and API key. */
export interface ScopeOptions {
  readonly domain?: string | undefined;
  readonly tenant?: string | null | undefined;
  /** Replaces the configured access labels. */
  readonly access?: readonly string[] | undefined;
  /** Id of the API key. Sessions of different keys are separate. */
  readonly caller?: string | undefined;
  /** The unit to which a server's rate limits apply. The engine ignores it. */
  readonly lane?: Lane | undefined;
}

/** A unit of rate limits and budgets: a key, a person or an address. */
export interface Lane {
  readonly name: string;
  /** `null`: the server's setting; 0: unlimited. */
  readonly tokensPerDay: number | null;
  readonly usdPerDay: number | null;
}

type Optional<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** Options of a question; the configuration supplies the rest. */
export interface AskOptions extends ScopeOptions, Optional<Omit<AskRequest, "question" | "scope">> {
  /** What a configured model does: write the answer, or select quotes. @default the configuration's `write`, else the profile's */
  readonly write?: WriteMode | undefined;
  /** Attaches a proof to the answer. @default false */
  readonly proof?: boolean | undefined;
  /** Answers at any confidence, bypasses the cache and stores nothing; used by calibration. @default false */
  readonly measuring?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchOptions extends ScopeOptions {
  readonly profile?: string | undefined;
  /** Maximum number of passages. @default 10 */
  readonly limit?: number | undefined;
  /** Limits the search to the named documents, chapters, sections and pages. */
  readonly filters?: FilterRequest | null | undefined;
  /** Scores each passage with the cross-encoder, about 10 ms of CPU per new candidate. Passages keep their order. @default false */
  readonly reading?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A source given as text, not ingested. */
export interface GivenSource {
  /** File name. Its extension selects the parser; a name without extension means Markdown. */
  readonly name: string;
  readonly text: string;
}

export interface CheckOptions extends ScopeOptions {
  readonly profile?: string | undefined;
  /** Texts to check against: `[n]` cites the n-th. */
  readonly sources?: readonly GivenSource[] | undefined;
  /** Ids of ingested documents instead of texts: `[n]` cites the n-th. */
  readonly documents?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Ingestion status of a file. */
export type FileStatus = "queued" | "reading" | "ok" | "failed";

export type LibraryFile = Omit<FileDescription, "status" | "updatedAt"> & {
  readonly id: string;
  readonly status: FileStatus;
  /** `null`: not ingested yet. */
  readonly updatedAt: string | null;
};

export interface ReachOptions extends ScopeOptions {
  /** Includes files of every label, for administrators. @default false */
  readonly everyLabel?: boolean | undefined;
}

export interface GivenFile {
  /** A path with `/` as separator, such as `letters/2026.pdf`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface UploadOptions extends Pick<ScopeOptions, "domain" | "tenant"> {
  /** Access label of the file. @default the label of the domain pack */
  readonly label?: string | undefined;
}

export type ProveOptions = Pick<ScopeOptions, "domain" | "tenant" | "access">;

export interface ReportOptions extends ProveOptions {
  /** Slug of a topic of the domain pack; `null`: reports of questions without a topic. @default all */
  readonly topic?: string | null | undefined;
  /** Earliest time of a report. @default the start of the retention period */
  readonly since?: Date | undefined;
  /** Maximum number of reports to list after the groups, newest first. @default 10 */
  readonly limit?: number | undefined;
  /** Number of newest reports to skip before those listed. @default 0 */
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A job: ingest uploaded files, or a folder that every worker sees under the same path. */
export const workSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("uploads"), tenant: z.string().nullable(), label: z.string() }),
  z.object({
    type: z.literal("folder"),
    folder: z.string(),
    tenant: z.string().nullable(),
    source: z.string(),
    root: z.string(),
    access: z.string().optional(),
    baseUrl: z.string().optional(),
    allowEmpty: z.boolean(),
  }),
]);
export type Work = z.infer<typeof workSchema>;

export interface JobEvent {
  readonly type: "job-start" | "job-end" | "job-failed";
  readonly id: string;
  readonly domain: string;
  readonly work: Work;
  /** Set for `job-end`. */
  readonly counts: IngestCounts | null;
  /** Set for `job-failed`. */
  readonly reason: string | null;
}

export interface WorkOptions {
  /** Stops when the queue is empty. @default false */
  readonly once?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TenantOptions extends Pick<ScopeOptions, "domain" | "tenant"> {
  readonly signal?: AbortSignal | undefined;
}
