import type { TextRange } from "../../shared/types.ts";
import { closing, type MarkupEvent, opening } from "./markup.ts";
import { isHeaderRow } from "./table-grid.ts";
import type { MergedCells } from "./xlsx-sheet.ts";

/** A cell of a sheet. The range locates the cell's text in the source text. */
export interface SheetCell extends TextRange {
  /** Row and column count from 1, as in a spreadsheet. */
  readonly row: number;
  readonly column: number;
}

export function isFilled({ start, end }: TextRange): boolean {
  return end > start;
}

/** Returns the most frequent number; the largest one, if several are equally frequent. Returns 0 for an empty list. */
export function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
}

/** A table begins at the first row with more cells than this share of the usual number per row. */
const NAMED_SHARE = 2 / 3;

/**
 * Converts the rows of a sheet or CSV file to markup. The table begins at the first row with nearly the usual number of
 * cells, which may be the header. Rows above the table become paragraphs.
 */
export function sheetMarkup(text: string, rows: readonly (readonly SheetCell[])[], merged: readonly MergedCells[] = []): MarkupEvent[] {
  const events: MarkupEvent[] = [];
  const write = (name: string, { start, end }: TextRange, attributes = {}) => {
    events.push(opening(name, start, attributes));
    if (end > start) events.push({ type: "text", text: text.slice(start, end), start, end });
    events.push(closing(name, end));
  };
  const { spans, covered } = spansOf(rows, merged);
  const widths = rows.map((row) => {
    const filled = row.filter(isFilled).length;
    return filled > 1 ? filled + row.filter((cell) => covered.has(cell)).length : filled;
  });
  const usual = mostCommon(widths.filter((width) => width > 1));
  const first = usual > 1 ? widths.findIndex((width) => width > usual * NAMED_SHARE) : rows.length;
  for (const row of rows.slice(0, first)) {
    const cells = row.filter(isFilled);
    write("p", { start: cells[0]?.start ?? 0, end: cells.at(-1)?.end ?? 0 });
  }
  const body = rows.slice(first);
  if (body.length === 0) return events;
  const hasHeader = isHeaderRow(body.slice(0, 2).map((row) => row.map(({ start, end }) => text.slice(start, end))));
  const at = body[0]?.[0]?.start ?? 0;
  events.push(opening("table", at));
  for (const [r, row] of body.entries()) {
    events.push(opening("tr", at));
    for (const cell of row) if (!covered.has(cell)) write(hasHeader && r === 0 ? "th" : "td", cell, spans.get(cell));
    events.push(closing("tr", at));
  }
  events.push(closing("table", at));
  return events;
}

/** Maximum number of cells in merged ranges, per cell of the sheet. A file with more is an attack that costs processing time. */
const COVERED_PER_CELL = 8;

/** Returns the spans of merged cells and the cells that they cover. Ignores merged ranges with text outside their first cell. */
function spansOf(rows: readonly (readonly SheetCell[])[], merged: readonly MergedCells[]) {
  const spans = new Map<SheetCell, { readonly colspan: string; readonly rowspan: string }>();
  const covered = new Set<SheetCell>();
  let left = COVERED_PER_CELL * rows.reduce((sum, row) => sum + row.length, 0);
  const byNumber = new Map(rows.map((row, r) => [row[0]?.row, r]));
  const places = new Map((rows[0] ?? []).map(({ column }, place) => [column, place]));
  for (const { top, left: from, bottom, right } of merged) {
    const [r, place] = [byNumber.get(top), places.get(from)];
    if (r === undefined || place === undefined) continue;
    let [height, width] = [1, 1];
    while ((rows[r + height]?.[0]?.row ?? Number.POSITIVE_INFINITY) <= bottom) height++;
    while ((rows[r]?.[place + width]?.column ?? Number.POSITIVE_INFINITY) <= right) width++;
    left -= height * width;
    if (left < 0) break;
    const [cell, ...others] = rows.slice(r, r + height).flatMap((row) => row.slice(place, place + width));
    if (cell === undefined || covered.has(cell) || others.some(isFilled)) continue;
    spans.set(cell, { colspan: String(width), rowspan: String(height) });
    for (const other of others) covered.add(other);
  }
  return { spans, covered };
}
