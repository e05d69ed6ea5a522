import type { WireAnswer } from "../../src/client/index.ts";
import { formatDate, toHttpUrl } from "../format.ts";

export interface ConflictListProps {
  /** Number of the question in its conversation. */
  readonly number: number;
  readonly conflicts: WireAnswer["conflicts"];
}

type WireConflict = WireAnswer["conflicts"][number];

/** Sources that differ, side by side. */
export function ConflictList({ number, conflicts }: ConflictListProps) {
  return conflicts.map((conflict, i) => (
    <section key={keyOf(conflict)} className="conflict" aria-label={`Conflict ${i + 1} of answer ${number}`}>
      <h3>{headingOf(conflict)}</h3>
      <ul>
        {conflict.sides.map((side) => {
          const url = toHttpUrl(side.url);
          return (
            <li key={side.sid}>
              {hasValue(conflict.kind) ? <span className="conflict-value">{side.value}</span> : null}
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
      <p>{conflict.resolved_by === null ? "Nothing here decides which holds: check both." : decidedBy(conflict, conflict.resolved_by)}</p>
    </section>
  ));
}

/** Values say by themselves what differs; of words taken out of a sentence only the sentence says it. */
function headingOf({ kind, sides }: WireConflict): string {
  return hasValue(kind) ? `Sources disagree: ${sides.map(({ value }) => value).join(" or ")}` : "Sources disagree";
}

function hasValue(kind: WireConflict["kind"]): boolean {
  return kind === "value" || kind === "date";
}

function keyOf({ sides }: WireConflict): string {
  return sides.map(({ document_id, start }) => `${document_id} ${start}`).join(" ");
}

function decidedBy({ sides }: WireConflict, { rule, holds }: NonNullable<WireConflict["resolved_by"]>): string {
  const side = sides.find(({ sid }) => sid === holds);
  const reason = rule === "newer" ? "the newer source holds" : `a source of kind "${rule}" holds`;
  return `Decided by a declared rule, ${reason}: ${side?.value ?? holds}`;
}
