import { useCallback } from "react";
import type { WireHistory } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { formatRoute } from "../app/route.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatMoment } from "../format.ts";
import { ColumnHeads } from "../kit/column-heads.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { actionInWords } from "./review-words.ts";

/** What is done to one answer; the entry names it. */
const OF_AN_ANSWER: ReadonlySet<string> = new Set(["approve", "flag", "correct", "demote", "feedback"]);

export interface AuditLogProps {
  readonly api: Pick<Api, "get">;
}

/** Who did what; each entry holds the hash of the one before it, so that a change shows. */
export function AuditLog({ api }: AuditLogProps) {
  const [state, reload] = useLoaded(useCallback((signal) => api.get<WireHistory>("/v1/review/history?limit=50", signal), [api]));
  if (state.type !== "ready") return <StateLine state={state} what="the log" onRetry={reload} />;
  const { chain, rows } = state.value;
  return (
    <>
      <p className={chain.intact ? "muted" : "message is-warning"}>
        {chain.intact
          ? `Nobody has changed this log: each of its ${formatCount(chain.rows, "entry", "entries")} fits the one before it.`
          : `Somebody has changed this log: entry ${chain.broken_at} does not fit the one before it.`}
      </p>
      {rows.length === 0 ? (
        <p>Nothing was done yet.</p>
      ) : (
        <ScrollRegion className="answer-table" aria-label="Log of reviews">
          <table>
            <ColumnHeads names={["When", "Who", "What", "Of"]} />
            <tbody>
              {rows.map(({ seq, at, by, action, subject }) => (
                <tr key={seq}>
                  <td>
                    <time dateTime={at}>{formatMoment(at)}</time>
                  </td>
                  <td>{by}</td>
                  <td>{actionInWords(action)}</td>
                  <td>
                    {OF_AN_ANSWER.has(action) ? (
                      <a href={formatRoute({ room: "review", id: subject })}>the answer</a>
                    ) : (
                      <code>{subject}</code>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </>
  );
}
