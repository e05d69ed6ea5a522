import type { MarkupEvent } from "./markup.ts";

/** Rows that are looked at; the header is the first. */
const LOOKED_AT = 12;
/** Columns at least where values alone tell: in two, "Price | on request" above "Weight | 5 kg" is a row like the others. */
const LEAST_COLUMNS = 3;
/** Events of a cell at most: what is longer neither names a column nor is a value. */
const MOST_EVENTS = 60;
/** A number first, behind signs of currency or none: what a column of values holds. */
const VALUE = /^[\s$€£¥+\-–(]*\d.{0,20}$/su;
/** Share of a column's cells that are values where others say "closed" or "on request". */
const MOSTLY = 2 / 3;
const BOLD: ReadonlySet<string> = new Set(["b", "strong"]);

interface Cell {
  readonly text: string;
  readonly isBold: boolean;
}

interface Row {
  /** Of its event. */
  readonly index: number;
  readonly cells: readonly Cell[];
}

/**
 * The row that names the columns of a table in which no row is marked as its header (word processors mark none unless told to): the first, where it alone is bold
 * or where a column mostly of values stands below a cell without a digit.
 * A guess: "Monday | closed | by appointment" above the hours of other days looks the same, so the row stays one that can be quoted.
 * @param partner of each event that opens something the one that closes it
 * @returns the event's index; -1: none
 */
export function impliedHeader(events: readonly MarkupEvent[], partner: Int32Array, open: number, close: number): number {
  const [first, ...below] = rowsOf(events, partner, open, close) ?? [];
  if (first === undefined || below.length < 2 || first.cells.length < 2) return -1;
  const named = first.cells.filter(({ text }) => text !== "");
  // The corner above the rows' names may be empty.
  if (named.length < first.cells.length - 1 || new Set(named.map(({ text }) => text)).size < named.length) return -1;
  if (below.some(({ cells }) => cells.length !== first.cells.length)) return -1;
  if (named.some(({ text }) => VALUE.test(text))) return -1;
  const isBold = ({ cells }: Row) => cells.every((cell) => cell.isBold || cell.text === "");
  if (isBold(first) && !below.some(isBold)) return first.index;
  if (first.cells.length < LEAST_COLUMNS) return -1;
  const holdsValues = (_: Cell, column: number) => {
    const filled = below.flatMap(({ cells }) => cells[column]?.text || []);
    const values = filled.filter((text) => VALUE.test(text));
    return values.length >= 2 && values.length >= MOSTLY * filled.length;
  };
  return first.cells.some((cell, column) => cell.text !== "" && !/\d/.test(cell.text) && holdsValues(cell, column)) ? first.index : -1;
}

/** The first rows of a table, those of tables in it aside; `null`: one of them is marked as a header, or is no row of short cells. */
function rowsOf(events: readonly MarkupEvent[], partner: Int32Array, open: number, close: number): Row[] | null {
  const rows: Row[] = [];
  for (let i = open + 1; i < close && rows.length < LOOKED_AT; i++) {
    const event = events[i];
    if (event?.type !== "open") continue;
    const end = partner[i] ?? i;
    if (event.name === "thead" || event.name === "th") return null;
    if (event.name === "table") i = end;
    if (event.name !== "tr") continue;
    const cells = cellsOf(events, partner, i, end);
    if (cells === null) return null;
    rows.push({ index: i, cells });
    i = end;
  }
  return rows;
}

function cellsOf(events: readonly MarkupEvent[], partner: Int32Array, open: number, close: number): Cell[] | null {
  const cells: Cell[] = [];
  for (let i = open + 1; i < close; i++) {
    const event = events[i];
    if (event?.type !== "open") continue;
    if (event.name === "th") return null;
    const end = partner[i] ?? i;
    if (event.name === "table" || end - i > MOST_EVENTS) return null;
    if (event.name !== "td") continue;
    cells.push(cellOf(events, i, end));
    i = end;
  }
  return cells;
}

function cellOf(events: readonly MarkupEvent[], open: number, close: number): Cell {
  let text = "";
  let isBold = true;
  let depth = 0;
  for (let i = open + 1; i < close; i++) {
    const event = events[i];
    if (event?.type === "open" && BOLD.has(event.name)) depth++;
    else if (event?.type === "close" && BOLD.has(event.name)) depth--;
    else if (event?.type === "text" && event.text.trim() !== "") {
      text += event.text;
      isBold &&= depth > 0;
    }
  }
  return { text: text.trim(), isBold: isBold && text !== "" };
}
