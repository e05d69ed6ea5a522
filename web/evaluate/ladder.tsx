import type { WireEvaluation } from "../../src/client/index.ts";
import { formatRoute } from "../app/route.ts";
import { ColumnHeads } from "../kit/column-heads.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { figuresOf, inFigures } from "./figures.ts";

const COLUMNS = ["answered.answerable", "right.answerable", "wrong.shown", "refused.near_miss", "confidence.auroc"] as const;
const TITLES = ["Answered", "Right", "Wrong of shown", "Close ones refused", "Confidence ranks right"] as const;

/** The newest run of each method beside the others: what each rung adds. */
export function Ladder({ runs }: { readonly runs: readonly WireEvaluation[] }) {
  const done = runs.filter(({ report }) => report !== null);
  const newest = new Map([...done].reverse().map((run) => [`${run.domain} ${run.profile}`, run]));
  if (newest.size < 2) return null;
  const rungs = [...newest.values()].sort((a, b) => rightOf(a) - rightOf(b));
  return (
    <>
      <h2>Methods beside one another</h2>
      <ScrollRegion className="answer-table" aria-label="Methods beside one another">
        <table>
          <ColumnHeads names={["Method", ...TITLES]} />
          <tbody>
            {rungs.map((run) => (
              <tr key={run.id}>
                <th scope="row">
                  <a href={formatRoute({ room: "evaluate", id: run.id })}>
                    {run.domain}, {run.profile ?? "its own method"}
                  </a>
                </th>
                {COLUMNS.map((name) => (
                  <td key={name}>{cellOf(run, name)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  );
}

function cellOf({ report }: WireEvaluation, name: string): string {
  const figure = report === null ? undefined : figuresOf(report.metrics).find((one) => one.name === name);
  return figure === undefined ? "–" : inFigures(figure.value);
}

function rightOf({ report }: WireEvaluation): number {
  return report?.metrics["right.answerable"] ?? 0;
}
