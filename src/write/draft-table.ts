import { nameCells, readCells } from "../text/table-row.ts";

/** The line below a table's header: `|---|:--:|`. */
const RULE = /^(?=[^-]*-)[\s|:-]+$/;

/** Rows of a table that a model drew, as sentences. */
export interface DraftTable {
  /** @returns sentences that are whole now: a row waits for the line behind it, which tells whether it was the header */
  take(line: string): string[];
  end(): string[];
}

/** Reads a row by the header above it: no bar of a table reaches a reader, and no header passes for a sentence. */
export function createDraftTable(): DraftTable {
  let waiting: string | null = null;
  let header: string | null = null;
  const end = () => {
    const left = waiting;
    waiting = null;
    header = null;
    return left === null ? [] : [readRow(left, null)];
  };
  return {
    take(line) {
      if (RULE.test(line) && line.includes("|")) {
        header = waiting;
        waiting = null;
        return [];
      }
      if (!isRow(line)) return [...end(), line];
      const row = line.trim().replace(/^\|/, "").replace(/\|$/, "");
      if (header !== null) return [readRow(row, header)];
      const before = waiting;
      waiting = row;
      return before === null ? [] : [readRow(before, null)];
    },
    end,
  };
}

function isRow(line: string): boolean {
  return /^\s*\|.*\|/.test(line) || /\S \| \S/.test(line);
}

function readRow(row: string, header: string | null): string {
  const cells = header === null ? null : nameCells(header, row);
  if (cells !== null) return readCells(cells);
  return row
    .split("|")
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "")
    .join("; ");
}
