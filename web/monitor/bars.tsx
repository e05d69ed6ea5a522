import { formatNumber } from "../format.ts";

export interface BarsProps {
  readonly title: string;
  readonly bars: readonly { readonly name: string; readonly count: number }[];
  readonly note?: string | null;
}

/** Counts as bars, in a table that is read aloud as one. */
export function Bars({ title, bars, note = null }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <section className="chart" aria-label={title}>
      <h2>{title}</h2>
      {bars.length === 0 ? <p className="muted">None.</p> : null}
      {bars.length === 0 ? null : (
        <table className="bars">
          <tbody>
            {bars.map(({ name, count }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="bar-cell">
                  <svg className="timeline-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                    <rect x="0" y="0" width={(count / most) * 100} height="4" />
                  </svg>
                </td>
                <td className="count">{formatNumber(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {note === null ? null : <p className="muted">{note}</p>}
    </section>
  );
}
