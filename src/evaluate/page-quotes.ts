import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CitedQuote } from "../check/finding.ts";
import { type ParsedDocument, parseFile } from "../ingest/parse.ts";
import type { TextRange } from "../types.ts";

/**
 * A page as the quotes that can be made of it: what stands under one heading is one quote, a table row is one of its own; title,
 * headings and the table's header stand above. Together they hold the whole page.
 */
export function createPageQuotes(corpus: string, urlOf: (page: string) => string | null): (page: string) => readonly CitedQuote[] {
  const known = new Map<string, readonly CitedQuote[]>();
  return (page) => {
    const before = known.get(page);
    if (before !== undefined) return before;
    const parsed = parseFile({ path: page, bytes: readFileSync(join(corpus, page)) });
    const made = parsed.flatMap((document) => quotesOf(document, urlOf(page)));
    known.set(page, made);
    return made;
  };
}

function quotesOf({ text, blocks, units, metadata }: ParsedDocument, url: string | null): CitedQuote[] {
  const quotes: CitedQuote[] = [];
  const headings: string[] = [];
  let run: { start: number; end: number } | null = null;
  const add = ({ start, end }: TextRange, header: string[]) => {
    quotes.push({ text: text.slice(start, end), url, exact: true, above: [metadata.title, ...headings.filter(Boolean), ...header] });
  };
  const flush = () => {
    if (run !== null) add(run, []);
    run = null;
  };
  for (const unit of units) {
    const block = blocks[unit.block];
    if (block === undefined) continue;
    if (unit.type === "heading") {
      flush();
      headings.length = Math.min(headings.length, block.level - 1);
      headings[block.level - 1] = text.slice(unit.start, unit.end);
    } else if (unit.type === "table-row") {
      flush();
      const header = blocks[block.header];
      if (block.header !== unit.block) add(unit, header === undefined ? [] : [text.slice(header.start, header.end)]);
    } else if (run === null) run = { start: unit.start, end: unit.end };
    else run.end = unit.end;
  }
  flush();
  return quotes;
}
