import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { FetchedPage } from "../../models/web-page.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../store/private.ts";
import { sha256Hex } from "../../text/hash.ts";
import { textOf } from "../encoding.ts";
import { CRAWLED_TYPES } from "./crawl.ts";

/** File in the folder of a crawl that maps the stored files to web addresses. Files whose names begin with a dot are not ingested. */
const ADDRESSES = ".addresses.json";
const addressesSchema = z.record(z.string(), z.string());

/** Returns the web addresses of the files in the folder of a crawl, by path; empty for any other folder. */
export function readAddresses(folder: string): ReadonlyMap<string, string> {
  const path = join(folder, ADDRESSES);
  if (!existsSync(path)) return new Map();
  return new Map(Object.entries(addressesSchema.parse(JSON.parse(readFileSync(path, "utf8")))));
}

/** Creates a writer that stores crawled pages in a folder. */
export function keepPages(folder: string) {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const before = readAddresses(folder);
  const now = new Map<string, string>();
  return {
    keep(reply: FetchedPage) {
      const path = fileOf(reply);
      writeWhole(join(folder, path), contentOf(reply));
      now.set(path, reply.url);
    },
    /** Keeps the stored version of a page that could not be fetched. */
    keepOld(url: string) {
      for (const [path, address] of before) if (address === url) now.set(path, address);
    },
    /** Deletes stored pages that this crawl did not find. Call it only after a complete crawl. */
    finish() {
      for (const path of before.keys()) if (!now.has(path)) rmSync(join(folder, path), { force: true });
      writeWhole(join(folder, ADDRESSES), JSON.stringify(Object.fromEntries(now)));
    },
  };
}

/** Returns a readable path inside the folder, made of the host, the last two path segments and a hash of the address. */
function fileOf({ url, type }: FetchedPage): string {
  const { host, pathname } = new URL(url);
  const ending = CRAWLED_TYPES[type] ?? "";
  const segments = pathname.split("/").filter(Boolean).slice(-2);
  const name = segments.join("-").replace(/\.(?:html?|pdf|txt|md)$/i, "");
  const plain = (text: string) => text.replaceAll(/[^A-Za-z0-9-]+/g, "_").slice(0, 80);
  return `${plain(host)}/${plain(name) || "index"}-${sha256Hex(url).slice(0, 10)}${ending}`;
}

/**
 * Returns the bytes to store. Text is converted to UTF-8 with a byte order mark, because the charset in the response
 * header is not stored.
 */
function contentOf({ type, bytes, charset }: FetchedPage): Uint8Array {
  const isUtf8 = charset === null || /^utf-?8$/i.test(charset);
  if (type === "application/pdf" || isUtf8) return bytes;
  return Buffer.from(`\ufeff${textOf(bytes, charset).replace(/^\ufeff/, "")}`);
}

function writeWhole(path: string, content: string | Uint8Array): void {
  const part = join(dirname(path), `.${randomUUID()}`);
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  writeFileSync(part, content, { mode: PRIVATE_FILE });
  renameSync(part, path);
}
