import type { Store } from "../store/store.ts";
import type { FileReader } from "./file-reader.ts";

export interface IngestRequest {
  readonly domain: string;
  readonly tenant: string | null;
  /** Folder with the documents, absolute. */
  readonly folder: string;
  /** Paths of documents are relative to this, absolute; mostly the folder itself. */
  readonly root: string;
  /** Name of the origin; files that vanish are deleted inside one source only. */
  readonly source: string;
  /** Access label of documents that state none. */
  readonly access: string;
  /** Take the folder as it is even if it holds no document any more. */
  readonly allowEmpty: boolean;
  /** Reads and reports, and stores nothing. */
  readonly dryRun: boolean;
  /** Absolute paths of the files that are read: the rest of the source stays as it is. `null`: all of the folder. */
  readonly only: readonly string[] | null;
}

/** What reading and storing files needs. */
export interface FileParts {
  readonly store: Store;
  /** Address of a document that states none. */
  readonly urlOf: (path: string) => string | null;
  readonly maxFileBytes: number;
  readonly reader: FileReader;
}
