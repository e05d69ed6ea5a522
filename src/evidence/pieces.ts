import type { Block, BlockType, PlacedUnit, TextRange } from "../shared/types.ts";
import { splitSentences } from "../text/sentences.ts";
import { aboveUnit, cellsOf } from "../text/units.ts";

/** A sentence, list item or table row with its context, before analysis. */
export interface Piece extends TextRange {
  readonly text: string;
  readonly type: BlockType | "table-cell";
  readonly title: string;
  /** Headings, the lead-in of a list, and the header of a table. */
  readonly above: readonly string[];
  readonly previous: string;
  readonly next: string;
}

/** A document or a passage to split. */
export interface PieceSource {
  readonly title: string;
  readonly units: readonly PlacedUnit[];
  readonly blocks: readonly Block[];
  /** Returns the text of a range of the document; empty if the text is not available. */
  readonly textOf: (range: TextRange) => string;
}

/** Splits a text into sentences, list items and rows, each with its context. */
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
    // A list item may contain several sentences.
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

/** Minimum length in characters of a table cell with sentences. Shorter cells are labels or values. */
const LONG_CELL = 48;

/** Separator of list items inside a cell. */
const CELL_ITEM = " · ";

/** Returns the sentences of the long cells of a row, each with the names of its column and its row. */
function statementsInCells(
  row: { readonly text: string; readonly start: number },
  { title, above }: { readonly title: string; readonly above: readonly string[] },
  header: string,
): Piece[] {
  const columns = cellsOf(header);
  const cells = partsOf(row.text, "|");
  return cells.slice(1).flatMap((cell, i) => {
    if (cell.text.length < LONG_CELL) return [];
    const over = [...above, columns[i + 1] ?? "", cells[0]?.text ?? ""].filter((text) => text !== "");
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
    }));
  });
}

/** Splits a text at a separator and trims the parts. */
function partsOf(text: string, separator: string): { readonly text: string; readonly start: number }[] {
  let at = 0;
  return text.split(separator).map((raw) => {
    const start = at + (raw.length - raw.trimStart().length);
    at += raw.length + separator.length;
    return { text: raw.trim(), start };
  });
}
