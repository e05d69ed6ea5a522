import type { WireAnswer } from "../../src/client/index.ts";
import { describeStage, formatCost, formatCount, formatDuration, formatNumber, formatShare } from "../format.ts";
import type { StageRecord, Turn } from "./conversation/state.ts";

export interface AccountProps {
  readonly answer: WireAnswer;
  readonly stages: readonly StageRecord[];
  readonly unbuilt: Turn["notices"];
}

/** How the answer was made: stages, checks, evidence, cost. */
export function Account({ answer, stages, unbuilt }: AccountProps) {
  return (
    <details className="account">
      <summary>How this was made</summary>
      <dl className="account-facts">
        <Fact name="Answer" value={answer.id} />
        <Fact name="Profile" value={`${answer.profile}, domain ${answer.domain}`} />
        <Fact name="Written by" value={answer.model} />
        <Fact name="Time" value={formatDuration(answer.latency_ms)} />
        <Fact name="Cache" value={answer.cache_mode} />
        <Fact name="Tokens" value={answer.token_usage.total === null ? "not counted" : formatNumber(answer.token_usage.total)} />
        <Fact name="Cost" value={formatCost(answer.cost_usd)} />
      </dl>
      {answer.agg_conf === null || answer.agg_conf_calibrated ? null : (
        <p>Uncalibrated: the confidence was not fitted to labelled questions. It orders answers; it is not a probability.</p>
      )}
      <Stages stages={stages} />
      <Checks checks={answer.checks} />
      <Evidence evidence={answer.evidence} />
      <Unbuilt notices={unbuilt} />
    </details>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Unbuilt({ notices }: { readonly notices: AccountProps["unbuilt"] }) {
  if (notices.length === 0) return null;
  return (
    <>
      <h4>Not in this build</h4>
      <ul>
        {notices.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </>
  );
}

function Stages({ stages }: { readonly stages: readonly StageRecord[] }) {
  if (stages.length === 0) return null;
  return (
    <>
      <h4>Stages</h4>
      <ol className="stages">
        {stages.map(({ stage, ms, facts }) => (
          <li key={stage}>
            <span>{describeStage(stage)}</span>
            <span className="stage-facts">
              {Object.entries(facts)
                .map(([name, value]) => `${name} ${typeof value === "number" ? formatNumber(value) : String(value)}`)
                .join(" · ")}
            </span>
            <span className="stage-ms">{formatDuration(ms)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Checks({ checks }: { readonly checks: WireAnswer["checks"] }) {
  if (checks.length === 0) return null;
  return (
    <>
      <h4>{formatCount(checks.length, "check")}</h4>
      <ul className="checks">
        {checks.map(({ name, verdict, score, reason, sentence }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a finished list
          <li key={index}>
            <span className={`verdict is-${verdict}`}>{verdict}</span> <strong>{name}</strong>
            {sentence === null ? "" : ` (sentence ${sentence + 1})`}
            {score === null ? "" : ` ${formatShare(score)}`}: {reason}
          </li>
        ))}
      </ul>
    </>
  );
}

function Evidence({ evidence }: { readonly evidence: WireAnswer["evidence"] }) {
  if (evidence.length === 0) return null;
  return (
    <>
      <h4>{formatCount(evidence.length, "passage")} weighed</h4>
      <ul className="checks">
        {evidence.map(({ sid, title, final, verdict, reason }) => (
          <li key={sid}>
            <span className={`verdict is-${verdict}`}>{verdict}</span> <strong>{sid}</strong> {title} {formatShare(final)}: {reason}
          </li>
        ))}
      </ul>
    </>
  );
}
