import { useCallback } from "react";
import { linesOfWire, lineText, type WireAnswer, type WireCalls } from "../../src/client/index.ts";
import { queryOf } from "../app/route.ts";
import { useAccount, useFetched, useLoaded } from "../app/use-account.ts";
import type { StageRecord, Turn } from "../ask/conversation/state.ts";
import { CLAIMS, labelCheck, labelConfidence } from "../ask/plain-words.ts";
import { describeStage, FIRST_SENTENCE, formatConfidence, formatCount, formatNumber } from "../format.ts";
import { download, ResultLine, useActionResult } from "../kit/actions.tsx";
import { Button } from "../kit/controls.tsx";
import { formatCost, formatDuration, formatMoment, formatShare } from "../kit/figures.ts";
import { StateLine } from "../kit/message.tsx";
import { Pane } from "../kit/pane.tsx";
import { Tabbed } from "../kit/tabbed.tsx";
import { numbered, ScrollRegion, Table } from "../kit/table.tsx";
import { labelFacts } from "./facts.ts";
import { Passages, type PassagesProps } from "./passages.tsx";

const CHECK_VERDICTS = { pass: "passed", repaired: "repaired", warn: "doubt", fail: "failed" } as const;

/** Lists the checks of each sentence, then the checks of the whole answer. */
function Checks({ answer: { sentences, citations, claims, checks } }: { readonly answer: WireAnswer }) {
  const whole = checks.filter(({ sentence }) => sentence === null);
  return (
    <>
      <ol className="stack">
        {numbered(linesOfWire(sentences, citations)).map(({ place: index, item: line }) => {
          const claim = claims.find(({ sentence }) => sentence === index);
          return (
            <li key={index} className="card">
              <p>{lineText(line)}</p>
              {claim === undefined ? null : (
                <p className="muted">
                  {CLAIMS[claim.status]} {claim.reason === "" ? "" : `(${claim.reason})`}
                </p>
              )}
              <CheckList checks={checks.filter(({ sentence }) => sentence === index)} />
            </li>
          );
        })}
      </ol>
      {whole.length === 0 ? null : (
        <>
          <h3>The answer as a whole</h3>
          <CheckList checks={whole} />
        </>
      )}
      {sentences.length + whole.length === 0 ? <p>The answer has no sentence that could be checked.</p> : null}
    </>
  );
}

function CheckList({ checks }: { readonly checks: WireAnswer["checks"] }) {
  return (
    <ul className="stack checks">
      {numbered(checks).map(({ place, item: check }) => (
        <li key={place}>
          <span className={`verdict is-${check.verdict}`}>{CHECK_VERDICTS[check.verdict]}</span>{" "}
          <strong>{check.name.replaceAll("-", " ")}</strong>
          {check.score === null ? "" : ` ${formatShare(check.score)}`}: {check.reason}
          {check.verdict === "warn" || check.verdict === "fail" ? ` ${labelCheck(check)}` : ""}
        </li>
      ))}
    </ul>
  );
}

/**
 * Shows the stages of an answer on a timeline.
 * @param stages as the server reported them while answering; empty for an answer that was loaded later, which has only timings
 */
