import type { WireStatistics } from "../../src/client/index.ts";
import { formatNumber } from "../format.ts";
import { FigureTable } from "./figure-table.tsx";

/** Confidence beside what people found: a calibrated one of 70 to 80 should be right 7 to 8 times of 10. */
export function Judged({ judged }: { readonly judged: WireStatistics["judged"] }) {
  const rows = judged.flatMap(({ right, wrong }, part) => {
    const n = right + wrong;
    if (n === 0) return [];
    const share = Math.round((100 * right) / n);
    return [{ name: `${part * 10}–${(part + 1) * 10} of 100`, cells: [formatNumber(n), formatNumber(right), `${share} of 100`] }];
  });
  return (
    <FigureTable
      title="Confidence, and what people found"
      columns={["Confidence", "Judged", "Right", "Share right"]}
      rows={rows}
      note={
        rows.length === 0
          ? "No answer was approved, flagged or rated by a reader in this time."
          : "Right: approved, or called right by a reader; a review outweighs a reader. Few are judged, and not at random."
      }
    />
  );
}
