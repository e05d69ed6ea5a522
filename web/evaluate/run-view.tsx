import { useEffect, useState } from "react";
import type { WireEvaluation } from "../../src/client/index.ts";
import { goTo } from "../app/route.ts";
import { useAccount, useFetched } from "../app/use-account.ts";
import { formatCount, formatNumber } from "../format.ts";
import { download, ResultLine, useActionResult } from "../kit/actions.tsx";
import { AskedTwice, Button, SelectField } from "../kit/controls.tsx";
import { formatShare } from "../kit/figures.ts";
import { StateLine } from "../kit/message.tsx";
import { Near } from "../kit/near.tsx";
import { Card, FigureTable, Table } from "../kit/table.tsx";

/** Titles of the main metrics of a run, in display order. */
const FIGURES: Readonly<Record<string, string>> = {
  "answered.answerable": "Answerable questions answered",
  "right.answerable": "Answerable questions answered correctly",
  "wrong.shown": "Answers shown that are wrong",
  "first.right": "Right answers that are right in the first sentence",
  "refused.near_miss": "Correctly refused: near miss",
  "refused.false_premise": "Correctly refused: false premise",
  "refused.out_of_scope": "Correctly refused: out of scope",
  "confidence.auroc": "Probability that a right answer has a higher confidence than a wrong one (AUROC)",
};

/** Formats a share (0–1) as a percentage; `null` or absent: a dash. */
export function formatPercent(value: number | null | undefined): string {
  return typeof value === "number" ? `${(100 * value).toFixed(0)} %`.replace("-", "−").replace("−0 %", "0 %") : "–";
}

type RunReport = NonNullable<WireEvaluation["report"]>;
type RunItem = RunReport["items"][number];

const KINDS = [
  ["", "all questions"],
  ["wrong", "wrong answers"],
  ["missed", "answerable, but not answered"],
  ["right", "right answers"],
  ["refused", "correctly refused"],
] as const;

/** Height in pixels of the placeholder for an item that is not rendered yet. */
const ITEM_PX = 90;

