import { isBold, type MarkupEvent, type OpenEvent, opens } from "./markup.ts";

/** Maximum length, in characters, of a text that is repeated in each row and column that its cell spans. */
const SHORT_CHARACTERS = 200;
/** Maximum values of `colspan` and `rowspan` in HTML. */
const MOST_COLUMNS = 1_000;
const MOST_ROWS = 65_534;
/**
 * Maximum number of events copied to repeat cells: this number per event of the table, plus `LEAST_COPIED`. More is an attack on memory.
 */
const COPIED_PER_EVENT = 8;
const LEAST_COPIED = 64;
/** Maximum number of events (tags and texts) in a simple cell. Cells with more are neither column names nor values. */
const SIMPLE_EVENTS = 60;

export interface MarkupCell {
  /** Indexes of the opening and closing events of the cell. */
  readonly open: number;
  readonly close: number;
  readonly column: number;
  readonly columns: number;
  readonly name: "td" | "th";
  /** Trimmed text of the cell; empty if the cell is not simple. */
  readonly text: string;
  readonly isBold: boolean;
  /** True if the cell contains no table and at most `SIMPLE_EVENTS` events. */
  readonly isSimple: boolean;
  /** True if the text of the cell is repeated in each row and column that the cell spans. */
  readonly isShort: boolean;
}

export interface MarkupRow {
  readonly open: number;
  readonly close: number;
  /** Whether the row is in `thead`. */
  readonly isInHead: boolean;
  /** Cells from left to right, including cells of earlier rows that extend into this row. `own`: those that begin in this row. */
  readonly cells: readonly MarkupCell[];
  readonly own: ReadonlySet<MarkupCell>;
}

/** The rows of a table, without those of nested tables, and its width: the number of columns up to the last in which a cell begins. */
export type MarkupGrid = ReturnType<typeof readRows>;

/** The events of a document with their partner tags, and the indexes of the opening and closing event of one table. */
export type TableSource = Readonly<{ events: readonly MarkupEvent[]; partner: Int32Array; open: number; close: number }>;

/**
 * Returns the cells of a table with their spans, limited as in HTML. If too many events would be copied to repeat
 * spanned cells, all spans are ignored. Linear time.
 */
export function readGrid(table: TableSource): MarkupGrid {
  const spanned = readRows(table, true);
  return copiedEvents(spanned) <= copiesAllowed(table) ? spanned : readRows(table, false);
}

function copiesAllowed({ open, close }: TableSource): number {
  return LEAST_COPIED + COPIED_PER_EVENT * (close - open);
}

/** Counts the events that must be copied to repeat spanned cells. */
function copiedEvents({ rows, width }: MarkupGrid): number {
  let copied = 0;
  for (const { cells, own } of rows) {
    for (const cell of cells)
      copied += (columnsOf(cell, width) - (own.has(cell) ? 1 : 0)) * (cell.isShort ? cell.close - cell.open + 1 : 2);
  }
  return copied;
}

/** Returns the number of columns that a cell spans within the table. */
export function columnsOf({ column, columns }: MarkupCell, width: number): number {
  return Math.max(1, Math.min(columns, width - column));
}

function readRows(table: TableSource, hasSpans: boolean) {
  const { events, partner, open, close } = table;
  const rows: MarkupRow[] = [];
  let reaching: Reaching[] = [];
  let width = 0;
  let headEnd = -1;
  let steps = hasSpans ? copiesAllowed(table) : Number.POSITIVE_INFINITY;
  for (let i = open + 1; i < close; i++) {
    const event = events[i];
    if (event?.type !== "open") continue;
    const end = partner[i] ?? i;
    if (opens(event, "thead", "tbody", "tfoot")) reaching = [];
    if (event.name === "thead") headEnd = end;
    if (event.name === "table") i = end;
    if (event.name !== "tr") continue;
    const placed = placeRow(cellsIn(table, i, end), reaching, hasSpans);
    // If spanned cells take too many steps, the remaining spans are ignored.
    steps -= placed.cells.length;
    reaching = steps < 0 ? [] : placed.reaching;
    for (const { column } of placed.own) width = Math.max(width, column + 1);
    rows.push({ open: i, close: end, isInHead: end < headEnd, cells: placed.cells, own: placed.own });
    i = end;
  }
  return { rows, width };
}

