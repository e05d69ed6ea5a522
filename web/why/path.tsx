import type { WireAnswer } from "../../src/client/index.ts";
import type { StageRecord } from "../ask/conversation/state.ts";
import { describeStage, FIRST_SENTENCE, formatCount } from "../format.ts";
import { formatCost, formatDuration } from "../kit/figures.ts";
import { numbered } from "../kit/table.tsx";
import { labelFacts } from "./facts.ts";

/**
 * Shows the stages of an answer on a timeline.
 * @param stages as the server reported them while answering; empty for an answer that was loaded later, which has only timings
 */
export function Path({ answer, stages }: { readonly answer: WireAnswer; readonly stages: readonly StageRecord[] }) {
  const { [FIRST_SENTENCE]: first, ...timings } = answer.timings_ms;
  const timed = stages.length > 0 ? stages : Object.entries(timings).map(([stage, ms]) => ({ stage, ms, facts: {} }));
  if (timed.length === 0) return <p>No stage was reported.</p>;
  const sumOf = (records: readonly StageRecord[]) => records.reduce((sum, { ms }) => sum + ms, 0);
  const whole = Math.max(sumOf(timed), 0.001);
  return (
    <>
      <p>
        {formatDuration(answer.latency_ms)} in all
        {first === undefined ? "" : `, the first checked sentence after ${formatDuration(first)}`}. Language models:{" "}
        {answer.token_usage.total === null ? "tokens not reported" : formatCount(answer.token_usage.total, "token")},{" "}
        {formatCost(answer.cost_usd)}.
      </p>
      <ol className="stack timeline">
        {numbered(timed).map(({ place, item: { stage, ms, facts } }) => (
          <li key={place}>
            <span>{describeStage(stage)}</span>
            <span className="muted">{formatDuration(ms)}</span>
            <svg className="timeline-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect x={(sumOf(timed.slice(0, place)) / whole) * 99} y="0" width={Math.max(1, (ms / whole) * 100)} height="4" />
            </svg>
            <span className="muted">{labelFacts(facts).join(" · ")}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
