import { useCallback, useEffect, useId, useState } from "react";
import type { WireEvaluation } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import { formatRoute } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { goTo } from "../app/use-route.ts";
import { formatNumber } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";
import { Ladder } from "./ladder.tsx";
import { RunView } from "./run-view.tsx";

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
    useCallback((signal) => api.get<{ items: readonly WireEvaluation[] }>("/v1/evaluations", signal), [api]),
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
      <p className="muted">
        Questions whose right answers are known are asked as a reader would ask them, over the documents that the golden set was written
        for.
      </p>
      <StartForm account={account} isRunning={isRunning} onStarted={reload} />
      <StateLine state={state} what="the runs" onRetry={reload} />
      {state.type === "ready" && runs.length === 0 ? (
        <p role="status">
          There is no run yet. Start one above: it asks every question of the golden set once, and shows how often the answers were right,
          wrong or missing. The documents that are searched here are not touched.
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

interface StartFormProps {
  readonly account: Account;
  readonly isRunning: boolean;
  readonly onStarted: () => void;
}

function StartForm({ account: { api, domain, domains }, isRunning, onStarted }: StartFormProps) {
  const [profile, setProfile] = useState("");
  const [failed, setFailed] = useState<string | null>(null);
  const id = useId();
  const profiles = domains.type === "ready" ? domains.value.profiles : [];

  async function start() {
    setFailed(null);
    try {
      const body = { ...(domain === null ? {} : { domain: domain.name }), ...(profile === "" ? {} : { profile }) };
      const run = await api.send<WireEvaluation>("POST", "/v1/evaluations", body);
      onStarted();
      goTo({ room: "evaluate", id: run.id });
    } catch (error) {
      setFailed(messageOf(error));
    }
  }

  return (
    <>
      <div className="filters">
        <label htmlFor={id}>Method</label>
        <select id={id} className="field" value={profile} onChange={(event) => setProfile(event.target.value)}>
          <option value="">The usual one of these documents</option>
          {profiles.map(({ name, title }) => (
            <option key={name} value={name}>
              {name} – {title}
            </option>
          ))}
        </select>
        <button type="button" className="ask-button" disabled={isRunning} onClick={start}>
          {isRunning ? "A run is on its way" : `Run the golden set${domain === null ? "" : ` of ${domain.title}`}`}
        </button>
      </div>
      {failed === null ? null : (
        <p role="alert" className="message is-warning">
          {failed}
        </p>
      )}
    </>
  );
}

const STATES = { running: "on its way", done: "done", failed: "failed", stopped: "stopped" } as const;

function RunItem({ run, open }: { readonly run: WireEvaluation; readonly open: boolean }) {
  const { id, domain, profile, state, done, total, reason, started_at: at } = run;
  return (
    <li>
      <a className="queue-item" href={formatRoute({ room: "evaluate", id })} aria-current={open ? "true" : undefined}>
        <span>
          {domain}
          {profile === null ? "" : `, ${profile}`}{" "}
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