function Path({ answer, stages }: { readonly answer: WireAnswer; readonly stages: readonly StageRecord[] }) {
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

/** Explains how an answer was made: stages, passages, checks, decision, model calls and cost. */
export default function WhyPane({ id, turns }: { readonly id: string; readonly turns: readonly Turn[] }) {
  const { api } = useAccount();
  const turn = turns.find(({ status }) => status.type === "answered" && status.answer.id === id);
  const known = turn?.status.type === "answered" ? turn.status.answer : null;
  const [state, reload] = useLoaded(
    useCallback(async (signal) => known ?? api.get<WireAnswer>(`/v1/answers/${encodeURIComponent(id)}`, signal), [api, id, known]),
  );
  return (
    <Pane title="Why this answer">
      <StateLine state={state} what="the explanation" onRetry={reload} />
      {state.type === "ready" ? <Made answer={state.value} turn={turn ?? null} /> : null}
    </Pane>
  );
}

/** `turn`: the turn that has this answer; `null`: the answer is from another conversation. */
type MadeProps = Readonly<{ answer: WireAnswer; turn: Turn | null }>;

function Made({ answer, turn }: MadeProps) {
  const tenant = turn?.asked.tenant ?? null;
  const decision = ["Decision", <Decision key="decision" answer={answer} turn={turn} />] as const;
  const isRefused = answer.refusal !== null;
  return (
    <>
      <p>{answer.question}</p>
      {answer.report === undefined ? null : <Grades report={answer.report} />}
      <Tabbed
        label="Why this answer"
        parts={[
          ...(isRefused ? [decision] : []),
          ["Path", <Path key="path" answer={answer} stages={turn?.stages ?? []} />],
          ["Passages", <Passages key="passages" answer={answer} tenant={tenant} />],
          ["Checks", <Checks key="checks" answer={answer} />],
          ...(isRefused ? [] : [decision]),
          ["Model", <Prompts key="model" answer={answer} tenant={tenant} />],
          ["Record", <AnswerRecord key="record" answer={answer} turn={turn} />],
        ]}
      />
    </>
  );
}

/** Reasons why a stored answer was served, by cache mode. */
const STORED: Readonly<Record<string, string>> = {
  exact: "the same question was asked before",
  semantic: "an equivalent question was asked before",
  graph: "a question about the same entities was asked before",
  curated: "a reviewer wrote it",
};

function Decision({ answer, turn }: MadeProps) {
  const { label, meaning } = labelConfidence(answer);
  const factsOf = (of: string) => turn?.stages.find(({ stage }) => stage === of)?.facts ?? {};
  const apart = factsOf("parts");
  const { minimum, chance } = { ...factsOf("decide"), ...apart };
  const what = "chance" in apart ? "The least confident part of the answer" : "The best quote";
  const lookup = turn?.stages.filter(({ stage }) => stage === "lookup" || stage === "recall") ?? [];
  const { cached } = answer;
  const notices = turn?.notices ?? [];
  return (
    <>
      <h3>{answer.refusal === null ? "Why it was answered" : "Why it was not answered"}</h3>
      <p>
        {label}. {meaning}
      </p>
      {typeof chance === "number" && typeof minimum === "number" ? (
        <p>{`${what} was judged to ${"chance" in apart ? "be answered" : "answer the question"} with a confidence of ${formatConfidence(chance)}; the threshold for an answer is ${formatConfidence(minimum)}.`}</p>
      ) : null}
      {answer.refusal === null ? null : <p>{answer.refusal.message}</p>}
      {answer.agg_conf === null && notices.length === 0 ? null : (
        <details>
          <summary>How this was measured</summary>
          {answer.agg_conf === null ? null : (
            <p>
              Measured value: {answer.agg_conf.toFixed(3)}, {answer.agg_conf_calibrated ? "calibrated" : "not calibrated"}.
            </p>
          )}
          {notices.map(({ code, message }) => (
            <p key={`${code} ${message}`}>{message}</p>
          ))}
        </details>
      )}
      <h3>Stored answers</h3>
      <p>
        {answer.cache_mode === "miss"
          ? "No stored answer was used; this one is new."
          : `A stored answer was used: ${STORED[answer.cache_mode] ?? answer.cache_mode}.`}
      </p>
      {cached === undefined ? null : (
        <p>
          {cached.question === null ? "Its question was not stored." : `Its question: “${cached.question}”.`}{" "}
          {`Stored on ${formatMoment(cached.stored_at)} and checked again against the current documents.`}
        </p>
      )}
      <ul className="facts">
        {[...new Set(lookup.flatMap(({ facts }) => labelFacts(facts)))].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}

/** Shows the metrics of an answer, under a profile that computes them. */
function Grades({ report }: { readonly report: NonNullable<WireAnswer["report"]> }) {
  return (
    <>
      <h3>Grades</h3>
      <ul className="cards">
        {Object.entries(report.metrics).map(([name, { passed, score, threshold, reason }]) => (
          <li key={name} className="card">
            <strong>{name}</strong>
            <span className={`verdict is-${passed === null ? "warn" : passed ? "pass" : "fail"}`}>
              {passed === null ? "not determined" : passed ? "passed" : "failed"}
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

/** Offers downloads of the answer's record, and of a proof that others can verify offline. */
function AnswerRecord({ answer, turn }: MadeProps) {
  const { api } = useAccount();
  const { result, setResult, tell } = useActionResult();
  const { id, domain, token_usage: tokens } = answer;
  const stages = turn?.stages ?? [];
  const save = (name: string, json: string) => download(`${name}-${id}.json`, "application/json", json);

  const facts = [
    ["Answer", id],
    ["Documents", domain],
    ["Method", answer.profile],
    ["Written by", answer.model],
    ["Time", formatDuration(answer.latency_ms)],
    ["Tokens", tokens.total === null ? "not reported" : formatNumber(tokens.total)],
    ["Cost", formatCost(answer.cost_usd)],
  ] as const;

  async function prove() {
    setResult({ failed: false, text: "Creating the proof…" });
    const scope = queryOf({ domain, tenant: turn?.asked.tenant });
    const proof = api.get<unknown>(`/v1/answers/${encodeURIComponent(id)}/proof?${scope}`);
    const saved = proof.then((made) => save("proof", JSON.stringify(made)));
    await tell(saved, "The proof was saved.");
  }

  return (
    <>
      <Table rows={facts.map(([head, value]) => ({ key: head, head, cells: [value] }))} />
      <p>The record contains the answer with every quote, its place and hash, every check and the output of each stage.</p>
      <p>
        The proof is signed. Anyone with the documents can run its checks again offline:{" "}
        <code>sourcebound prove verify proof-{id}.json --documents FOLDER</code>
      </p>
      <div className="row actions">
        <Button onClick={() => save("answer", JSON.stringify({ answer, stages }, null, 2))}>Download the record</Button>
        <Button onClick={prove}>Download the proof</Button>
      </div>
      <ResultLine result={result} />
    </>
  );
}

/** Shows which models were called, with prompts and replies. */
function Prompts({ answer, tenant }: PassagesProps) {
  const { calls, model } = answer;
  if (calls.length === 0) return <p>No language model was called. The answer consists of quotes, selected by the writer “{model}”.</p>;
  return (
    <>
      <Table
        caption="Calls of language models"
        columns={["Stage", "Model", "Tokens in", "Tokens out", "Cost"]}
        rows={calls.map(({ stage, model: called, input_tokens: sent, output_tokens: got, cost_usd: cost }, key) => ({
          key,
          cells: [stage, called, sent ?? "not reported", got ?? "not reported", formatCost(cost)],
        }))}
      />
      <Sent {...{ answer, tenant }} />
    </>
  );
}

function Sent({ answer: { id, domain }, tenant }: PassagesProps) {
  const [state, reload] = useFetched<WireCalls>(`/v1/answers/${encodeURIComponent(id)}/calls?${queryOf({ domain, tenant })}`);
  if (state.type !== "ready") return <StateLine state={state} what="the prompts" onRetry={reload} />;
  const { recorded, calls } = state.value;
  if (!recorded) return <p>The prompts of this answer were not recorded.</p>;
  if (calls.length === 0) return <p>This answer came from the cache. The original answer has the prompts.</p>;
  return numbered(calls).map(({ place, item: { model, prompt, prompt_sha256: hash, text, failure } }) => (
    <details key={place} className="outline">
      <summary>
        Prompt and output of {model} ({formatCount(text.length, "character")})
      </summary>
      <p className="muted">
        SHA-256 of the prompt: <code>{hash}</code>
      </p>
      {prompt === null ? <p>Only the hash of the prompt was kept.</p> : <Text title="Rules" text={prompt.system} />}
      {prompt === null ? null : <Text title="Question and passages" text={prompt.user} />}
      <Text title="Output" text={text} />
      {failure === null ? null : <p className="message is-warning">{failure.message}</p>}
    </details>
  ));
}

function Text({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <h3>{title}</h3>
      <ScrollRegion className="prompt" aria-label={title}>
        {text}
      </ScrollRegion>
    </>
  );
}
