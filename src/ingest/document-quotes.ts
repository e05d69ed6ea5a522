import type { SourceText, TextRange } from "../shared/types.ts";
import { aboveUnit, unitsIn } from "../text/units.ts";
import type { ParsedDocument } from "./parse.ts";

/** A range of a document's text with its context: the title and headings `above` it, and the `header` of its table. */
export interface DocumentQuote extends TextRange {
  readonly text: string;
  readonly above: readonly string[];
  /** Header of the table if the quote is a table row; otherwise `null`. */
  readonly header: string | null;
}

/**
 * Splits a document into quotes: one per table row, and one for the other text between two headings or rows. Headings
 * and header rows serve as context only.
 */
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
    // A new section begins a new quote.
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
