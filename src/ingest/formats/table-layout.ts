import type { NamesColumns } from "../block-writer.ts";
import { closing, type MarkupEvent, type OpenEvent, opening, opens, partnersOf } from "./markup.ts";
import { columnsOf, type MarkupCell, type MarkupGrid, type MarkupRow, readGrid, type TableSource } from "./table-grid.ts";

/**
 * Maximum number of header rows. If more rows are marked as header (`th`, `thead`), only the first is the header. If
 * more rows merely look like a header, none is.
 */
const MOST_HEAD_ROWS = 4;
/**
 * Minimum number of columns to recognise a header by the values below it. With two columns, "Price | on request" above
 * "Weight | 5 kg" is an ordinary row.
 */
const LEAST_COLUMNS = 3;
/** Matches a value: a number with an optional currency sign. */
const VALUE = /^[\s$€£¥+\-–(]*\d.{0,20}$/su;
/** A column of values needs at least this share of values. Its other cells may say "closed" or "on request". */
const MOSTLY = 2 / 3;

/** The header cells of each column. A header of several rows has several cells per column. */
type ColumnNames = readonly (readonly MarkupCell[])[];
type ColumnCells = readonly (MarkupCell | undefined)[];

/**
 * Checks whether the first rows are the header, for a table that does not mark its header. Word processors seldom mark
 * headers. The first rows are the header if only they are bold, or if a column that consists mostly of values has a
 * name without digits. This is a heuristic, which is wrong for "Monday | closed | by appointment" above opening hours.
 */
function impliesHeader(names: ColumnNames, below: readonly ColumnCells[]): boolean {
  if (below.length < 2 || names.length < 2 || below.some((cells) => cells.length !== names.length)) return false;
  const texts = names.map((cells) => cells.map(({ text }) => text).join(" "));
  // The cell in the corner, above the names of the rows, may be empty.
  if (texts.filter((text) => text.trim() !== "").length < names.length - 1) return false;
  const distinct = texts.filter((text, i) => text.trim() !== "" && names[i]?.at(-1) !== names[i - 1]?.at(-1));
  if (new Set(distinct).size < distinct.length || names.some((cells) => cells.some(({ text }) => VALUE.test(text)))) return false;
  const isBold = (cells: ColumnCells) => cells.every((cell) => cell === undefined || cell.isBold || cell.text === "");
  if (isBold(names.flat()) && !below.some(isBold)) return true;
  const holdsValues = (name: string, column: number) => {
    const values = below.flatMap((cells) => cells[column]?.text || []);
    const found = values.filter((text) => VALUE.test(text)).length;
    return name.trim() !== "" && !/\d/.test(name) && found >= 2 && found >= MOSTLY * values.length;
  };
  return names.length >= LEAST_COLUMNS && texts.some(holdsValues);
}

/** Number of rows that `impliedHead` examines, from the last header row on. */
const LOOKED_AT = 12;

/**
 * Normalises tables to one cell per column. Repeats a cell in each row and column that it spans. Exception: the name of
 * a row, in its first column, is not repeated across columns. Joins several header rows into one with full names ("Fee
 * · Visitor"). A row above the header that spans the whole table becomes a paragraph before the table. A nested table
 * stays text of its cell. `names` maps the opening event of a row to whether the row contains column names.
 */
export function layOutTables(events: readonly MarkupEvent[], isInline: (event: OpenEvent) => boolean) {
  const names = new Map<MarkupEvent, NamesColumns>();
  if (!events.some((event) => opens(event, "table"))) return { events, names };
  const partner = partnersOf(events);
  const laid: MarkupEvent[] = [];
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as MarkupEvent;
    const close = partner[i] ?? i;
    if (!opens(event, "table") || isInline(event) || close <= i) laid.push(event);
    else {
      layOut({ events, partner, open: i, close }, laid, names);
      i = close;
    }
  }
  return { events: laid, names };
}

function layOut(table: TableSource, laid: MarkupEvent[], names: Map<MarkupEvent, NamesColumns>): void {
  const { events, open, close } = table;
  const grid = readGrid(table);
  const head = headOf(grid);
  const copy = (from: number, to: number) => {
    for (let i = from; i < to; i++) laid.push(events[i] as MarkupEvent);
  };
  let from = open;
  for (const [r, row] of grid.rows.entries()) {
    copy(from, row.open);
    from = row.close + 1;
    const place = head === null ? 1 : r - head.first;
    if (head !== null && place < 0) writeTitle(row);
    else if (head !== null && place === 0) {
      names.set(events[row.open] as MarkupEvent, head.names);
      if (head.rows === 1) writeRow(row, true);
      else writeNames(row, namesOf(grid, head));
    } else if (head === null || place >= head.rows) {
      names.set(events[row.open] as MarkupEvent, hasNamesOnly(row));
      writeRow(row, false);
      // The joined header already contains the text of this row. An empty block keeps the texts before and after the row apart.
    } else writeElement("p", row, () => {});
  }
  copy(from, close + 1);

  function writeTitle(row: MarkupRow): void {
    writeElement("p", row, () => {
      for (const cell of row.own) copy(cell.open + 1, cell.close);
    });
  }

  function writeElement(name: string, { open: at }: MarkupRow, writeInner: () => void): void {
    const { start } = events[at] as MarkupEvent;
    laid.push(opening(name, start));
    writeInner();
    laid.push(closing(name, start));
  }

  function writeNames(row: MarkupRow, columns: ColumnNames): void {
    laid.push(events[row.open] as MarkupEvent);
    for (const [column, cells] of columns.entries()) {
      writeElement("th", row, () => {
        for (const cell of cells) if (cell.isShort || cell.column === column) writeElement("p", row, () => copy(cell.open + 1, cell.close));
      });
    }
    laid.push(events[row.close] as MarkupEvent);
  }

  function writeRow(row: MarkupRow, isHead: boolean): void {
    const { cells, own } = row;
    const isPlain = cells.length === own.size && cells.every((cell) => columnsOf(cell, grid.width) === 1);
    const isEmpty = [...own].every((cell) => cell.isSimple && cell.text === "");
    if (isPlain || isEmpty || isWhole(row, grid)) {
      copy(row.open, row.close + 1);
      return;
    }
    laid.push(events[row.open] as MarkupEvent);
    let at = row.open + 1;
    let column = 0;
    const fill = (to: number, cell: MarkupCell | null) => {
      for (; column < to; column++) {
        if (cell === null) writeElement("td", row, () => {});
        else copy(cell.open, cell.close + 1);
      }
    };
    for (const cell of cells) {
      fill(cell.column, null);
      if (own.has(cell)) {
        copy(at, cell.close + 1);
        at = cell.close + 1;
      } else fill(column + 1, cell.isShort ? cell : null);
      column = cell.column + 1;
      // The name of a row, in its first column, is not repeated across columns.
      fill(cell.column + columnsOf(cell, grid.width), cell.isShort && (isHead || cell.column > 0) ? cell : null);
    }
    copy(at, row.close + 1);
  }
}

