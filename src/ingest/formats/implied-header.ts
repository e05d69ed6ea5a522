import type { MarkupCell } from "./table-grid.ts";

/** Columns at least where values alone tell: in two, "Price | on request" above "Weight | 5 kg" is a row like the others. */
const LEAST_COLUMNS = 3;
/** A number first, behind signs of currency or none: what a column of values holds. */
const VALUE = /^[\s$€£¥+\-–(]*\d.{0,20}$/su;
/** A value with words behind it: "4 weeks to the end of a month". */
const LONG_VALUE = /^[\s$€£¥+\-–(]*\d.{0,80}$/su;
/** Rows at least where longer values tell. */
const LEAST_LONG = 3;
/** A year, a number, a range: what the rows of a table in two columns are named by where values alone tell. */
const NUMBER = /^\d[\d\s.,/–-]*$/u;
/** Share of a column's cells that are values where others say "closed" or "on request". */
const MOSTLY = 2 / 3;

/** The cell of each column; of a row of names those above each other. */
export type ColumnNames = readonly (readonly MarkupCell[])[];
export type ColumnCells = readonly (MarkupCell | undefined)[];

/**
 * Whether the first row (or rows, where a cell in it covers several columns) of a table in which nothing is marked as its header names the columns; word processors mark
 * none unless told to. `shown`: it alone is bold; `guessed`: a column mostly of values stands below a cell without a digit, or all below are values.
 * "Monday | closed | by appointment" above the hours of other days looks the same as a header that is guessed.
 */
export function impliesHeader(names: ColumnNames, below: readonly ColumnCells[]): "shown" | "guessed" | null {
  if (below.length < 2 || names.length < 2) return null;
  const texts = names.map((cells) =>
    cells
      .map(({ text }) => text)
      .join(" ")
      .trim(),
  );
  const named = texts.filter((text) => text !== "");
  // The corner above the rows' names may be empty.
  if (named.length < names.length - 1) return null;
  const distinct = texts.filter((text, i) => text !== "" && names[i]?.at(-1) !== names[i - 1]?.at(-1));
  if (new Set(distinct).size < distinct.length) return null;
  if (below.some((cells) => cells.length !== names.length)) return null;
  if (names.some((cells) => cells.some(({ text }) => VALUE.test(text)))) return null;
  const filled = names.flat().filter(({ text }) => text !== "");
  const isBold = (cells: ColumnCells) => cells.every((cell) => cell === undefined || cell.isBold || cell.text === "");
  if (filled.every((cell) => cell.isBold) && !below.some(isBold)) return "shown";
  const columns = texts.map((name, column) => ({ name, values: below.flatMap((cells) => cells[column]?.text || []) }));
  const isGuessed = names.length < LEAST_COLUMNS ? areAllValues(columns) : columns.some(holdsValues);
  return isGuessed ? "guessed" : null;
}

interface Column {
  readonly name: string;
  /** Of its filled cells. */
  readonly values: readonly string[];
}

function holdsValues({ name, values }: Column): boolean {
  if (name === "" || /\d/.test(name)) return false;
  const short = values.filter((text) => VALUE.test(text)).length;
  return (short >= 2 && short >= MOSTLY * values.length) || (values.length >= LEAST_LONG && values.every((text) => LONG_VALUE.test(text)));
}

/** In two columns: numbers and their values below words alone. */
function areAllValues(columns: readonly Column[]): boolean {
  if (columns.some(({ name, values }) => name === "" || /\d/.test(name) || values.length < 2)) return false;
  const [first, ...others] = columns;
  return (
    first?.values.every((text) => NUMBER.test(text)) === true && others.every(({ values }) => values.every((text) => VALUE.test(text)))
  );
}
