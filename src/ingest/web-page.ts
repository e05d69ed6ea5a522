import type { FetchedPage, PageText, ReadPage } from "../models/web-page.ts";
import { IngestError, WebError } from "../shared/errors.ts";
import { textOf } from "./encoding.ts";
import { createFileReader } from "./file-reader.ts";
import type { ParsedDocument } from "./parse.ts";

/** Milliseconds for reading one page. A long ordinary page takes a tenth of that. */
const READ_TIMEOUT_MS = 4000;
/** Maximum pages read at the same time in this process. Further pages wait. */
const THREADS = 2;
/** Heap limit of one reader thread, in megabytes. The parsed tree of a 2 MB page takes less than half. */
const HEAP_MB = 192;

/** Maximum characters of text that are kept: about fifty pages of a book. */
const MAX_TEXT = 150_000;
/** Maximum characters of a unit, e.g. of a sentence or table row. Longer units are dropped. */
const MAX_UNIT = 1200;
/** Maximum number of units that are kept. */
const MAX_UNITS = 6000;
const MAX_TITLE = 300;

/** Creates a reader of web pages. Pages may be hostile, so each is parsed in a separate thread with limits on time and memory. */
export function createPageReader(timeoutMs = READ_TIMEOUT_MS): ReadPage {
  const reader = createFileReader({ timeoutMs, threads: THREADS, heapMb: HEAP_MB, hasChunks: false });
  return async (source, signal) => {
    try {
      const [page] = await reader.read(fileOfPage(source), signal);
      return pageText(page);
    } catch (cause) {
      if (!(cause instanceof IngestError)) throw cause;
      if (cause.code === "read_timeout") throw new WebError("web_timeout", `the page could not be read within ${timeoutMs} ms`);
      throw new WebError("page_unreadable", cause.message.slice(0, 200), {}, { cause });
    }
  };
}

/** Returns a page as a file in UTF-8. The page is decoded with the charset that the server states. */
export function fileOfPage({ bytes, charset, type }: FetchedPage): { readonly path: string; readonly bytes: Uint8Array } {
  // NUL bytes have no meaning in a page, but the file reader would reject the page as binary.
  const withoutNul = bytes.filter((byte) => byte !== 0);
  return { path: type === "text/plain" ? "page.txt" : "page.html", bytes: Buffer.from(textOf(withoutNul, charset)) };
}

/** Returns the text of a parsed page within the limits. */
export function pageText(page: ParsedDocument | undefined): PageText {
  const text = (page?.text ?? "").slice(0, MAX_TEXT);
  const units = (page?.units ?? []).filter(({ start, end }) => end <= text.length && end - start <= MAX_UNIT).slice(0, MAX_UNITS);
  const title = page?.metadata.title ?? "";
  return { title: title === "page" ? "" : title.slice(0, MAX_TITLE), text, blocks: page?.blocks ?? [], units };
}
