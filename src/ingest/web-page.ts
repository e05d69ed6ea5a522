import type { FetchedPage, PageText } from "../models/web-page.ts";
import { textOf } from "./encoding.ts";
import { parseFile } from "./parse.ts";

/** Maximum characters of text that are kept: about fifty pages of a book. */
const MAX_TEXT = 150_000;
/** Maximum characters of a unit; longer ones are dropped. */
const MAX_UNIT = 1200;
/** Maximum number of units that are kept. */
const MAX_UNITS = 6000;
const MAX_TITLE = 300;

/**
 * Extracts the main content of a web page, as when it is ingested. Runs in a thread that can be terminated: see `read-page-apart.ts`.
 * @throws IngestError the errors of `parseFile`
 */
export function readWebPage({ bytes, charset, type }: FetchedPage): PageText {
  // NUL has no meaning in a page and must not cause a refusal as binary.
  const content = textOf(
    bytes.filter((byte) => byte !== 0),
    charset,
  );
  const [page] = parseFile({ path: type === "text/plain" ? "page.txt" : "page.html", bytes: Buffer.from(content) });
  const text = (page?.text ?? "").slice(0, MAX_TEXT);
  const units = (page?.units ?? []).filter(({ start, end }) => end <= text.length && end - start <= MAX_UNIT).slice(0, MAX_UNITS);
  const title = page?.metadata.title ?? "";
  return { title: title === "page" ? "" : title.slice(0, MAX_TITLE), text, blocks: page?.blocks ?? [], units };
}
