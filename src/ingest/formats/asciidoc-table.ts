import type { TextRange } from "../../types.ts";
import type { MarkupLine, MarkupTable } from "./line-markup.ts";
import type { TableCell } from "./table.ts";

/** What stands before a cell's mark: how many columns and rows it spans, or how often it is repeated, how it is aligned, and its style. */
const CELL = /(?:^|[ \t])(?:(?:(\d+)?(?:\.(\d+))?\+)|(?:(\d+)\*))?(?:[<^>]?(?:\.[<^>])?)[a-z]?$/;
/** Columns and rows that one cell may span, and how often it may be repeated: more would be an attempt to fill the memory. */
const MOST_SPANNED = 100;
/** Characters that the copies of one cell may hold together, for the same reason. What is repeated is a value, no text. */
const MOST_REPEATED = 1_000;
const MOST_COLUMNS = 1_000;

interface RawCell {
  readonly pieces: TextRange[];
  readonly columns: number;
  readonly rows: number;
  /** How often it stands in the table, one behind the other. */
  readonly times: number;
}

/**
 * The table between two fences `|===`, whatever lines its cells are spread over; `null`: no cell begins with its mark, as in a table of separated values.
 * @param settings the lines in brackets above it
 */
export function readTable(lines: readonly MarkupLine[], settings: string): MarkupTable | null {
  const cells: RawCell[] = [];
  /** Cells that begin on the first line that holds any. */
  let firstLine = 0;
  let isGapBelow = false;
  for (const [i, line] of lines.entries()) {
    const before = cells.length;
    readLine(line, cells);
    if (before > 0 || cells.length === 0) continue;
    firstLine = cells.reduce((sum, { columns, times }) => sum + columns * times, 0);
    isGapBelow = i === 0 && lines[1]?.text === "";
  }
  if (cells.length === 0) return null;
  const width = Math.min(MOST_COLUMNS, declaredColumns(settings) ?? firstLine);
  const isHeader = /%[\w%]*header|options\s*=\s*"?[^"\]]*header/.test(settings) || (isGapBelow && firstLine === width);
  return { rows: rowsOf(cells, width), hasHeader: isHeader && !/%noheader/.test(settings) };
}

/** Cells of a line; what stands before the first goes on with the cell of the line before. */
function readLine({ text, start }: MarkupLine, cells: RawCell[]): void {
  let from = 0;
  let open = cells.at(-1);
  const close = (to: number) => {
    const content = text.slice(from, to);
    if (content.trim() === "") return;
    let begin = from + content.length - content.trimStart().length;
    // The line break behind the last of a line is the blank before what goes on below.
    const end = to === text.length ? to + 1 : from + content.trimEnd().length;
    for (let at = text.indexOf("\\|", begin); at >= 0 && at < end; at = text.indexOf("\\|", begin + 1)) {
      open?.pieces.push({ start: start + begin, end: start + at });
      begin = at + 1;
    }
    open?.pieces.push({ start: start + begin, end: start + end });
  };
  for (let at = text.indexOf("|"); at >= 0; at = text.indexOf("|", at + 1)) {
    if (text[at - 1] === "\\") continue;
    const spec = CELL.exec(text.slice(from, at));
    close(spec === null ? at : from + spec.index);
    const spanned = (digits: string | undefined) => Math.min(MOST_SPANNED, Math.max(1, Number(digits ?? 1)));
    open = { pieces: [], columns: spanned(spec?.[1]), rows: spanned(spec?.[2]), times: spanned(spec?.[3]) };
    cells.push(open);
    from = at + 1;
  }
  close(text.length);
}

/** Cells in their columns; what a cell of a row above covers stays empty. */
function rowsOf(cells: readonly RawCell[], width: number): TableCell[][] {
  const rows: TableCell[][] = [];
  const covered = new Array<number>(width).fill(0);
  let row: TableCell[] = [];
  const put = (pieces: readonly TextRange[]) => {
    const at = pieces[0]?.start ?? 0;
    row.push({ row: rows.length + 1, column: row.length + 1, start: at, end: pieces.at(-1)?.end ?? at, pieces });
  };
  const fill = () => {
    for (let left = covered[row.length]; row.length < width && left !== undefined && left > 0; left = covered[row.length]) {
      covered[row.length] = left - 1;
      put([]);
    }
    if (row.length < width) return;
    rows.push(row);
    row = [];
  };
  for (const { pieces, columns, rows: down } of cells.flatMap(copiesOf)) {
    // A row that is covered as a whole holds no cell of its own.
    do fill();
    while (row.length === 0 && (covered[0] ?? 0) > 0);
    for (let k = 0; k < columns && row.length < width; k++) {
      covered[row.length] = down - 1;
      put(k === 0 ? pieces : []);
    }
    if (row.length === width) fill();
  }
  return row.length === 0 ? rows : [...rows, row];
}

/** A cell as often as it stands in the table. */
function copiesOf(cell: RawCell): RawCell[] {
  const characters = cell.pieces.reduce((sum, { start, end }) => sum + end - start, 0);
  return Array.from({ length: cell.times }, (_, copy) => (copy * characters > MOST_REPEATED ? { ...cell, pieces: [] } : cell));
}

/** `cols="1,2"`, `cols="2*,3"`, `[cols=3*]`: how many columns these are. */
function declaredColumns(settings: string): number | null {
  const declared = /\bcols\s*=\s*(?:"([^"]*)"|'([^']*)'|([^,\]]*))/.exec(settings);
  const list = declared?.[1] ?? declared?.[2] ?? declared?.[3];
  if (list === undefined || list.trim() === "") return null;
  if (/^\d+$/.test(list.trim()) && declared?.[3] !== undefined) return 1;
  return list.split(/[,;]/).reduce((sum, one) => sum + Math.min(MOST_COLUMNS, Number(/^\s*(\d+)\*/.exec(one)?.[1] ?? 1)), 0) || null;
}
