import { Tabs } from "@base-ui/react/tabs";
import { useCallback } from "react";
import type { WireAnswer } from "../../src/client/index.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import type { Turn } from "../ask/conversation/state.ts";
import { confidenceInWords } from "../ask/plain-words.ts";
import { formatChance, formatMoment, formatNumber } from "../format.ts";
import { Pane } from "../kit/pane.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { factsInWords } from "./facts.ts";
import { Checks } from "./findings.tsx";
import { Passages } from "./passages.tsx";
import { Path } from "./path.tsx";
import { Prompts } from "./prompts.tsx";
import { AnswerRecord } from "./record.tsx";

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
      {state.type === "ready" ? <Made answer={state.value} turn={turn ?? null} api={api} /> : null}
    </Pane>
  );
}

const TABS = ["Path", "Passages", "Checks", "Decision", "Model", "Record"] as const;

interface MadeProps {
  readonly answer: WireAnswer;
  readonly turn: Turn | null;
  readonly api: Account["api"];
}

function Made({ answer, turn, api }: MadeProps) {
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
          <Passages answer={answer} tenant={turn?.asked.tenant ?? null} api={api} />
        </Tabs.Panel>
        <Tabs.Panel value="Checks" className="tab-panel">
          <Checks answer={answer} />
        </Tabs.Panel>
        <Tabs.Panel value="Decision" className="tab-panel">
          <Decision answer={answer} turn={turn} />
        </Tabs.Panel>
        <Tabs.Panel value="Model" className="tab-panel">
          <Prompts answer={answer} tenant={turn?.asked.tenant ?? null} api={api} />
        </Tabs.Panel>
        <Tabs.Panel value="Record" className="tab-panel">
          <AnswerRecord answer={answer} turn={turn} api={api} />
        </Tabs.Panel>
      </Tabs.Root>
    </>
  );
}

/** How a stored answer was found. */
const STORED: Readonly<Record<string, string>> = {
  exact: "the same question was asked before",
  semantic: "a question that asks for the same was asked before",
  graph: "a question about the same things was asked before",
  curated: "a reviewer wrote it",
};

function Decision({ answer, turn }: { readonly answer: WireAnswer; readonly turn: Turn | null }) {
  const { label, meaning } = confidenceInWords(answer);
  const factsOf = (of: string) => turn?.stages.find(({ stage }) => stage === of)?.facts ?? {};
  const apart = factsOf("parts");
  const { minimum, chance } = { ...factsOf("decide"), ...apart };
  const what = "chance" in apart ? "Asked by itself, the least sure of the things answered" : "The best quote";
  const lookup = turn?.stages.filter(({ stage }) => stage === "lookup" || stage === "recall") ?? [];
  const { cached } = answer;
  return (
    <>
      <h3>{answer.refusal === null ? "Why it was answered" : "Why it was not answered"}</h3>
      <p>
        {label}. {meaning}
      </p>
      {typeof chance === "number" && typeof minimum === "number" ? (
        <p>{`${what} was held to ${"chance" in apart ? "be answered" : "answer the question"} with a chance of ${formatChance(chance)}; an answer is shown from ${formatChance(minimum)} on.`}</p>
      ) : null}
      {answer.refusal === null ? null : <p>{answer.refusal.message}</p>}
      <Measured answer={answer} notices={turn?.notices ?? []} />
      <h3>Stored answers</h3>
      <p>
        {answer.cache_mode === "miss"
          ? "No stored answer was used: this one was made for the question."
          : `A stored answer was used: ${STORED[answer.cache_mode] ?? answer.cache_mode}.`}
      </p>
      {cached === undefined ? null : (
        <p>
          {cached.question === null ? "Its question is not kept." : `Its question: “${cached.question}”.`}{" "}
          {`Stored on ${formatMoment(cached.stored_at)}, checked again on today's documents.`}
        </p>
      )}
      <ul className="facts">
        {[...new Set(lookup.flatMap(({ facts }) => factsInWords(facts)).map(({ name, value }) => `${name}: ${value}`))].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Grades report={answer.report} />
    </>
  );
}

/** What only whoever knows the method can read, one click away. */
function Measured({ answer, notices }: { readonly answer: WireAnswer; readonly notices: Turn["notices"] }) {
  const { agg_conf: value, agg_conf_calibrated: isCalibrated } = answer;
  if (value === null && notices.length === 0) return null;
  return (
    <details>
      <summary>How this was measured</summary>
      {value === null ? null : (
        <p>
          Measured value: {value.toFixed(3)}, {isCalibrated ? "calibrated" : "not calibrated"}.
        </p>
      )}
      {notices.map(({ code, message }) => (
        <p key={`${code} ${message}`}>{message}</p>
      ))}
    </details>
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
