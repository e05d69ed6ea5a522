import type { WireStatistics } from "../../src/client/index.ts";
import { formatCost, formatDate, formatDuration, formatNumber } from "../format.ts";
import { FigureTable } from "./figure-table.tsx";

/** Days that are listed, the newest. */
const LISTED = 31;

/** What each day brought, the newest first. */
export function Days({ days }: { readonly days: WireStatistics["days"] }) {
  const rows = [...days].reverse().slice(0, LISTED);
  return (
    <FigureTable
      title="Day by day"
      columns={["Day", "Questions", "Not answered", "Failed", "From memory", "Half within", "95 of 100 within", "Tokens", "Spent"]}
      rows={rows.map(({ day, interactions, refused, failed, hits, p50_ms, p95_ms, tokens, usd }) => ({
        name: formatDate(day),
        cells: [
          ...[interactions, refused, failed, hits].map(formatNumber),
          ...[p50_ms, p95_ms].map((ms) => (ms === null ? "–" : formatDuration(ms))),
          formatNumber(tokens),
          formatCost(usd),
        ],
      }))}
      note={
        days.length > LISTED
          ? `The newest ${LISTED} of ${formatNumber(days.length)} days. Days are those of UTC.`
          : "Days are those of UTC."
      }
    />
  );
}
