import { useId, useState } from "react";
import type { WireEvaluation } from "../../src/client/index.ts";
import { formatRoute, goTo } from "../app/route.ts";
import { useAccount, useFetched } from "../app/use-account.ts";
import { formatNumber } from "../format.ts";
import { ResultLine, useActionResult, useEvery } from "../kit/actions.tsx";
import { Button, SelectField } from "../kit/controls.tsx";
import { formatTime } from "../kit/figures.ts";
import { StateLine } from "../kit/message.tsx";
import { RoomPage } from "../kit/pane.tsx";
import { ScrollTable } from "../kit/table.tsx";
import { formatPercent, RunView } from "./run-view.tsx";

/** Example of a file with questions, shown to users. */
const EXAMPLE = `questions:
  - question: How long is a card valid?
    gold_pages: [cards.md]
    gold_quotes: ["A card is valid for two years."]
  - question: What does a lost card cost?
    key_values: ["$5"]
  - question: Do you lend skis?
    kind: out_of_scope`;

/** Form that starts a run over the golden set of the domain, or over a file of questions. */
function StartForm({ isRunning, onStarted }: { readonly isRunning: boolean; readonly onStarted: () => void }) {
  const { api, domain, domains, reload } = useAccount();
  const [profile, setProfile] = useState("");
  const { result, tell } = useActionResult();
  const id = useId();
  const profiles = domains.type === "ready" ? domains.value.profiles : [];
  const methods = [
    ["", "The default of these documents"] as const,
    ...profiles.map(({ name, title }) => [name, `${name} – ${title}`] as const),
  ];

  async function start(file: File | null) {
    const questions = file === null ? {} : { questions: { name: file.name, text: await file.text() } };
    const body = { ...(domain === null ? {} : { domain: domain.name }), ...(profile === "" ? {} : { profile }), ...questions };
    const started = await tell(api.send<WireEvaluation>("POST", "/v1/evaluations", body), "");
    if (started === null) return;
    onStarted();
    goTo({ room: "evaluate", id: started.value.id });
  }

  return (
    <>
      <div className="filters">
        <SelectField label="Method" value={profile} options={methods} onChange={setProfile} />
        {domain?.golden ? (
          <Button className="ask-button" disabled={isRunning} onClick={() => start(null)}>
            {isRunning ? "A run is in progress" : `Run the golden set of ${domain.title}`}
          </Button>
        ) : null}
      </div>
      {domains.type === "failed" ? <StateLine state={domains} what="the documents" onRetry={reload} /> : null}
      {domains.type === "ready" ? (
        <>
          <p className="muted">
            {domain?.golden ? "Or ask your own questions:" : `“${domain?.title ?? ""}” has no golden set. Choose a file of your own.`}
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
                if (file !== undefined) void start(file);
              }}
            />
          </div>
          <details>
            <summary>Example of a question file</summary>
            <p className="muted">
              YAML, JSON or JSON lines. A question states its right answer as pages and quotes, as values, or as text; a question with a
              kind, such as out_of_scope, must be refused. Questions are asked about the documents
              {domain === null ? "" : ` of ${domain.title}`} that everybody may read here, in a temporary copy.
            </p>
            <pre className="prompt">{EXAMPLE}</pre>
          </details>
        </>
      ) : null}
      <ResultLine result={result} />
    </>
  );
}

/** Columns of the comparison: title by metric. */
const COLUMNS = {
  "answered.answerable": "Answered",
  "right.answerable": "Right",
  "wrong.shown": "Wrong answers",
  "refused.near_miss": "Near misses refused",
  "confidence.auroc": "Confidence ranks correctly",
};

/** Compares the latest finished run of each domain and profile. */
function Ladder({ runs }: { readonly runs: readonly WireEvaluation[] }) {
  const done = runs.filter(({ report }) => report !== null);
  const newest = new Map(done.toReversed().map((run) => [`${run.domain} ${run.profile}`, run]));
  if (newest.size < 2) return null;
  const rightOf = ({ report }: WireEvaluation) => report?.metrics["right.answerable"] ?? 0;
  const rows = [...newest.values()].sort((a, b) => rightOf(a) - rightOf(b));
  return (
    <>
      <h2>Comparison of profiles</h2>
      <ScrollTable
        label="Comparison of profiles"
        columns={["Method", ...Object.values(COLUMNS)]}
        rows={rows.map((run) => ({
          key: run.id,
          head: (
            <a href={formatRoute({ room: "evaluate", id: run.id })}>
              {run.domain}, {run.profile ?? "its default profile"}
            </a>
          ),
          cells: Object.keys(COLUMNS).map((name) => formatPercent(run.report?.metrics[name])),
        }))}
      />
    </>
  );
}

/** Milliseconds between two requests for the state of a running evaluation. */
const LOOK_MS = 1_000;

/**
 * The Evaluate view. A run asks questions with known answers and grades the replies.
 * @param id the open run; `null`: none
 */
export default function EvaluateRoom({ id }: { readonly id: string | null }) {
  const [state, reload] = useFetched<{ items: readonly WireEvaluation[] }>("/v1/evaluations?limit=200");
  const runs = state.type === "ready" ? state.value.items : [];
  const isRunning = runs.some((run) => run.state === "running");
  useEvery(isRunning ? LOOK_MS : null, reload);
  return (
    <RoomPage title="Evaluate">
      <p className="muted">A run asks questions with known answers (a golden set) as a user would.</p>
      <StartForm isRunning={isRunning} onStarted={reload} />
      <StateLine state={state} what="the runs" onRetry={reload} />
      {state.type === "ready" && runs.length === 0 ? (
        <p role="status">
          There is no run yet. Start one above: it asks every question once and shows how many answers were right, wrong or missing. The
          documents do not change.
        </p>
      ) : null}
      {runs.length === 0 ? null : (
        <div className="columns">
          <section aria-label="Runs">
            <ul className="stack">
              {runs.map((run) => (
                <RunItem key={run.id} run={run} open={run.id === id} />
              ))}
            </ul>
            <Ladder runs={runs} />
          </section>
          <section aria-label="Selected run">
            {id === null ? (
              <p className="muted">Select a run to see its figures and questions.</p>
            ) : (
              <RunView key={id} {...{ id, runs }} onDeleted={reload} />
            )}
          </section>
        </div>
      )}
    </RoomPage>
  );
}

const STATES = { running: "in progress", done: "done", failed: "failed", stopped: "stopped" } as const;

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
          {formatTime(at)} · {formatNumber(done)} of {formatNumber(total)} questions
          {reason === null ? "" : ` · ${reason}`}
        </span>
        {state === "running" ? <progress aria-label={`Run over ${domain}`} value={done} max={total} /> : null}
      </a>
    </li>
  );
}
