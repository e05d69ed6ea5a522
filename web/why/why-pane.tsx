import { Tabs } from "@base-ui/react/tabs";
import { useCallback } from "react";
import type { WireAnswer } from "../../src/client/index.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import type { Turn } from "../ask/conversation/state.ts";
import { confidenceInWords } from "../ask/plain-words.ts";
import { formatCost, formatDuration, formatNumber } from "../format.ts";
import { Pane } from "../kit/pane.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { Checks, Passages } from "./findings.tsx";
import { Path } from "./path.tsx";

export interface WhyPaneProps {
  readonly id: string;
  readonly turns: readonly Turn[];
  readonly account: Pick<Account, "api">;
}

/** How an answer was made: the path, what was read, what was checked, what it cost. */
export default function WhyPane({ id, turns, account: { api } }: WhyPaneProps) {
  const turn = turns.find(({ status }) => status.type === "answered" && status.answer.id === id);
  const known = turn?.status.type === "answered" ? turn.status.answer : null;
  const [state, reload] = useLoaded(
    useCallback(
      (signal) => (known === null ? api.get<WireAnswer>(`/v1/answers/${encodeURIComponent(id)}`, signal) : Promise.resolve(known)),
      [api, id, known],
    ),
  );
  return (
    <Pane title="Why this answer">
      <StateLine state={state} what="how the answer was made" onRetry={reload} />
      {state.type === "ready" ? <Made answer={state.value} turn={turn ?? null} /> : null}
    </Pane>
  );
}

const TABS = ["Path", "Passages", "Checks", "Decision", "Record"] as const;

function Made({ answer, turn }: { readonly answer: WireAnswer; readonly turn: Turn | null }) {
  return (
    <>
      <p className="why-question">{answer.question}</p>
      <Tabs.Root defaultValue="Path" className="tabs">
        <Tabs.List className="tab-list" aria-label="Why this answer">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name} className="tab">
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="Path" className="tab-panel">
          <Path answer={answer} stages={turn?.stages ?? []} />
        </Tabs.Panel>
        <Tabs.Panel value="Passages" className="tab-panel">
          <Passages evidence={answer.evidence} citations={answer.citations} />
        </Tabs.Panel>
        <Tabs.Panel value="Checks" className="tab-panel">
          <Checks answer={answer} />
        </Tabs.Panel>
        <Tabs.Panel value="Decision" className="tab-panel">
          <Decision answer={answer} turn={turn} />
        </Tabs.Panel>
        <Tabs.Panel value="Record" className="tab-panel">
          <Record answer={answer} turn={turn} />
        </Tabs.Panel>
      </Tabs.Root>
    </>
  );
}

function Decision({ answer, turn }: { readonly answer: WireAnswer; readonly turn: Turn | null }) {
  const { label, meaning } = confidenceInWords(answer);
  const decided = turn?.stages.find(({ stage }) => stage === "decide")?.facts.reason;
  const lookup = turn?.stages.filter(({ stage }) => stage === "lookup" || stage === "recall") ?? [];
  const { cached } = answer;
  return (
    <>
      <h3>{answer.refusal === null ? "Why it was answered" : "Why it was not answered"}</h3>
      <p>
        {label}. {meaning}
      </p>
      {answer.agg_conf === null ? null : (
        <p>
          Measured value: {answer.agg_conf.toFixed(3)}, {answer.agg_conf_calibrated ? "calibrated" : "not calibrated"}.
        </p>
      )}
      {typeof decided === "string" ? <p>{decided}</p> : null}
      {answer.refusal === null ? null : <p>{answer.refusal.message}</p>}
      <h3>Stored answers</h3>
      <p>
        {answer.cache_mode === "miss"
          ? "No stored answer was used: this one was made for the question."
          : `A stored answer was used (${answer.cache_mode}).`}
      </p>
      {cached === undefined ? null : (
        <p>
          {cached.question === null ? "Its question is not kept." : `Its question: “${cached.question}”.`}{" "}
          {`Stored at ${cached.stored_at}, checked again on today's documents.`}
        </p>
      )}
      <ul className="facts">
        {lookup.flatMap(({ stage, facts }) =>
          Object.entries(facts).map(([name, value]) => (
            <li key={`${stage} ${name}`}>
              {name}: {String(value)}
            </li>
          )),
        )}
      </ul>
      <Grades report={answer.report} />
    </>
  );
}

/** Metric cards of a profile that grades. */
function Grades({ report }: { readonly report: WireAnswer["report"] }) {
  if (report === undefined) return null;
  return (
    <>
      <h3>Grades</h3>
      <ul className="cards">
        {Object.entries(report.metrics).map(([name, { passed, score, threshold, reason }]) => (
          <li key={name} className="card">
            <strong>{name}</strong>
            <span className={`verdict is-${passed === null ? "warn" : passed ? "pass" : "fail"}`}>
              {passed === null ? "could not be told" : passed ? "passed" : "failed"}
            </span>
            <span>
              {score === null ? "no value" : formatNumber(score)}
              {threshold === null ? "" : `, threshold ${formatNumber(threshold)}`}
            </span>
            <span className="muted">{reason}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Record({ answer, turn }: { readonly answer: WireAnswer; readonly turn: Turn | null }) {
  const save = () => {
    const blob = new Blob([JSON.stringify({ answer, stages: turn?.stages ?? [] }, null, 2)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `answer-${answer.id}.json`;
    link.click();
    // The browser reads it after the click: let go of it later.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  const { token_usage: tokens } = answer;
  return (
    <>
      <dl className="facts">
        <Fact name="Answer" value={answer.id} />
        <Fact name="Documents" value={answer.domain} />
        <Fact name="Method" value={answer.profile} />
        <Fact name="Written by" value={answer.model} />
        <Fact name="Time" value={formatDuration(answer.latency_ms)} />
        <Fact name="Tokens" value={tokens.total === null ? "not counted" : formatNumber(tokens.total)} />
        <Fact name="Cost" value={formatCost(answer.cost_usd)} />
      </dl>
      {answer.calls.length === 0 ? (
        <p>No language model was called.</p>
      ) : (
        <table className="plain">
          <caption>Calls of language models</caption>
          <thead>
            <tr>
              {["Stage", "Model", "Tokens in", "Tokens out", "Cost"].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {answer.calls.map(({ stage, model, input_tokens, output_tokens, cost_usd }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a finished list
              <tr key={i}>
                <td>{stage}</td>
                <td>{model}</td>
                <td>{input_tokens ?? "not counted"}</td>
                <td>{output_tokens ?? "not counted"}</td>
                <td>{formatCost(cost_usd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p>The record holds the answer with every quote, its place and hash, every check and what each stage reported.</p>
      <button type="button" className="quiet-button" onClick={save}>
        Download the record
      </button>
    </>
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
