import type { ReactNode } from "react";

const CELL_BOUNDARY = " | ";

interface CellRowProps {
  readonly row: string;
  /** Offset of the row in its document. */
  readonly start: number;
  readonly isHeader?: boolean;
  readonly pieces: (text: string, start: number) => ReactNode;
}

export function isRow(line: string): boolean {
  return line.includes(CELL_BOUNDARY);
}

/** Shows a table row as cells. */
export function CellRow({ row, start, isHeader = false, pieces }: CellRowProps) {
  let at = start;
  return (
    <span data-at={start} className={isHeader ? "text-row is-header" : "text-row"}>
      {row.split(CELL_BOUNDARY).map((cell) => {
        const from = at;
        at += cell.length + CELL_BOUNDARY.length;
        return (
          <span key={from} className="text-cell">
            {pieces(cell, from)}
          </span>
        );
      })}
    </span>
  );
}
