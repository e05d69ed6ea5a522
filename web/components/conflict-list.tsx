import type { WireAnswer } from "../../src/client/index.ts";
import { formatDate, toHttpUrl } from "../format.ts";

export interface ConflictListProps {
  readonly conflicts: WireAnswer["conflicts"];
  readonly evidence: WireAnswer["evidence"];
}

/** Sources that differ, side by side. */
export function ConflictList({ conflicts, evidence }: ConflictListProps) {
  return conflicts.map((conflict) => (
    <section key={conflict.about} className="conflict" aria-label={`Conflict about ${conflict.about}`}>
      <h3>Sources disagree: {conflict.about}</h3>
      <ul>
        {conflict.sides.map((side) => {
          const source = evidence.find(({ sid }) => sid === side.sid);
          const url = toHttpUrl(source?.url ?? null);
          const title = source?.title ?? side.sid;
          return (
            <li key={side.sid}>
              <span className="conflict-value">{side.value}</span>
              <span className="conflict-source">
                {url === null ? (
                  title
                ) : (
                  <a href={url} target="_blank" rel="noopener noreferrer">
                    {title}
                  </a>
                )}
              </span>
              <span className="conflict-date">{side.as_of === null ? "no date stated" : `as of ${formatDate(side.as_of)}`}</span>
            </li>
          );
        })}
      </ul>
      <p>{conflict.resolved_by === null ? "Nothing here decides which holds: check both." : `Decided by: ${conflict.resolved_by}`}</p>
    </section>
  ));
}
