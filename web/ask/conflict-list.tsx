import { type Disagreement, joinConflicts, type WireAnswer } from "../../src/client/index.ts";
import { formatDate, toHttpUrl } from "../format.ts";

export interface ConflictListProps {
  /** Number of the question in its conversation. */
  readonly number: number;
  readonly conflicts: WireAnswer["conflicts"];
}

/** Sources that differ, side by side, each matter once. */
export function ConflictList({ number, conflicts }: ConflictListProps) {
  return joinConflicts(conflicts).map((one, i) => (
    <section key={keyOf(one)} className="conflict" aria-label={`Conflict ${i + 1} of answer ${number}`}>
      <h3>{one.heading}</h3>
      <ul>
        {one.sides.map((side) => {
          const url = toHttpUrl(side.url);
          return (
            <li key={`${side.document_id} ${side.start} ${side.value}`}>
              {side.value === null ? null : <span className="conflict-value">{side.value}</span>}
              <q className="conflict-quote">{side.quote}</q>
              <span className="conflict-source">
                {url === null ? (
                  side.title
                ) : (
                  <a href={url} target="_blank" rel="noopener noreferrer">
                    {side.title}
                  </a>
                )}
              </span>
              <span className="conflict-date">{side.as_of === null ? "no date stated" : `as of ${formatDate(side.as_of)}`}</span>
            </li>
          );
        })}
      </ul>
      <p>
        {one.decidedBy === null
          ? `Nothing here decides which holds: check ${one.sides.length === 2 ? "both" : "all"}.`
          : decidedBy(one, one.decidedBy)}
      </p>
    </section>
  ));
}

function keyOf({ sides }: Disagreement): string {
  return sides.map(({ document_id, start, value }) => `${document_id} ${start} ${value}`).join(" ");
}

function decidedBy({ sides }: Disagreement, rule: NonNullable<Disagreement["decidedBy"]>): string {
  const holding = new Set(sides.filter(({ holds }) => holds).map(({ value, title }) => value ?? title));
  const reason = rule === "newer" ? "the newer source holds" : `a source of kind "${rule}" holds`;
  return `Decided by a declared rule, ${reason}: ${[...holding].join(", ")}`;
}
