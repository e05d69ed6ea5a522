import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import type { Context } from "hono";
import { systemCodeOf } from "../../errors.ts";

/** A file of the built page, ready to send. */
interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly etag: string;
  readonly cacheControl: string;
}

/** Path as requested (`/`, `/assets/…`) → file. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".map": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

/** Names under `assets/` carry a hash of their content. */
const IMMUTABLE = "public, max-age=31536000, immutable";
const REVALIDATE = "no-cache";

/**
 * Reads the built page into memory: one consistent build, and a request can only ever name a file that was listed here.
 * Empty when the folder does not exist; links are not followed.
 */
export function readPageFiles(webRoot: string): PageFiles {
  const files = new Map<string, PageFile>();
  for (const path of listFiles(webRoot)) {
    const body = new Uint8Array(readFileSync(path));
    const name = `/${relative(webRoot, path).split(sep).join("/")}`;
    const file: PageFile = {
      body,
      contentType: CONTENT_TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
      etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`,
      cacheControl: name.startsWith("/assets/") ? IMMUTABLE : REVALIDATE,
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

/** Sends a file of the page, or 304 when the browser has it. */
export function sendPageFile(context: Context, file: PageFile): Response {
  const headers = { ETag: file.etag, "Cache-Control": file.cacheControl };
  const known = context.req
    .header("if-none-match")
    ?.split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.includes(file.etag)) return context.body(null, 304, headers);
  return context.body(file.body, 200, { ...headers, "Content-Type": file.contentType });
}
