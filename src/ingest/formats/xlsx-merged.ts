import { MOST_HEAD_ROWS, SHORT_CHARACTERS, type TableCell } from "./table.ts";

/** Cells of a sheet that are one, as a spreadsheet counts rows and columns, from 1; both ends belong to it. */
export interface MergedCells {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Merged cells without those before their first shown one, which shows what the first of all, the anchor, holds. */
export interface ShownCells extends MergedCells {
  readonly anchor: { readonly row: number; readonly column: number };
}

/** Rows and columns of a sheet that are hidden, from 1. */
export interface HiddenLines {
  readonly rows: ReadonlySet<number>;
  readonly columns: ReadonlySet<number>;
}

const MERGED = /<(?:\w{1,8}:)?mergeCell\b[^<>]*\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g;
/** Cells that may be filled for each that the sheet has: more would be an attempt to fill the memory. */
const FILLED_PER_CELL = 8;

/** What is merged on a sheet, of which this is the part of the file. */
export function readMerged(sheet: string): MergedCells[] {
  return [...sheet.matchAll(MERGED)].map(([, from = "", top, to = "", bottom]) => ({
    top: Number(top),
    left: columnNumber(from),
    bottom: Number(bottom),
    right: columnNumber(to),
  }));
}

/** What of the merged cells is shown; those of which nothing is are left out. Linear. */
export function shownCells(merged: readonly MergedCells[], hidden: HiddenLines): ShownCells[] {
  const [shownRow, shownColumn] = [firstShown(hidden.rows), firstShown(hidden.columns)];
  return merged.flatMap((one) => {
    const [top, left] = [shownRow(one.top), shownColumn(one.left)];
    return top > one.bottom || left > one.right ? [] : [{ ...one, top, left, anchor: { row: one.top, column: one.left } }];
  });
}

/** The first line from a given one on that is shown. */
function firstShown(hidden: ReadonlySet<number>): (from: number) => number {
  const next = new Map<number, number>();
  for (const line of [...hidden].sort((a, b) => b - a)) next.set(line, next.get(line + 1) ?? line + 1);
  return (from) => next.get(from) ?? from;
}

/** `AA` is 27. */
export function columnNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/**
 * Rows of a table in which what is merged stands in each column and row that it covers, but what names a row once. Where the first rows name groups of columns and the
 * columns in them, they are one row: "Fee · Visitor".
 */
export function withMergedCells(rows: readonly (readonly TableCell[])[], merged: readonly ShownCells[]): readonly (readonly TableCell[])[] {
  const [first] = rows;
  const top = first?.[0]?.row;
  if (first === undefined || top === undefined || merged.length === 0) return rows;
  const filled = rows.map((row) => [...row]);
  const byNumber = new Map(filled.map((row) => [row[0]?.row, row]));
  // Hidden columns are not there: what stands in a column is found by its number, the same in each row.
  const longest = filled.reduce((most, row) => (row.length > most.length ? row : most), filled[0] ?? []);
  const placeOf = new Map(longest.map(({ column }, place) => [column, place]));
  let left = FILLED_PER_CELL * filled.reduce((sum, row) => sum + row.length, 0);
  const isGroup = (one: ShownCells) => one.top === top && one.right > one.anchor.column;
  const head = merged.reduce((most, one) => (one.top === top ? Math.max(most, one.bottom - top + 1) : most), 1);
  const below = filled.filter(([cell]) => (cell?.row ?? 0) >= top + head);
  const hasGroups = head > 1 && head <= MOST_HEAD_ROWS && merged.some(isGroup) && below.length > 0;
  for (const one of merged) {
    const cell = byNumber.get(one.top)?.[placeOf.get(one.left) ?? -1];
    if (cell === undefined || isEmpty(cell) || cell.end - cell.start > SHORT_CHARACTERS) continue;
    for (let row = one.top; row <= one.bottom && left > 0; row++) {
      left--;
      const cells = byNumber.get(row);
      if (cells === undefined) continue;
      // What names a row names it once.
      const right = one.left === cells[0]?.column && row > top ? one.left : Math.min(one.right, cells.at(-1)?.column ?? 0);
      for (let column = one.left; column <= right && left > 0; column++) {
        left--;
        const place = placeOf.get(column) ?? -1;
        const covered = cells[place];
        if (covered !== undefined && isEmpty(covered)) cells[place] = { ...covered, pieces: cell.pieces };
      }
    }
  }
  return hasGroups ? [namesOf(filled.slice(0, filled.length - below.length)), ...below] : filled;
}

/** The names above each column, each once. */
function namesOf([first = [], ...below]: readonly (readonly TableCell[])[]): TableCell[] {
  return first.map((cell, column) => {
    const names = [cell, ...below.flatMap((row) => row[column] ?? [])].filter(({ pieces }) => pieces.some(({ start, end }) => end > start));
    const distinct = names.filter(({ pieces }, i) => names.findIndex((other) => other.pieces[0]?.start === pieces[0]?.start) === i);
    return { ...cell, below: distinct.filter((one) => one !== cell) };
  });
}

/** It has no words of its own, nor any of what it is merged with. */
function isEmpty({ pieces }: TableCell): boolean {
  return pieces.every(({ start, end }) => start === end);
}
