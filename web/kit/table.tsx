import { type HTMLAttributes, type ReactNode, type RefObject, useEffect, useRef } from "react";

/** Pairs items with their index, for lists in which the index is the only key, such as the columns of a table. */
export function numbered<T>(items: readonly T[]): { readonly place: number; readonly item: T }[] {
  return items.map((item, place) => ({ place, item }));
}

interface ScrollRegionProps extends Omit<HTMLAttributes<HTMLElement>, "tabIndex"> {
  readonly "aria-label": string;
  /** Ref to the element, for callers that scroll it. */
  readonly region?: RefObject<HTMLElement | null>;
}

/** A scrollable region. The Tab key reaches it only if its contents are larger than the region. */
export function ScrollRegion({ region, ...props }: ScrollRegionProps) {
  const own = useRef<HTMLElement>(null);
  const ref = region ?? own;
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const look = () => {
      const scrolls = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
      element.tabIndex = scrolls ? 0 : -1;
    };
    // The observer calls `look` after the first layout too. A direct call would force an additional layout of the whole page.
    const observer = new ResizeObserver(look);
    for (const observed of [element, ...element.children]) observer.observe(observed);
    return () => observer.disconnect();
  }, [ref]);
  return <section {...props} ref={ref} />;
}

interface TableProps {
  /** Column headers; absent: no header row. */
  readonly columns?: readonly string[];
  readonly rows: readonly {
    readonly key: string | number;
    /** Row header in the first column; absent: all cells are ordinary. */
    readonly head?: ReactNode;
    readonly cells: readonly ReactNode[];
    readonly props?: HTMLAttributes<HTMLTableRowElement>;
  }[];
  readonly caption?: string;
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

interface FigureTableProps extends Pick<TableProps, "columns"> {
  readonly title: string;
  /** Rows: the row header, and the cells of the other columns. */
  readonly rows: readonly (readonly [name: string, ...cells: readonly ReactNode[]])[];
  readonly note?: string | null;
  /** Text instead of an empty table. @default "None." */
  readonly empty?: string;
}

/** A table of numbers with a title. */
export function FigureTable({ title, columns = [], rows, note = null, empty = "None." }: FigureTableProps) {
  const headed = rows.map(([head, ...cells]) => ({ key: head, head, cells }));
  return (
    <section className="chart" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? <p className="muted">{empty}</p> : <ScrollTable label={`${title}: the table`} columns={columns} rows={headed} />}
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

const CELL_BOUNDARY = " | ";

export function isRow(line: string): boolean {
  return line.includes(CELL_BOUNDARY);
}

interface CellRowProps {
  readonly row: string;
  /** Offset of the row in its document. */
  readonly start: number;
  readonly isHeader?: boolean;
  readonly pieces: (text: string, start: number) => ReactNode;
}

/** Shows a table row of a document as cells. */
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
