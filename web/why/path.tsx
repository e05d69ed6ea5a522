import type { WireAnswer } from "../../src/client/index.ts";
import type { StageRecord } from "../ask/conversation/state.ts";
import { describeStage, FIRST_SENTENCE, formatCount } from "../format.ts";
import { formatCost, formatDuration } from "../kit/figures.ts";
import { numbered } from "../kit/numbered.ts";
import { labelFacts } from "./facts.ts";

export interface PathProps {
  readonly answer: WireAnswer;
  /** Stages as the server reported them while answering. Empty for an answer that was loaded later, which has only timings. */
  readonly stages: readonly StageRecord[];
}

/** Shows the stages of an answer on a timeline. */
export function Path({ answer, stages }: PathProps) {
  const timed: readonly StageRecord[] =
    stages.length > 0
      ? stages
      : Object.entries(answer.timings_ms)
          .filter(([name]) => name !== FIRST_SENTENCE)
          .map(([stage, ms]) => ({ stage, ms, facts: {} }));
  if (timed.length === 0) return <p>No stage was reported.</p>;
  const whole = Math.max(
    timed.reduce((sum, { ms }) => sum + ms, 0),
    0.001,
  );
  const begins = timed.map((_, i) => timed.slice(0, i).reduce((sum, { ms }) => sum + ms, 0));
  const first = answer.timings_ms[FIRST_SENTENCE];
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
              <rect x={((begins[place] ?? 0) / whole) * 99} y="0" width={Math.max(1, (ms / whole) * 100)} height="4" />
            </svg>
            <Facts facts={facts} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Facts({ facts }: { readonly facts: StageRecord["facts"] }) {
  const shown = labelFacts(facts);
  if (shown.length === 0) return null;
  return <span className="muted">{shown.map(({ name, value }) => `${name}: ${value}`).join(" · ")}</span>;
}
