import type { TextRange } from "../types.ts";
import type { ParsedDocument } from "./parse.ts";

/** A stretch of a document with what stands above it: title, headings, a table's header. `text === document.text.slice(start, end)`. */
export interface DocumentQuote extends TextRange {
  readonly text: string;
  readonly above: readonly string[];
}

/** A document as quotes that together hold all of it: what stands under one heading is one, a table row is one of its own. */
export function documentQuotes({ text, blocks, units, metadata }: ParsedDocument): DocumentQuote[] {
  const quotes: DocumentQuote[] = [];
  const headings: string[] = [];
  let run: { start: number; end: number } | null = null;
  const add = ({ start, end }: TextRange, header: readonly string[]) => {
    quotes.push({ start, end, text: text.slice(start, end), above: [metadata.title, ...headings.filter(Boolean), ...header] });
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
