import type { AsOfRange, Heading, StoredDocument } from "../shared/types.ts";
import type { Database } from "./schema.ts";

/** Where files belong. */
export interface SourcePlace {
  readonly domain: string;
  readonly tenant: string | null;
  readonly source: string;
}

/** A place as columns have it. */
export function placeOf({ domain, tenant, source }: SourcePlace) {
  return { domain, tenant: tenant ?? "", source };
}

/** Where a file belongs. */
export interface FilePlace extends SourcePlace {
  /** Path of the file relative to the source. */
  readonly path: string;
}

export interface FileRecord
  extends Readonly<Pick<Database["files"], "path" | "originalHash" | "settings" | "status" | "reason" | "access" | "updatedAt">> {
  /** When what it holds was read (ISO 8601); `null`: it holds no documents. A failed file holds those of its last version that could be read. */
  readonly readAt: string | null;
}

/** What a source's documents are called in the store. */
export interface KnownDocument {
  readonly id: string;
  /** Of the file, relative to the source. */
  readonly file: string;
  /** Of the document: the file's, with `#entry` for an entry. */
  readonly path: string;
}

/** What a file holds now: its documents, or the reason why it could not be read. */
export interface FileContent {
  readonly originalHash: string;
  /** Hash of everything besides the bytes that shapes the documents: normaliser, chunking, access, addresses. */
  readonly settings: string;
  /** Access label of the ingest; a failed file is named only to those who have it. */
  readonly access: string;
  /** `null`: those that it held before stay. */
  readonly documents: readonly StoredDocument[] | null;
  readonly failure: string | null;
}

/** A file to be stored. */
export interface FilePut {
  readonly place: FilePlace;
  readonly content: FileContent;
  /** Path under which its documents stood until now: they keep their ids. */
  readonly renamedFrom?: string;
}

/** What became of the documents of a stored file. */
export interface PutOutcome {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly deleted: number;
}

/** What an index needs of a document; no offsets into the original, no sentences. */
export type IndexedDocument = Pick<
  StoredDocument,
  "id" | "version" | "tenant" | "access" | "path" | "title" | "description" | "text" | "chunks"
>;

/** Which version of a document the store holds, who sees it and where it stands. */
export type DocumentHead = Pick<IndexedDocument, "version" | "tenant" | "access" | "path" | "title" | "description">;

/** What filters look names up in. */
export interface DocumentOutline {
  readonly id: string;
  readonly version: string;
  readonly path: string;
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly pages: readonly number[] | null;
}

export interface CorpusCounts {
  readonly documents: number;
  readonly chunks: number;
  readonly revision: number;
  readonly asOf: AsOfRange;
  /** Paths of files that could not be read, and of which no earlier version stands. */
  readonly unreadable: readonly string[];
}
