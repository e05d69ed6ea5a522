import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context } from "hono";
import { getMimeType, mimes } from "hono/utils/mime";
import { systemCodeOf } from "../../shared/errors.ts";

/** A file of the built page, ready to send. */
interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly etag: string;
  readonly cacheControl: string;
  /** `true`: text, which compresses well. */
  readonly isText: boolean;
  /** Compressed bodies, each created on first request. */
  readonly smaller: Map<Coding, Promise<Uint8Array<ArrayBuffer>>>;
}

/** Smallest first. */
const CODINGS = ["br", "gzip"] as const;
type Coding = (typeof CODINGS)[number];

/** Minimum size for compression, in bytes. */
const LEAST_COMPRESSED_BYTES = 1_024;
/** Brotli quality, 0–11; from 10 on, a script of 450 kB takes a second. */
const BROTLI_EFFORT = 9;
const COMPRESSED: ReadonlySet<string> = new Set([".html", ".js", ".mjs", ".css", ".svg", ".json", ".txt", ".ttf", ".bcmap"]);
const COMPRESS: Readonly<Record<Coding, (body: Uint8Array) => Promise<Buffer<ArrayBuffer>>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_EFFORT } }),
  gzip: (body) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

/** Files by request path (`/`, `/assets/…`). */
export type PageFiles = ReadonlyMap<string, PageFile>;

const MIME_TYPES = { ...mimes, svg: "image/svg+xml" };

/** Cache header of `assets/`, whose names contain a content hash. */
const IMMUTABLE = "public, max-age=31536000, immutable";
const REVALIDATE = "no-cache";

/**
 * Reads the built page into memory: one consistent build, only listed files. Empty if the folder does not exist; links are not followed.
 */
export function readPageFiles(webRoot: string): PageFiles {
  const files = new Map<string, PageFile>();
  for (const path of listFiles(webRoot)) {
    const body = new Uint8Array(readFileSync(path));
    const name = `/${relative(webRoot, path).split(sep).join("/")}`;
    const file: PageFile = {
      body,
      contentType: getMimeType(path, MIME_TYPES) ?? "application/octet-stream",
      etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`,
      cacheControl: name.startsWith("/assets/") ? IMMUTABLE : REVALIDATE,
      isText: COMPRESSED.has(extname(path).toLowerCase()),
      smaller: new Map(),
    };
    files.set(name, file);
    if (name === "/index.html") files.set("/", file);
  }
  return files;
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Sends a file in the smallest accepted encoding, or 304 if the browser has it. */
export async function sendPageFile(context: Context, file: PageFile): Promise<Response> {
  const coding = codingFor(context.req.header("accept-encoding"), file);
  // Each encoding needs its own tag.
  const etag = coding === null ? file.etag : `${file.etag.slice(0, -1)}-${coding}"`;
  const headers = { ETag: etag, "Cache-Control": file.cacheControl, ...(isCompressed(file) ? { Vary: "Accept-Encoding" } : {}) };
  const known = context.req
    .header("if-none-match")
    ?.split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.includes(etag)) return context.body(null, 304, headers);
  const type = { ...headers, "Content-Type": file.contentType };
  if (coding === null) return context.body(file.body, 200, type);
  return context.body(await compressed(file, coding), 200, { ...type, "Content-Encoding": coding });
}

/** Returns the smallest accepted encoding; `null`: uncompressed. */
function codingFor(accepted: string | undefined, file: PageFile): Coding | null {
  if (accepted === undefined || !isCompressed(file)) return null;
  const offered = accepted.split(",").map((one) => {
    const [name = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? "" : name;
  });
  return CODINGS.find((coding) => offered.includes(coding)) ?? null;
}

function isCompressed({ body, isText }: PageFile): boolean {
  return isText && body.length >= LEAST_COMPRESSED_BYTES;
}

function compressed(file: PageFile, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  const made = file.smaller.get(coding) ?? COMPRESS[coding](file.body).then((bytes) => new Uint8Array(bytes));
  file.smaller.set(coding, made);
  return made;
}
