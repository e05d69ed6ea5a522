import type { SourceText, TextRange } from "../shared/types.ts";
import { aboveUnit, unitsIn } from "../text/units.ts";
import type { ParsedDocument } from "./parse.ts";

/** A stretch of a document with what stands above it: title, headings, a table's header. `text === document.text.slice(start, end)`. */
export interface DocumentQuote extends TextRange {
  readonly text: string;
  readonly above: readonly string[];
  /** Of a table's row: the header of its table; otherwise `null`. */
  readonly header: string | null;
}

/** A document as quotes that together hold all of it: what stands under one heading is one, a table row is one of its own. */
export function documentQuotes(document: ParsedDocument): DocumentQuote[] {
  const { text, metadata } = document;
  const quotes: DocumentQuote[] = [];
  let run: { start: number; end: number; headingPath: readonly string[] } | null = null;
  const add = ({ start, end }: TextRange, above: readonly string[], header: SourceText | null = null) => {
    quotes.push({ start, end, text: text.slice(start, end), above: [metadata.title, ...above], header: header?.text ?? null });
  };
  const flush = () => {
    if (run !== null) add(run, run.headingPath);
    run = null;
  };
  let under: readonly string[] = [];
  for (const unit of unitsIn(document)) {
    const { start, end, headingPath } = unit;
    // Behind the end of a section the headings above it hold again.
    if (headingPath !== under) flush();
    under = headingPath;
    if (unit.type === "heading") flush();
    else if (unit.type === "table-row") {
      flush();
      if (document.blocks[unit.block]?.header !== unit.block) add(unit, aboveUnit(unit), unit.header);
    } else if (run === null) run = { start, end, headingPath };
    else run.end = end;
  }
  flush();
  return quotes;
}
