import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CitedQuote } from "../../src/checks/finding.ts";
import { documentQuotes } from "../../src/ingest/document-quotes.ts";
import { parseFile } from "../../src/ingest/parse.ts";

/** Splits a page into quotes that cover it: the text under one heading, or a table row, with title, headings and header as context. */
export function createPageQuotes(corpus: string, urlOf: (page: string) => string | null): (page: string) => readonly CitedQuote[] {
  const known = new Map<string, readonly CitedQuote[]>();
  return (page) => {
    const before = known.get(page);
    if (before !== undefined) return before;
    const parsed = parseFile({ path: page, bytes: readFileSync(join(corpus, page)) });
    const made = parsed.flatMap(documentQuotes).map(({ text, above, header }) => ({ text, above, header, url: urlOf(page), exact: true }));
    known.set(page, made);
    return made;
  };
}
