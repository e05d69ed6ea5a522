import { z } from "zod";
import type { IngestCounts } from "../shared/events.ts";
import type { Answer, FilterRequest, Passage, Warning } from "../shared/types.ts";
import type { FileDescription } from "../store/documents.ts";

/** Who asks, by name. */
export interface ScopeOptions {
  readonly domain?: string | undefined;
  readonly tenant?: string | null | undefined;
  /** Access labels in the place of the configured ones. */
  readonly access?: readonly string[] | undefined;
  /** Id of the key that asks: sessions of one key are no other key's. */
  readonly caller?: string | undefined;
  /** With whom the request is counted by a server that serves many; the engine itself does not look at it. */
  readonly lane?: Lane | undefined;
}

/** Who waits and spends together: a key, a person, an address. */
export interface Lane {
  readonly name: string;
  /** `null`: as the server is set; 0: as many as come. */
  readonly tokensPerDay: number | null;
  readonly usdPerDay: number | null;
}

export interface SearchOptions extends ScopeOptions {
  readonly profile?: string | undefined;
  /** Passages that are given. @default 10 */
  readonly limit?: number | undefined;
  /** Searches only in the documents, chapters, sections and pages named. */
  readonly filters?: FilterRequest | null | undefined;
  /** Has the reader read every passage that is given: some 10 ms of a core for a piece of text, the first time. The order stays. @default false */
  readonly reading?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type FoundPassage = Passage & {
  /** Cosine of the question with the piece of the passage that lies nearest to it, by the reader; `null`: nothing of it was read. */
  readonly reading: number | null;
};

export interface SearchResult {
  /** Best first. */
  readonly passages: readonly FoundPassage[];
  /** Id of the encoder that ranked; `null`: words alone did. */
  readonly encoder: string | null;
  /** Name of the reader that read; `null`: it was not asked for, or there is none, which a warning says. */
  readonly reader: string | null;
  readonly warnings: readonly Warning[];
}

/** A source as it is handed over, not ingested. */
export interface GivenSource {
  /** As a file is called: its ending says how it is read; without one, as markdown. */
  readonly name: string;
  readonly text: string;
}

export interface CheckOptions extends ScopeOptions {
  readonly profile?: string | undefined;
  /** Texts that the answer rests on: `[n]` cites the n-th. */
  readonly sources?: readonly GivenSource[] | undefined;
  /** Ids of ingested documents in the place of texts: `[n]` cites the n-th. */
  readonly documents?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where a file stands: read and searchable, failed with a reason, or on its way. */
export type FileStatus = "queued" | "reading" | "ok" | "failed";

export type LibraryFile = Omit<FileDescription, "status" | "updatedAt"> & {
  readonly id: string;
  readonly status: FileStatus;
  /** `null`: it has not been read yet. */
  readonly updatedAt: string | null;
};

export interface ReachOptions extends ScopeOptions {
  /** Files of every label, whatever those of the asker are: for whoever runs the installation. @default false */
  readonly everyLabel?: boolean | undefined;
}

/** A file that is handed over. */
export interface GivenFile {
  /** As a path with `/`, such as `letters/2026.pdf`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface UploadOptions extends Pick<ScopeOptions, "domain" | "tenant"> {
  /** Access label of the file. @default the label of the domain pack */
  readonly label?: string | undefined;
}

/** Who asked for the answer, by name. */
export type ProveOptions = Pick<ScopeOptions, "domain" | "tenant" | "access">;

export interface ReportOptions extends Pick<ScopeOptions, "domain" | "tenant" | "access"> {
  /** Slug of a topic of the domain pack; `null`: reports of questions without a topic. @default all */
  readonly topic?: string | null | undefined;
  /** Not older than this. @default the retention time */
  readonly since?: Date | undefined;
  /** Reports listed beside the groups, newest first. @default 10 */
  readonly limit?: number | undefined;
  /** Reports passed over before those listed. @default 0 */
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RefreshResult {
  /** `partly`: a source could not be read; what was known of it stays. */
  readonly status: "ok" | "partly";
  readonly domain: string;
  readonly sources: readonly RefreshedSource[];
  readonly documents: number;
  readonly windows: number;
  readonly revision: number;
  /** Entries of the cache before and after. */
  readonly cache: { readonly before: number; readonly after: number };
  readonly ms: number;
}

export interface RefreshedSource {
  readonly source: string;
  readonly tenant: string | null;
  readonly counts: IngestCounts | null;
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** What a job asks for: files that were uploaded, or a folder that every worker sees under the same path. */
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

/** A job that a worker did. */
export interface JobEvent {
  readonly type: "job-start" | "job-end" | "job-failed";
  readonly id: string;
  readonly domain: string;
  readonly work: Work;
  /** Of `job-end`. */
  readonly counts: IngestCounts | null;
  /** Of `job-failed`. */
  readonly reason: string | null;
}

export interface WorkOptions {
  /** Ends when nothing is queued. @default false */
  readonly once?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whose answer it is, by name. */
export interface ReplayOptions extends Pick<ScopeOptions, "domain" | "tenant"> {
  readonly signal?: AbortSignal | undefined;
}

/** What an answer says, as far as a reader sees a difference. */
export interface Said {
  readonly status: Answer["status"];
  readonly sentences: readonly string[];
  /** Path and quote of each citation. */
  readonly citations: readonly { readonly path: string; readonly quote: string }[];
}

/** An answer made again from what was recorded. */
export interface Replayed {
  readonly id: string;
  readonly question: string;
  /** Byte for byte, but for the times that it took. */
  readonly identical: boolean;
  /** Places of the stored JSON that came out otherwise. */
  readonly differs: readonly string[];
  /** Of the answer that was served from memory: the one that was made. */
  readonly servedFrom: string | null;
  readonly was: Said;
}

/** What would be answered today, and what made the difference. */
export interface ReplayedNow extends Replayed {
  readonly now: Said;
  readonly changed: boolean;
  readonly causes: readonly Cause[];
}

export type Cause =
  /** The answer changes by this edit alone. */
  | { readonly type: "edit"; readonly path: string; readonly change: DocumentChange["change"] }
  /** It changes by all edits together, by none alone. */
  | { readonly type: "edits"; readonly paths: readonly string[] }
  /** It changes by today's settings, with the documents as they were. */
  | { readonly type: "settings"; readonly settings: readonly SettingChange[] }
  /** It changes only by documents and settings together. */
  | { readonly type: "both" };

export interface SettingChange {
  readonly setting: string;
  readonly before: string;
  readonly after: string;
}

export interface DocumentChange {
  readonly id: string;
  readonly path: string;
  readonly change: "added" | "changed" | "deleted";
}

/** What an engine makes again of its stored answers. */
export interface Replayer {
  /**
   * Makes a stored answer again from the documents, settings and model output of then.
   * @throws RequestError `unknown_answer`, `replay_impossible` with the reason
   */
  replay(id: string, options?: ReplayOptions): Promise<Replayed>;
  /** The same, then with today's documents and settings. */
  replayNow(id: string, options?: ReplayOptions): Promise<ReplayedNow>;
}
