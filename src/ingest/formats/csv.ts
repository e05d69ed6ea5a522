import { IngestError } from "../../shared/errors.ts";
import type { TextRange } from "../../shared/types.ts";
import { BlockWriter } from "../block-writer.ts";
import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from "../limits.ts";
import { textFormat } from "./format.ts";
import { type FormatResult, plainMetadata } from "./parsed.ts";
import { mostCommon, type SheetCell, sheetMarkup } from "./sheet-markup.ts";
import { walkMarkup } from "./walk-markup.ts";

/** Supported separators. If two fit equally well, the first in this list wins. */
const SEPARATORS = [",", "\t", ";", "|"] as const;
/** Number of rows from which the separator is detected. */
const SAMPLE_ROWS = 50;

export const csvFormat = textFormat("csv", [".csv", ".tsv", ".tab", ".psv"], 2, (source, name) => [parseCsv(source, name)]);

export function parseCsv(source: string, name: string): FormatResult {
  // A first line such as `sep=;` sets the separator. Spreadsheet programs do not show this line, and count rows from the next line on.
  const [{ length: from }, declared] = /^\ufeff?(?:sep=(.)(?:\r?\n|$))?/i.exec(source) as unknown as [string, string?];
  const separator = declared ?? separatorOf(source, from);
  const isEmpty = ({ start, end }: TextRange) => source.slice(start, end).trim() === "";
  const rows = [...readRows(source, { separator, from })].filter((row) => !row.every(isEmpty));
  const writer = new BlockWriter(source);
  walkMarkup(sheetMarkup(source, rows), writer, {
    inline(cell) {
      for (const { start, end } of piecesOf(source, cell)) writer.text(start, end);
    },
  });
  const cells = rows.flat().flatMap(({ start, end, row, column }) => [start, end, row, column]);
  return { ...writer.finish(), metadata: plainMetadata(name), places: { type: "cells", cells, sheets: [] } };
}

/** Returns the ranges of a cell's text, without the quotation marks that enclose the cell or escape another quotation mark. */
function piecesOf(source: string, { start, end }: TextRange): TextRange[] {
  if (source[start] !== '"') return [{ start, end }];
  const innerEnd = source[end - 1] === '"' && end - 1 > start ? end - 1 : end;
  const pieces: TextRange[] = [];
  let from = start + 1;
  for (let at = source.indexOf('""', from); at >= 0 && at < innerEnd - 1; at = source.indexOf('""', at + 2)) {
    pieces.push({ start: from, end: at + 1 });
    from = at + 2;
  }
  return [...pieces, { start: from, end: innerEnd }];
}

/** Yields each row as the ranges of its cells, including their quotation marks. A row may span several lines. Linear time. */
function* readRows(
  source: string,
  { separator, from, limit = MAX_TABLE_ROWS }: { readonly separator: string; readonly from: number; readonly limit?: number },
): Generator<SheetCell[]> {
  let at = from;
  for (let row = 1; at < source.length; row++) {
    if (row > limit) {
      if (limit < MAX_TABLE_ROWS) return;
      throw new IngestError("file_too_large", `the table has more than ${MAX_TABLE_ROWS} rows: split it`, { limit });
    }
    const cells: SheetCell[] = [];
    for (let column = 1; ; column++) {
      if (column > MAX_TABLE_COLUMNS)
        throw new IngestError("file_too_large", `row ${row} has more than ${MAX_TABLE_COLUMNS} columns: split the table`, { row });
      const end = cellEnd(source, at, separator);
      cells.push({ start: at, end, row, column });
      at = end;
      if (source[at] !== separator) break;
      at++;
    }
    if (source[at] === "\r" && source[at + 1] === "\n") at++;
    at++;
    yield cells;
  }
}

function cellEnd(source: string, start: number, separator: string): number {
  let at = start;
  if (source[at] === '"') {
    at++;
    while (at < source.length) {
      const quote = source.indexOf('"', at);
      if (quote < 0) {
        at = start;
        break;
      }
      at = quote + 1;
      if (source[at] !== '"') break;
      at++;
    }
  }
  while (at < source.length && source[at] !== separator && source[at] !== "\n" && source[at] !== "\r") at++;
  return at;
}

/** Returns the separator that splits most rows into the same number of cells, at least two. */
function separatorOf(source: string, from: number): string {
  const scores = SEPARATORS.map((separator) => {
    const widths = [...readRows(source, { separator, from, limit: SAMPLE_ROWS })].map((row) => row.length);
    const common = mostCommon(widths);
    return common < 2 ? 0 : widths.filter((width) => width === common).length / widths.length + common / 1_000;
  });
  return SEPARATORS[scores.indexOf(Math.max(...scores))] ?? ",";
}
