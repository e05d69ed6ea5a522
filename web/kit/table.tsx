import type { HTMLAttributes, ReactNode } from "react";
import { numbered } from "./numbered.ts";
import { ScrollRegion } from "./scroll-region.tsx";

export interface TableProps {
  /** Column headers; absent: no header row. */
  readonly columns?: readonly string[];
  readonly rows: readonly TableRow[];
  readonly caption?: string;
}

export interface TableRow {
  readonly key: string | number;
  /** Row header in the first column; absent: all cells are ordinary. */
  readonly head?: ReactNode;
  readonly cells: readonly ReactNode[];
  readonly props?: HTMLAttributes<HTMLTableRowElement>;
}

export function Table({ columns = [], rows, caption }: TableProps) {
  return (
    <table>
      {caption === undefined ? null : <caption>{caption}</caption>}
      {columns.length === 0 ? null : (
        <thead>
          <tr>
            {numbered(columns).map(({ place, item }) => (
              <th key={place} scope="col">
                {item}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map(({ key, head, cells, props }) => (
          <tr key={key} {...props}>
            {head === undefined ? null : <th scope="row">{head}</th>}
            {numbered(cells).map(({ place, item }) => (
              <td key={place}>{item}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A table that scrolls horizontally if it is too wide. */
export function ScrollTable({ label, ...table }: TableProps & { readonly label: string }) {
  return (
    <ScrollRegion className="answer-table" aria-label={label}>
      <Table {...table} />
    </ScrollRegion>
  );
}

export interface FigureTableProps extends Pick<TableProps, "columns"> {
  readonly title: string;
  /** Rows. The name of a row is its row header; its cells belong to the other columns. */
  readonly rows: readonly { readonly name: string; readonly cells: readonly ReactNode[] }[];
  readonly note?: string | null;
  /** Text instead of an empty table. @default "None." */
  readonly empty?: string;
}

/** A table of numbers with a title. */
export function FigureTable({ title, columns = [], rows, note = null, empty = "None." }: FigureTableProps) {
  return (
    <section className="chart" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? <p className="muted">{empty}</p> : null}
      {rows.length === 0 ? null : (
        <ScrollTable
          label={`${title}: the table`}
          columns={columns}
          rows={rows.map(({ name, cells }) => ({ key: name, head: name, cells }))}
        />
      )}
      {note === null ? null : <p className="muted">{note}</p>}
    </section>
  );
}

export function Card({ title, value, note }: { readonly title: string; readonly value: string; readonly note?: string }) {
  return (
    <li className="card">
      <span className="muted">{title}</span>
      <strong className="figure">{value}</strong>
      {note === undefined ? null : <span className="muted">{note}</span>}
    </li>
  );
}