interface Reaching {
  readonly cell: MarkupCell;
  /** Number of further rows that the cell covers. */
  readonly rows: number;
}

type RawCell = Omit<MarkupCell, "column" | "columns"> & { readonly attributes: OpenEvent["attributes"] };

/** Assigns columns to the cells of a row. Skips columns into which cells of earlier rows extend. */
function placeRow(raw: readonly RawCell[], above: readonly Reaching[], hasSpans: boolean) {
  const cells: MarkupCell[] = [];
  const own = new Set<MarkupCell>();
  const reaching = above.flatMap(({ cell, rows }) => (rows > 1 ? [{ cell, rows: rows - 1 }] : []));
  let column = 0;
  let next = 0;
  const passReaching = () => {
    for (let one = above[next]?.cell; one !== undefined && one.column <= column; one = above[++next]?.cell) {
      cells.push(one);
      column = one.column + one.columns;
    }
  };
  for (const { attributes, ...cell } of raw) {
    passReaching();
    const room = (above[next]?.cell.column ?? Number.POSITIVE_INFINITY) - column;
    const columns = hasSpans ? Math.max(1, Math.min(room, MOST_COLUMNS, spanOf(attributes.colspan))) : 1;
    const rows = hasSpans ? Math.min(MOST_ROWS, spanOf(attributes.rowspan)) : 1;
    const placed = { ...cell, column, columns };
    cells.push(placed);
    own.add(placed);
    // A `rowspan` of 0 extends the cell to the end of the table section.
    if (rows !== 1) reaching.push({ cell: placed, rows: rows === 0 ? Number.POSITIVE_INFINITY : rows - 1 });
    column += columns;
  }
  for (const { cell } of above.slice(next)) cells.push(cell);
  return { cells, own, reaching: reaching.sort((a, b) => a.cell.column - b.cell.column) };
}

/** Parses a span as HTML does: invalid values are 1. */
function spanOf(value = "1"): number {
  return Number(/^\s*\+?(\d+)/.exec(value)?.[1] ?? 1);
}

function cellsIn({ events, partner }: TableSource, open: number, close: number): RawCell[] {
  const cells: RawCell[] = [];
  for (let i = open + 1; i < close; i++) {
    const event = events[i];
    if (event?.type !== "open" || (event.name !== "td" && event.name !== "th")) continue;
    const end = partner[i] ?? i;
    cells.push({ open: i, close: end, name: event.name, attributes: event.attributes, ...readCell(events, i, end) });
    i = end;
  }
  return cells;
}

function readCell(events: readonly MarkupEvent[], open: number, close: number) {
  let text = "";
  let isAllBold = true;
  let depth = 0;
  let isSimple = close - open <= SIMPLE_EVENTS;
  for (let i = open + 1; i < close && isSimple; i++) {
    const event = events[i];
    if (opens(event, "table")) isSimple = false;
    else if (event?.type === "open" && isBold(event)) depth++;
    else if (event?.type === "close" && isBold(event)) depth--;
    else if (event?.type === "text" && event.text.trim() !== "") {
      text += event.text;
      isAllBold &&= depth > 0;
    }
  }
  text = text.trim();
  return { text, isBold: isAllBold && text !== "", isSimple, isShort: isSimple && text.length <= SHORT_CHARACTERS };
}

const NUMERIC = /^[\s$€£¥%+\-(]*\d[\d\s.,/:%)-]*$/;

/** Returns whether the first row names the columns: its cells are mostly filled, all different, and not numeric. */
export function isHeaderRow([first, second]: readonly (readonly string[])[]): boolean {
  if (first === undefined || second === undefined) return false;
  const names = first.map((name) => name.trim());
  const filled = names.filter((name) => name !== "");
  if (filled.length < Math.max(1, names.length / 2) || new Set(filled).size < filled.length) return false;
  return !filled.some((name) => NUMERIC.test(name));
}
