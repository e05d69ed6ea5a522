import { IngestError } from "../../shared/errors.ts";
import type { TextRange } from "../../shared/types.ts";
import { BlockWriter } from "../block-writer.ts";
import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from "../limits.ts";
import { textFormat } from "./format.ts";
import { type FormatResult, plainMetadata } from "./parsed.ts";
import { isHeaderRow } from "./table-grid.ts";

/** Supported separators. On equal scores the first wins. */
const SEPARATORS = [",", "\t", ";", "|"] as const;
/** Rows that detection of the separator examines. */
const SAMPLE_ROWS = 50;

export const csvFormat = textFormat("csv", [".csv", ".tsv", ".tab", ".psv"], 1, (source, name) => [parseCsv(source, name)]);

export function parseCsv(source: string, name: string): FormatResult {
  const separator = separatorOf(source);
  const rows = [...readRows(source, separator)].filter((row) => row.some(({ start, end }) => source.slice(start, end).trim() !== ""));
  const hasHeader = isHeaderRow(rows.slice(0, 2).map((row) => row.map(({ start, end }) => source.slice(start, end))));
  const numbers: number[] = [];
  const writer = new BlockWriter(source);
  const table = writer.beginTable();
  for (const [i, cells] of rows.entries()) {
    writer.beginRow(table, hasHeader && i === 0);
    for (const cell of cells) {
      writer.beginCell();
      for (const { start, end } of piecesOf(source, cell)) writer.text(start, end);
      numbers.push(cell.start, cell.end, cell.row, cell.column);
    }
    writer.end();
  }
  return {
    ...writer.finish(),
    metadata: plainMetadata(name),
    places: { type: "cells", cells: numbers, sheets: [] },
  };
}

interface RawCell extends TextRange {
  readonly row: number;
  readonly column: number;
}

/** Returns the ranges of a cell's text without its quotes. */
function piecesOf(source: string, { start, end }: RawCell): TextRange[] {
  if (source[start] !== '"') return [{ start, end }];
  const inner = { start: start + 1, end: Math.max(start + 1, source[end - 1] === '"' && end - 1 > start ? end - 1 : end) };
  const pieces: TextRange[] = [];
  let from = inner.start;
  for (let at = source.indexOf('""', from); at >= 0 && at < inner.end - 1; at = source.indexOf('""', at + 2)) {
    pieces.push({ start: from, end: at + 1 });
    from = at + 2;
  }
  return [...pieces, { start: from, end: inner.end }];
}

/** Yields rows of cell ranges, including quotes. A row is a record, which may span lines. Linear time. */
function* readRows(source: string, separator: string, limit = MAX_TABLE_ROWS): Generator<RawCell[]> {
  const mark = source.charCodeAt(0) === 0xfeff ? 1 : 0;
  let at = mark;
  for (let row = 1; at < source.length; row++) {
    if (row > limit) {
      if (limit < MAX_TABLE_ROWS) return;
      throw new IngestError("file_too_large", `the table has more than ${MAX_TABLE_ROWS} rows: split it`, { limit });
    }
    const cells: RawCell[] = [];
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
function separatorOf(source: string): string {
  const declared = /^\ufeff?sep=(.)\r?\n/i.exec(source)?.[1];
  if (declared !== undefined) return declared;
  const scores = SEPARATORS.map((separator) => {
    const widths = [...readRows(source, separator, SAMPLE_ROWS)].map((row) => row.length);
    const common = mostCommon(widths);
    return common < 2 ? 0 : widths.filter((width) => width === common).length / widths.length + common / 1_000;
  });
  return SEPARATORS[scores.indexOf(Math.max(...scores))] ?? ",";
}

function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
}
