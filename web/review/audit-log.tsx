import { useCallback } from "react";
import type { WireHistory } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount } from "../format.ts";
import { ColumnHeads } from "../kit/column-heads.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";

export interface AuditLogProps {
  readonly api: Pick<Api, "get">;
}

/** Who did what, chained by hashes. */
export function AuditLog({ api }: AuditLogProps) {
  const [state, reload] = useLoaded(useCallback((signal) => api.get<WireHistory>("/v1/review/history?limit=50", signal), [api]));
  if (state.type !== "ready") return <StateLine state={state} what="the log" onRetry={reload} />;
  const { chain, rows } = state.value;
  return (
    <>
      <p className={chain.intact ? "muted" : "message is-warning"}>
        {chain.intact
          ? `The chain of ${formatCount(chain.rows, "entry", "entries")} is whole.`
          : `The chain is broken at entry ${chain.broken_at}: somebody has changed the log.`}
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
                  <td>{at}</td>
                  <td>{by}</td>
                  <td>{action.replaceAll("_", " ")}</td>
                  <td>
                    <code>{subject}</code>
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
