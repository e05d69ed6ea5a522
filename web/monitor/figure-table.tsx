import type { ReactNode } from "react";
import { ColumnHeads } from "../kit/column-heads.tsx";
import { numbered } from "../kit/numbered.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";

export interface FigureTableProps {
  readonly title: string;
  readonly columns: readonly string[];
  /** Rows by their names, with a cell for each column but the first. */
  readonly rows: readonly { readonly name: string; readonly cells: readonly ReactNode[] }[];
  readonly note?: string | null;
  /** Said where there is no row. @default "None." */
  readonly empty?: string;
}

/** Figures by name. */
export function FigureTable({ title, columns, rows, note = null, empty = "None." }: FigureTableProps) {
  return (
    <section className="chart" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? <p className="muted">{empty}</p> : null}
      {rows.length === 0 ? null : (
        <ScrollRegion className="answer-table" aria-label={`${title}: the table`}>
          <table>
            <ColumnHeads names={columns} />
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