interface Head {
  /** Index of the first header row. Rows before it span the whole table. */
  readonly first: number;
  readonly rows: number;
  readonly names: NamesColumns;
}

/** Returns the header rows; `null` if there are none, or no row below them. */
function headOf(grid: MarkupGrid): Head | null {
  const { rows } = grid;
  const first = rows.findIndex((row) => !isWhole(row, grid));
  if (first < 0) return null;
  const hasBody = rows.some((row) => !row.isInHead);
  const isMarked = (row: MarkupRow | undefined) =>
    row !== undefined && !isWhole(row, grid) && ((hasBody && row.isInHead) || hasNamesOnly(row));
  let marked = 0;
  while (isMarked(rows[first + marked])) marked++;
  if (marked === 0) return impliedHead(grid, first);
  const reached = Math.max(marked, reachedFrom(grid, first));
  if (first + reached >= rows.length) return null;
  return { first, rows: reached > MOST_HEAD_ROWS ? 1 : reached, names: true };
}

function impliedHead(grid: MarkupGrid, first: number): Head | null {
  const { rows, width } = grid;
  const head = { first, rows: reachedFrom(grid, first) };
  const looked = rows.slice(0, first + head.rows + LOOKED_AT - 1);
  if (
    head.rows > MOST_HEAD_ROWS ||
    looked.some((row) => row.isInHead || row.cells.some(({ name, isSimple }) => name === "th" || !isSimple))
  )
    return null;
  const below = looked.slice(first + head.rows);
  // If a cell of the first row extends into rows below the header, the first row is no header.
  if (below.some(({ cells }) => cells.some((cell) => rows[first]?.own.has(cell)))) return null;
  const rowsBelow = below.filter((row) => !isWhole(row, grid)).map((row) => slotsOf(row, width));
  return impliesHeader(namesOf(grid, head), rowsBelow) ? { ...head, names: "maybe" } : null;
}

/**
 * Counts the header rows. If a cell of the first row spans several columns, it names a group of columns, whose names
 * are below it. Then the other cells of the first row extend down to the last header row.
 */
function reachedFrom(grid: MarkupGrid, first: number): number {
  const own = grid.rows[first]?.own ?? new Set();
  if (![...own].some((cell) => columnsOf(cell, grid.width) > 1)) return 1;
  let reached = 1;
  while (grid.rows[first + reached]?.cells.some((cell) => own.has(cell)) === true) reached++;
  return reached;
}

/** Checks whether a row consists of a single cell across the whole table: a title, or a label for the rows below. */
function isWhole({ cells }: MarkupRow, { width }: MarkupGrid): boolean {
  return width > 1 && cells.length === 1;
}

/** Checks whether a row contains only header cells, apart from empty cells at its start. */
function hasNamesOnly({ own }: MarkupRow): boolean {
  const cells = [...own];
  const first = cells.findIndex(({ name, open, close }) => name === "th" || close > open + 1);
  return first >= 0 && cells.slice(first).every(({ name }) => name === "th");
}

/** Returns the header cells above each column. Of several cells with the same text in a column, only the first is returned. */
function namesOf(grid: MarkupGrid, { first, rows }: Pick<Head, "first" | "rows">): ColumnNames {
  const lines = grid.rows.slice(first, first + rows).map((row) => slotsOf(row, grid.width));
  const last = Math.max(...lines.map((line) => line.length));
  return Array.from({ length: last }, (_, column) => {
    const cells = lines.flatMap((line) => line[column] ?? []);
    return cells.filter(({ text }, i) => text !== "" && cells.findIndex((cell) => cell.text === text) === i);
  });
}

/** Returns the cell at each column, up to the last column that has one. */
function slotsOf({ cells }: MarkupRow, width: number): ColumnCells {
  const slots: (MarkupCell | undefined)[] = [];
  for (const cell of cells) for (let i = 0; i < columnsOf(cell, width); i++) slots[cell.column + i] = cell;
  return Array.from(slots);
}
