import type { Reading } from "../reading/reading.ts";
import { once } from "../text/once.ts";
import { cellsOf } from "../text/table-row.ts";
import type { CitedQuote } from "./finding.ts";
import type { Reader, Statement } from "./statements.ts";

export interface TableRow {
  readonly cells: readonly Reading[];
}

/** The cited rows of one table. */
export interface CitedTable {
  /** What its header names the columns. */
  readonly columns: readonly Reading[];
  readonly rows: readonly TableRow[];
  /** All else that is cited; read when first asked. */
  others(): readonly Statement[];
  /** What stands above its rows. */
  readonly above: readonly Reading[];
}

/** Fewer rows or columns can be mistaken for none. */
const FEWEST = 2;

/** The tables of which two rows or more are cited, or one with two columns besides that which names it. */
export function tablesOf(quotes: readonly CitedQuote[], reader: Reader): CitedTable[] {
  const tables = new Map<string, CitedQuote[]>();
  for (const quote of quotes) {
    if (typeof quote.header !== "string" || cellsOf(quote.text).length > cellsOf(quote.header).length) continue;
    const key = [quote.url, quote.header, ...(quote.above ?? [])].join("\u0000");
    const rows = tables.get(key);
    if (rows === undefined) tables.set(key, [quote]);
    else rows.push(quote);
  }
  return [...tables.values()].flatMap((own) => {
    const [first] = own as [CitedQuote];
    const columns = cellsOf(first.header ?? "").map(reader.read);
    if (columns.length < FEWEST || own.length + columns.length < FEWEST + FEWEST) return [];
    const rows = own.map(({ text }) => ({ cells: columns.map((_, i) => reader.read(cellsOf(text)[i] ?? "")) }));
    const isOwn = new Set(own);
    const others = once(() => quotes.filter((quote) => !isOwn.has(quote)).flatMap((quote) => reader.statements(quote)));
    return [{ columns, rows, others, above: (first.above ?? []).filter((line) => line !== first.header).map(reader.read) }];
  });
}
