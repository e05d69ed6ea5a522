import type { Block, BlockType, PlacedUnit, TextRange } from "../shared/types.ts";
import { splitSentences } from "../text/sentences.ts";
import { aboveUnit } from "../text/units.ts";

/** A sentence, list item or table row with what stands around it, before it is read. */
export interface Piece extends TextRange {
  readonly text: string;
  readonly type: BlockType | "table-cell";
  readonly title: string;
  /** Headings, a list's lead-in, a table's header. */
  readonly above: readonly string[];
  readonly previous: string;
  readonly next: string;
  /** Name of the column of a table's cell. */
  readonly column?: string;
}

/** What pieces are cut from: a document, or a passage of one. */
export interface PieceSource {
  readonly title: string;
  readonly units: readonly PlacedUnit[];
  readonly blocks: readonly Block[];
  /** Text of a range of the document; empty where it is not at hand. */
  readonly textOf: (range: TextRange) => string;
}

/** Sentences, list items and rows of a text, each with what stands above it and beside it. */
export function piecesOf({ title, units, blocks, textOf }: PieceSource): Piece[] {
  const pieces: Piece[] = [];
  for (const [i, unit] of units.entries()) {
    if (unit.type === "heading" || unit.type === "code") continue;
    const text = textOf(unit);
    const { header } = unit;
    if (unit.type === "table-row" && (header === null || blocks[unit.block]?.header === unit.block)) continue;
    const above = aboveUnit({ ...unit, header: null });
    if (header !== null) {
      pieces.push(...statementsInCells({ text, start: unit.start }, { title, above }, header.text));
      above.push(header.text);
    }
    const beside = (at: number) => {
      const other = units[at];
      return other === undefined || other.type === "heading" || other.type === "table-row" || unit.type === "table-row"
        ? ""
        : textOf(other);
    };
    // A list item may hold several sentences.
    const parts = unit.type === "list-item" ? splitSentences(text) : [{ start: 0, end: text.length }];
    const partAt = (at: number) => (parts[at] === undefined ? null : text.slice(parts[at].start, parts[at].end));
    for (const [j, { start, end }] of parts.entries()) {
      pieces.push({
        text: text.slice(start, end),
        type: unit.type,
        start: unit.start + start,
        end: unit.start + end,
        title,
        above,
        previous: partAt(j - 1) ?? beside(i - 1),
        next: partAt(j + 1) ?? beside(i + 1),
      });
    }
  }
  return pieces;
}

/** Characters from which a cell of a table is a statement, no label or value. */
const LONG_CELL = 48;

/** Between the items of a list inside a cell. */
const CELL_ITEM = " · ";

/** Sentences of the long cells of a row, each below the names of its column and its row. */
function statementsInCells(
  row: { readonly text: string; readonly start: number },
  { title, above }: { readonly title: string; readonly above: readonly string[] },
  header: string,
): Piece[] {
  const columns = cellsOf(header);
  const cells = cellsOf(row.text);
  const label = cells[0]?.text ?? "";
  return cells.slice(1).flatMap((cell, i) => {
    if (cell.text.length < LONG_CELL) return [];
    const column = columns[i + 1]?.text ?? "";
    const over = [...above, column, label].filter((text) => text !== "");
    const parts = partsOf(cell.text, CELL_ITEM).flatMap((item) =>
      splitSentences(item.text).map(({ start, end }) => ({ text: item.text.slice(start, end), start: item.start + start })),
    );
    return parts.map(({ text, start }, j) => ({
      text,
      type: "table-cell" as const,
      start: row.start + cell.start + start,
      end: row.start + cell.start + start + text.length,
      title,
      above: over,
      previous: parts[j - 1]?.text ?? "",
      next: parts[j + 1]?.text ?? "",
      column,
    }));
  });
}

export interface Part {
  readonly text: string;
  readonly start: number;
}

function cellsOf(row: string): Part[] {
  return partsOf(row, "|");
}

/** Parts of a text between separators, trimmed. */
function partsOf(text: string, separator: string): Part[] {
  let at = 0;
  return text.split(separator).map((raw) => {
    const start = at + (raw.length - raw.trimStart().length);
    at += raw.length + separator.length;
    return { text: raw.trim(), start };
  });
}
