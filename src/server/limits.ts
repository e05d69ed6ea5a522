import type { WireUploadLimits } from "../wire/responses.ts";

/** Largest request body in bytes. A question is at most 500 characters; 64 KiB leaves room for every other field. */
export const DEFAULT_BODY_LIMIT_BYTES = 65_536;

/** Largest body of an answer that is to be checked, with the texts that it rests on: about 20 documents of 200 KB as JSON. */
export const DEFAULT_CHECK_LIMIT_BYTES = 4_194_304;

/** Largest upload in bytes: it is held in memory once; larger files are ingested from a folder. */
export const DEFAULT_UPLOAD_LIMIT_BYTES = 33_554_432;

/** Most files of one upload. */
export const DEFAULT_UPLOAD_FILES = 20;
/** Bytes that a form may need around each of its files: the name, of at most 200 characters, and lines of its own. */
const FORM_BYTES_PER_FILE = 1_024;

/** Silence in milliseconds after which a comment keeps an event stream open; proxies commonly cut at 30–60 s. */
export const DEFAULT_HEARTBEAT_MS = 15_000;

/** Milliseconds that running answers get to finish when the server closes. */
export const DEFAULT_CLOSE_GRACE_MS = 5_000;

export interface ServerLimits {
  /** @default 65536 */
  readonly bodyBytes: number;
  /** @default 4194304 */
  readonly checkBytes: number;
  /** @default 33554432 */
  readonly uploadBytes: number;
  /** @default 20 */
  readonly uploadFiles: number;
  /** @default 15000 */
  readonly heartbeatMs: number;
}

export const DEFAULT_SERVER_LIMITS: ServerLimits = {
  bodyBytes: DEFAULT_BODY_LIMIT_BYTES,
  checkBytes: DEFAULT_CHECK_LIMIT_BYTES,
  uploadBytes: DEFAULT_UPLOAD_LIMIT_BYTES,
  uploadFiles: DEFAULT_UPLOAD_FILES,
  heartbeatMs: DEFAULT_HEARTBEAT_MS,
};

/** What one upload may come to, as the page is told. @param fileBytes what a file may come to wherever it comes from */
export function uploadLimits({ uploadBytes, uploadFiles }: ServerLimits, fileBytes: number): WireUploadLimits {
  const bytes = uploadBytes - uploadFiles * FORM_BYTES_PER_FILE;
  return { files: uploadFiles, bytes, file_bytes: Math.min(bytes, fileBytes) };
}
