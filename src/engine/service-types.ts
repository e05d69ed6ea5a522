import type { FileDescription } from "../store/document-records.ts";
import type { FilterRequest, Passage, Warning } from "../types.ts";

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

/** Files that are handed over, kept under the data folder and ingested from there; and all files, whatever their source. */
export interface Uploads {
  /** Keeps a file and begins to read it. @throws as `uploadAll` does */
  upload(file: GivenFile, options?: UploadOptions): Promise<LibraryFile>;
  /**
   * Keeps files and begins to read them: all, or none where one cannot be taken.
   * @throws RequestError `file_name`, `file_twice`, `file_name_taken`, `unsupported_format`, `label_invalid`, `unknown_tenant`
   */
  uploadAll(files: readonly GivenFile[], options?: UploadOptions): Promise<LibraryFile[]>;
  /** Begins to read what was uploaded to an earlier process and not read before it ended. */
  resumeUploads(): Promise<void>;
  /** Files that the scope may see, by path; those on their way too. */
  library(options?: ReachOptions): Promise<LibraryFile[]>;
  /** Takes an uploaded file out. `false`: there is none of this id in exactly this tenant. @throws RequestError `file_not_uploaded` */
  deleteUpload(id: string, options?: ReachOptions): Promise<boolean>;
}
