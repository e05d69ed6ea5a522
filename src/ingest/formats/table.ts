import type { TextRange } from "../../types.ts";
import type { BlockWriter } from "../block-writer.ts";

/** What is longer is read once, wherever it reaches. In characters. */
export const SHORT_CHARACTERS = 200;
/** Rows of names at most, one above the other: more are no names. */
export const MOST_HEAD_ROWS = 4;

/** A cell of a table file: where it stands in the source, and which ranges of it are its text. */
export interface TableCell extends TextRange {
  /** As a spreadsheet counts, from 1. */
  readonly row: number;
  readonly column: number;
  readonly pieces: readonly TextRange[];
  /** Further names of its column, of cells below it; absent: none. */
  readonly below?: readonly TableCell[];
}

export interface TableOptions {
  readonly hasHeader: boolean;
  /** Gets `[start, end, row, column]` of every cell. */
  readonly onCell: (cell: readonly [number, number, number, number]) => void;
}

/** Writes every row of a table as a row of its own under the same header. */
export function writeTable(writer: BlockWriter, rows: readonly (readonly TableCell[])[], { hasHeader, onCell }: TableOptions): void {
  const table = writer.beginTable();
  for (const [i, cells] of rows.entries()) {
    writer.beginRow(table, hasHeader && i === 0);
    for (const cell of cells) {
      writer.beginCell();
      for (const [k, { start, end, row, column, pieces }] of [cell, ...(cell.below ?? [])].entries()) {
        if (k > 0) writer.paragraph();
        for (const piece of pieces) writer.text(piece.start, piece.end);
        onCell([start, end, row, column]);
      }
    }
    writer.end();
  }
}

const NUMERIC = /^[\s$€£¥%+\-(]*\d[\d\s.,/:%)-]*$/;

/** Whether the first row names the columns: its cells are filled, differ, and are no numbers where those below are. */
export function isHeaderRow([first, second]: readonly (readonly string[])[]): boolean {
  if (first === undefined || second === undefined) return false;
  const names = first.map((name) => name.trim());
  const filled = names.filter((name) => name !== "");
  if (filled.length < Math.max(1, names.length / 2) || new Set(filled).size < filled.length) return false;
  return !filled.some((name) => NUMERIC.test(name));
}