/** Lists the questions of a run with their outcomes, filtered by outcome. */
function ItemList({ items }: { readonly items: readonly RunItem[] }) {
  const [kind, setKind] = useState("wrong");
  const found = items.filter((item) => kind === "" || outcomeOf(item) === kind);
  return (
    <section aria-label="Questions of the run">
      <div className="filters">
        <SelectField label="Show" value={kind} options={KINDS} onChange={setKind} />
        <span role="status">{formatCount(found.length, "question")}</span>
      </div>
      <ol className="stack">
        {found.map((item, place) => (
          <li key={item.id} className="card">
            <Near height={ITEM_PX} eager={place < 10} label={item.question}>
              <Item {...item} />
            </Near>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Item(item: RunItem) {
  const { question, kind, sentences, refusal, confidence, lacks } = item;
  const outcome = outcomeOf(item);
  const good = outcome === "right" || outcome === "refused";
  return (
    <>
      <p>
        <span className={`verdict is-${good ? "pass" : "fail"}`}>{OUTCOMES[outcome]}</span> <strong>{question}</strong>
      </p>
      <p className="muted">
        {kind.replaceAll("_", " ")}
        {confidence === null ? "" : `, confidence ${formatShare(confidence)}`}
        {refusal === null ? "" : `, ${refusal.replaceAll("_", " ")}`}
        {lacks.length === 0 ? "" : `, missing ${lacks.join(", ")}`}
      </p>
      {sentences.length === 0 ? null : <blockquote className="read">{sentences.map(({ text }) => text).join(" ")}</blockquote>}
    </>
  );
}

const OUTCOMES = { right: "right", wrong: "wrong", missed: "missed", refused: "correctly refused" } as const;

function outcomeOf({ kind, shown, right }: RunItem): keyof typeof OUTCOMES {
  if (shown) return right ? "right" : "wrong";
  return kind === "answerable" ? "missed" : "refused";
}

function nameOf({ domain, profile }: WireEvaluation): string {
  return `${domain}, ${profile ?? "default profile"}`;
}

type RunViewProps = Readonly<{ id: string; runs: readonly WireEvaluation[]; onDeleted: () => void }>;

/** Shows a run: metrics, comparison with another run, wrong answers by confidence threshold, and every question. */
export function RunView({ id, runs, onDeleted }: RunViewProps) {
  const { api } = useAccount();
  const [against, setAgainst] = useState("");
  const { result, tell } = useActionResult();
  const path = `/v1/evaluations/${encodeURIComponent(id)}`;
  const listed = runs.find((run) => run.id === id);
  const query = against === "" ? "" : `?against=${encodeURIComponent(against)}`;
  const [state, reload] = useFetched<WireEvaluation>(`${path}${query}`);
  const ended = listed?.state !== "running";
  useEffect(() => {
    if (ended) reload();
  }, [ended, reload]);

  async function remove() {
    if ((await tell(api.send("DELETE", path), "")) === null) return;
    goTo({ room: "evaluate", id: null });
    onDeleted();
  }

  async function exportPage() {
    const page = await tell(api.bytes(`${path}/page`), "");
    if (page !== null) download(`${id}.html`, "text/html", new TextDecoder().decode(page.value));
  }

  if (state.type !== "ready") return <StateLine state={state} what="the run" onRetry={reload} />;
  const run = state.value;
  const { report } = run;
  return (
    <>
      <h2 className="case-question">{nameOf(run)}</h2>
      <div className="row actions">
        {report === null ? null : (
          <Button onClick={() => download(`${id}.json`, "application/json", JSON.stringify(report, null, 2))}>Download the figures</Button>
        )}
        {report === null ? null : <Button onClick={() => void exportPage()}>Export as one page</Button>}
        <AskedTwice
          label={run.state === "running" ? "Stop and delete" : "Delete"}
          confirm={run.state === "running" ? "Stop the run and delete its results" : "Delete the run and its results"}
          onConfirm={() => void remove()}
        />
      </div>
      <ResultLine result={result} />
      {run.reason === null ? null : <p className="message is-warning">{run.reason}</p>}
      {report === null ? (
        <p role="status">
          {run.state === "running" ? "In progress; figures appear at the end." : "The run did not finish, so there are no figures."}
        </p>
      ) : (
        <Figures report={report} changes={run.changes ?? null} {...{ id, runs, against }} onAgainst={setAgainst} />
      )}
    </>
  );
}

interface FiguresProps extends Pick<RunViewProps, "id" | "runs"> {
  readonly report: RunReport;
  readonly changes: WireEvaluation["changes"] | null;
  readonly against: string;
  readonly onAgainst: (id: string) => void;
}

function Figures({ report, changes, id, runs, against, onAgainst }: FiguresProps) {
  const { items } = report;
  const others = runs
    .filter((run) => run.id !== id && run.report !== null)
    .map((run) => [run.id, `${nameOf(run)}, ${run.started_at.slice(0, 16).replace("T", " ")}`] as const);
  const n = (report.n.answerable ?? 0) + (report.n.unanswerable ?? 0);
  return (
    <>
      <p className="muted">
        {formatCount(n, "question")} over {formatCount(report.n.documents ?? 0, "document")}. Command: <code>{report.command}</code>
      </p>
      <ul className="cards">
        {Object.entries(FIGURES).map(([name, title]) =>
          typeof report.metrics[name] === "number" ? <Card key={name} title={title} value={formatPercent(report.metrics[name])} /> : null,
        )}
      </ul>
      {others.length === 0 ? null : (
        <div className="filters">
          <SelectField label="Compare with" value={against} options={[["", "nothing"], ...others]} onChange={onAgainst} />
        </div>
      )}
      {changes ? <Changes changes={changes} /> : null}
      <Coverage items={items} />
      <ItemList items={items} />
    </>
  );
}

const THRESHOLDS = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95] as const;

/** Shows for several confidence thresholds: how many answers reach it, and how many of these are wrong. */
function Coverage({ items }: { readonly items: readonly RunItem[] }) {
  const answers = items.filter(({ shown, confidence }) => shown && confidence !== null);
  return (
    <FigureTable
      title="Wrong answers by confidence threshold"
      columns={["Threshold", "Answers", "Wrong", "Share wrong"]}
      rows={(answers.length === 0 ? [] : THRESHOLDS).map((from) => {
        const sure = answers.filter(({ confidence }) => (confidence ?? 0) >= from);
        const wrong = sure.filter(({ right }) => !right).length;
        const share = formatPercent(sure.length === 0 ? null : wrong / sure.length);
        return [formatShare(from), formatNumber(sure.length), formatNumber(wrong), share];
      })}
      empty="No answer has a confidence."
    />
  );
}

function Changes({ changes }: { readonly changes: NonNullable<WireEvaluation["changes"]> }) {
  const shown = changes.filter(({ name }) => name in FIGURES);
  if (shown.length === 0) return <p role="status">The two runs have no question in common.</p>;
  return (
    <Table
      caption="Differences with 95 % intervals; if an interval contains 0, the difference is not significant"
      columns={["Figure", "Before", "Now", "Difference"]}
      rows={shown.map(({ name, before, difference, low, high }) => ({
        key: name,
        head: FIGURES[name],
        cells: [
          ...[before, before + difference].map(formatPercent),
          `${formatPercent(difference)} [${formatPercent(low)}, ${formatPercent(high)}]`,
        ],
      }))}
    />
  );
}
