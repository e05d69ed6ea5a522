import { useCallback, useEffect, useId, useState } from "react";
import type { WireEvaluation } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import { formatRoute, goTo } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatNumber } from "../format.ts";
import { ColumnHeads } from "../kit/column-heads.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { figuresOf, inFigures } from "./figures.ts";
import { RunView } from "./run-view.tsx";

interface StartFormProps {
  readonly account: Account;
  readonly isRunning: boolean;
  readonly onStarted: () => void;
}

/** What a file of questions looks like. */
const EXAMPLE = `questions:
  - question: How long is a card valid?
    gold_pages: [cards.md]
    gold_quotes: ["A card is valid for two years."]
  - question: What does a lost card cost?
    key_values: ["$5"]
  - question: Do you lend skis?
    kind: out_of_scope`;

/** Begins a run over the golden set that the documents bring, or over a file of questions of one's own. */
export function StartForm({ account: { api, domain, domains, reload }, isRunning, onStarted }: StartFormProps) {
  const [profile, setProfile] = useState("");
  const [failed, setFailed] = useState<string | null>(null);
  const id = useId();
  const profiles = domains.type === "ready" ? domains.value.profiles : [];

  async function start(file: File | null) {
    setFailed(null);
    try {
      const questions = file === null ? {} : { questions: { name: file.name, text: await file.text() } };
      const body = { ...(domain === null ? {} : { domain: domain.name }), ...(profile === "" ? {} : { profile }), ...questions };
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
          {profiles.map(({ name, title: what }) => (
            <option key={name} value={name}>
              {name} – {what}
            </option>
          ))}
        </select>
        {domain?.golden ? (
          <button type="button" className="ask-button" disabled={isRunning} onClick={() => start(null)}>
            {isRunning ? "A run is on its way" : `Run the golden set of ${domain.title}`}
          </button>
        ) : null}
      </div>
      {domains.type === "failed" ? <StateLine state={domains} what="what can be asked about" onRetry={reload} /> : null}
      {domains.type === "ready" ? <QuestionsFile {...{ domain, isRunning }} onChosen={(file) => void start(file)} /> : null}
      {failed === null ? null : (
        <p role="alert" className="message is-warning">
          {failed}
        </p>
      )}
    </>
  );
}

interface QuestionsFileProps extends Pick<Account, "domain"> {
  readonly isRunning: boolean;
  readonly onChosen: (file: File) => void;
}

/** Questions of one's own, and how they are written down. */
function QuestionsFile({ domain, isRunning, onChosen }: QuestionsFileProps) {
  const id = useId();
  return (
    <>
      <p className="muted">
        {domain?.golden
          ? "Or ask questions of your own:"
          : `No set of questions comes with ${domain?.title ?? "these documents"}: choose a file of your own.`}
      </p>
      <div className="filters">
        <label htmlFor={id}>File of questions</label>
        <input
          id={id}
          type="file"
          className="field"
          accept=".yaml,.yml,.json,.jsonl"
          disabled={isRunning}
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            event.target.value = "";
            if (file !== undefined) onChosen(file);
          }}
        />
      </div>
      <details>
        <summary>What such a file looks like</summary>
        <p className="muted">
          YAML, JSON or JSON lines. A question names its right answer by pages and quotes, by values, or by an answer in words; one with a
          kind is to be refused. It is asked of the documents{domain === null ? "" : ` of ${domain.title}`} that everybody may read here, in
          a copy of their own.
        </p>
        <pre className="prompt">{EXAMPLE}</pre>
      </details>
    </>
  );
}

const COLUMNS = ["answered.answerable", "right.answerable", "wrong.shown", "refused.near_miss", "confidence.auroc"] as const;
const TITLES = ["Answered", "Right", "Wrong of shown", "Close ones refused", "Confidence ranks right"] as const;

/** The newest run of each method beside the others: what each rung adds. */
function Ladder({ runs }: { readonly runs: readonly WireEvaluation[] }) {
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
