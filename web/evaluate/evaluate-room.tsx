import { useCallback, useEffect } from "react";
import type { WireEvaluation } from "../../src/client/index.ts";
import { formatRoute } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatNumber } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";
import { Ladder } from "./ladder.tsx";
import { RunView } from "./run-view.tsx";
import { StartForm } from "./start-form.tsx";

export interface EvaluateRoomProps {
  /** The run that is open; `null`: none. */
  readonly id: string | null;
  readonly account: Account;
}

/** Milliseconds between two looks while a run is on its way. */
const LOOK_MS = 1_000;
const TIME = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** Golden runs: questions whose right answers are known, asked as a reader would, and judged. */
export default function EvaluateRoom({ id, account }: EvaluateRoomProps) {
  const { api } = account;
  const [state, reload] = useLoaded(
    useCallback((signal) => api.get<{ items: readonly WireEvaluation[] }>("/v1/evaluations?limit=200", signal), [api]),
  );
  const runs = state.type === "ready" ? state.value.items : [];
  const isRunning = runs.some((run) => run.state === "running");
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [isRunning, reload]);
  return (
    <main className="room-page" aria-labelledby="evaluate-title">
      <h1 id="evaluate-title" className="room-title">
        Evaluate
      </h1>
      <p className="muted">Questions whose right answers are known, a golden set, are asked as a reader would ask them.</p>
      <StartForm account={account} isRunning={isRunning} onStarted={reload} />
      <StateLine state={state} what="the runs" onRetry={reload} />
      {state.type === "ready" && runs.length === 0 ? (
        <p role="status">
          There is no run yet. Start one above: it asks every question once, and shows how often the answers were right, wrong or missing.
          The documents that are searched here are not touched.
        </p>
      ) : null}
      {runs.length === 0 ? null : (
        <div className="columns">
          <section aria-label="Runs">
            <ul className="queue">
              {runs.map((run) => (
                <RunItem key={run.id} run={run} open={run.id === id} />
              ))}
            </ul>
            <Ladder runs={runs} />
          </section>
          <section aria-label="Run that is open">
            {id === null ? (
              <p className="muted">Choose a run to see its figures and its questions.</p>
            ) : (
              <RunView key={id} {...{ id, runs, api }} onDeleted={reload} />
            )}
          </section>
        </div>
      )}
    </main>
  );
}

const STATES = { running: "on its way", done: "done", failed: "failed", stopped: "stopped" } as const;

function RunItem({ run, open }: { readonly run: WireEvaluation; readonly open: boolean }) {
  const { id, domain, profile, questions, state, done, total, reason, started_at: at } = run;
  return (
    <li>
      <a className="queue-item" href={formatRoute({ room: "evaluate", id })} aria-current={open ? "true" : undefined}>
        <span>
          {domain}
          {profile === null ? "" : `, ${profile}`}
          {questions === null ? "" : `, ${questions}`}{" "}
          <span className={`verdict is-${state === "failed" ? "fail" : state === "done" ? "pass" : "warn"}`}>{STATES[state]}</span>
        </span>
        <span className="muted">
          {TIME.format(new Date(at))} · {formatNumber(done)} of {formatNumber(total)} questions
          {reason === null ? "" : ` · ${reason}`}
        </span>
        {state === "running" ? <progress aria-label={`Run over ${domain}`} value={done} max={total} /> : null}
      </a>
    </li>
  );
}
