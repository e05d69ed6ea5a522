/** A cell of a table's row with the name of its column; the name is empty where the header has none. */
export interface NamedCell {
  readonly name: string;
  readonly text: string;
}

/**
 * Cells of a row under the header of its table, both as they stand in the normalised text (`a | b | c`); empty cells are left out.
 * `null` when the row cannot be read by its header: it has more cells, or none.
 *
 * @example nameCells("Form | Deadline", "10182 | 1 year") // [{ name: "Form", text: "10182" }, { name: "Deadline", text: "1 year" }]
 */
export function nameCells(header: string, row: string): NamedCell[] | null {
  const names = cellsOf(header);
  const texts = cellsOf(row);
  if (texts.length < 2 || texts.length > names.length) return null;
  const cells = texts.flatMap((text, i) => (text === "" ? [] : [{ name: names[i] ?? "", text }]));
  return cells.length === 0 ? null : cells;
}

/** One line for people: `Form: 10182; Deadline: 1 year`. */
export function readCells(cells: readonly NamedCell[]): string {
  return cells.map(({ name, text }) => (name === "" || name === text ? text : `${name}: ${text}`)).join("; ");
}

/** The cells of a row or a header as it stands in the normalised text, empty ones too. */
export function cellsOf(row: string): string[] {
  return row.split("|").map((cell) => cell.trim());
}
