import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { IngestError, messageOf, SourceboundError, systemCodeOf } from "../shared/errors.ts";
import type { FileRecord } from "../store/document-rows.ts";
import type { Store } from "../store/store.ts";
import { sha256Hex } from "../text/hash.ts";
import { NORMALISER_VERSION } from "../text/source-map.ts";
import { CHUNK_SETTINGS } from "./chunk.ts";
import type { FileReader } from "./file-reader.ts";
import { extensionOf } from "./formats/format.ts";
import { FORMATS_VERSION, picturelessExtensions } from "./formats/formats.ts";
import type { ScannedFile } from "./scan.ts";
import type { DocumentDraft } from "./to-document.ts";

/**
 * Version of the code that finds titles and blocks. Increase it when unchanged files would get other titles or blocks,
 * so that files are read again.
 */
const STRUCTURE_VERSION = 4;
/** Maximum bytes of a file that is loaded synchronously. For a small file, asynchronous reading takes ten times as long. */
const SMALL_BYTES = 32 * 1024;
export interface IngestRequest {
  readonly domain: string;
  readonly tenant: string | null;
  /** Folder with the documents, absolute. */
  readonly folder: string;
  /** Folder that document paths are relative to, absolute; usually `folder` itself. */
  readonly root: string;
  /** Name under which the files are stored. Missing files are deleted only if they were stored under this name. */
  readonly source: string;
  /** Access label of documents that state none. */
  readonly access: string;
  /** Whether a folder without documents is allowed. If false, it is an error. */
  readonly allowEmpty: boolean;
  /** Whether to read and report without storing anything. */
  readonly dryRun: boolean;
  /** Absolute paths of the files to read; other stored files stay unchanged. `null` reads the whole folder. */
  readonly only: readonly string[] | null;
}

/** The dependencies of reading and storing files. */
export interface FileParts {
  readonly store: Store;
  /** Returns the web address of a document that does not state one itself. */
  readonly urlOf: (path: string) => string | null;
  readonly maxFileBytes: number;
  readonly reader: FileReader;
}

/** A file with the outcome of reading it. */
export interface PreparedFile {
  readonly path: string;
  readonly bytes: number;
  readonly originalHash: string;
  readonly settings: string;
  readonly outcome:
    | { readonly type: "unchanged" }
    /** `reason` says why the file is skipped; `null` if it vanished after the scan. */
    | { readonly type: "skipped"; readonly reason: string | null }
    | { readonly type: "failed"; readonly error: SourceboundError }
    | { readonly type: "read"; readonly drafts: readonly DocumentDraft[] };
}

interface PrepareParts {
  readonly request: IngestRequest;
  readonly parts: Pick<FileParts, "urlOf" | "maxFileBytes" | "reader">;
  readonly known: ReadonlyMap<string, FileRecord>;
  readonly signal: AbortSignal;
}

/** Loads a file, and parses it if the file or a setting has changed. */
export async function prepareFile(file: ScannedFile, { request, parts, known, signal }: PrepareParts): Promise<PreparedFile> {
  const { path } = file;
  const recognises = parts.reader.recognises && !picturelessExtensions.includes(extensionOf(path));
  const settings = settingsHash(request.access, parts.urlOf(path), recognises);
  const content = await readBytes(file, parts.maxFileBytes);
  const facts = { path, bytes: file.bytes, settings, originalHash: content instanceof Uint8Array ? sha256Hex(content) : "" };
  if (content === null) return { ...facts, outcome: { type: "skipped", reason: null } };
  if (content instanceof SourceboundError) return { ...facts, outcome: { type: "failed", error: content } };
  const before = known.get(path);
  if (before?.status === "ok" && before.originalHash === facts.originalHash && before.settings === settings) {
    return { ...facts, outcome: { type: "unchanged" } };
  }
  try {
    return { ...facts, outcome: { type: "read", drafts: await parts.reader.read({ path, bytes: content }, signal) } };
  } catch (error) {
    if (!(error instanceof SourceboundError)) throw error;
    const isProgram = error.code === "binary_file" && extensionOf(path) === "" && before === undefined;
    const reason = "it is not a text file, and its name has no extension that shows the format";
    return { ...facts, outcome: isProgram ? { type: "skipped", reason } : { type: "failed", error } };
  }
}

/** Returns the bytes of a file, or an error; `null` if the file vanished after the scan. */
async function readBytes(file: ScannedFile, limit: number): Promise<Uint8Array | SourceboundError | null> {
  if (file.bytes > limit) {
    const message = `${file.path} has ${file.bytes} bytes; the limit is ${limit} bytes. Split the file, or leave it out.`;
    return new IngestError("file_too_large", message, { bytes: file.bytes, limit });
  }
  try {
    return file.bytes <= SMALL_BYTES ? readFileSync(file.absolute) : await readFile(file.absolute);
  } catch (cause) {
    if (systemCodeOf(cause) === "ENOENT") return null;
    const message = `${file.path} cannot be read (${messageOf(cause)}). Check its permissions, and ingest it again.`;
    return new IngestError("file_unreadable", message, {}, { cause });
  }
}

/** Hashes everything that affects a file's documents, except the file's bytes. If the hash changes, the file is read again. */
function settingsHash(access: string, url: string | null, recognises: boolean): string {
  const facts = [NORMALISER_VERSION, STRUCTURE_VERSION, FORMATS_VERSION, CHUNK_SETTINGS, access, url];
  return sha256Hex(JSON.stringify(recognises ? [...facts, "recognised"] : facts)).slice(0, 16);
}
