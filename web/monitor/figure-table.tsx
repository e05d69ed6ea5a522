import type { ReactNode } from "react";
import { numbered } from "../kit/numbered.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";

export interface FigureTableProps {
  readonly title: string;
  readonly columns: readonly string[];
  /** Rows by their names, with a cell for each column but the first. */
  readonly rows: readonly { readonly name: string; readonly cells: readonly ReactNode[] }[];
  readonly note?: string | null;
}

/** Figures by name. */
export function FigureTable({ title, columns, rows, note = null }: FigureTableProps) {
  return (
    <section className="chart" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? <p className="muted">None.</p> : null}
      {rows.length === 0 ? null : (
        <ScrollRegion className="answer-table" aria-label={`${title}: the table`}>
          <table>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ name, cells }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {numbered(cells).map(({ place, item }) => (
                    <td key={place}>{item}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      {note === null ? null : <p className="muted">{note}</p>}
    </section>
  );
}
