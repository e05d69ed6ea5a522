export interface CardProps {
  readonly title: string;
  readonly value: string;
  readonly note?: string;
}

/** One figure. */
export function Card({ title, value, note }: CardProps) {
  return (
    <li className="card">
      <span className="muted">{title}</span>
      <strong className="figure">{value}</strong>
      {note === undefined ? null : <span className="muted">{note}</span>}
    </li>
  );
}
