import { useCallback, useEffect, useId, useMemo, useState } from "react";
import type { WireEvaluation } from "../../src/client/index.ts";
import { type Api, messageOf } from "../app/api.ts";
import { goTo } from "../app/route.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatShare } from "../format.ts";
import { AskedTwice } from "../kit/asked-twice.tsx";
import { ColumnHeads } from "../kit/column-heads.tsx";
import { download } from "../kit/download.ts";
import { Near, NearParts } from "../kit/near.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { CoverageChart } from "./coverage-chart.tsx";
import { figuresOf, inFigures, type RunItem, readItems, titleOf } from "./figures.ts";

const KINDS = [
  ["", "all questions"],
  ["wrong", "wrong answers"],
  ["missed", "not answered, though they could be"],
  ["right", "right answers"],
  ["refused", "rightly not answered"],
] as const;

/** Pixels that an item takes, until it is known. */
const ITEM_PX = 90;

/** Every question of a run, with what became of it. */
function ItemList({ items }: { readonly items: readonly RunItem[] }) {
  const [kind, setKind] = useState("wrong");
  const id = useId();
  const found = items.filter((item) => kind === "" || outcomeOf(item) === kind);
  return (
    <section aria-label="Questions of the run">
      <div className="filters">
        <label htmlFor={id}>Show</label>
        <select id={id} className="field" value={kind} onChange={(event) => setKind(event.target.value)}>
          {KINDS.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        <span role="status">{formatCount(found.length, "question")}</span>
      </div>
      <ol className="weighed">
        <NearParts>
          {found.map((item, place) => (
            <li key={item.id}>
              <Near height={ITEM_PX} eager={place < 10} label={item.question}>
                <Item {...item} />
              </Near>
            </li>
          ))}
        </NearParts>
      </ol>
    </section>
  );
}

function Item(item: RunItem) {
  const { question, kind, text, refusal, confidence, lacks } = item;
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
        {lacks.length === 0 ? "" : `, lacks ${lacks.join(", ")}`}
      </p>
      {text === "" ? null : <blockquote className="read">{text}</blockquote>}
    </>
  );
}

const OUTCOMES = { right: "right", wrong: "wrong", missed: "missed", refused: "rightly refused" } as const;

function outcomeOf({ kind, shown, right }: RunItem): keyof typeof OUTCOMES {
  if (shown) return right ? "right" : "wrong";
  return kind === "answerable" ? "missed" : "refused";
}

export interface RunViewProps {
  readonly id: string;
  readonly runs: readonly WireEvaluation[];
  readonly api: Api;
  readonly onDeleted: () => void;
}

/** One run: its figures, how it differs from another, risk and coverage, every question. */
export function RunView({ id, runs, api, onDeleted }: RunViewProps) {
  const [against, setAgainst] = useState("");
  const [failed, setFailed] = useState<string | null>(null);
  const path = `/v1/evaluations/${encodeURIComponent(id)}`;
  const listed = runs.find((run) => run.id === id);
  const query = against === "" ? "" : `?against=${encodeURIComponent(against)}`;
  const [state, reload] = useLoaded(useCallback((signal) => api.get<WireEvaluation>(`${path}${query}`, signal), [api, path, query]));
  const ended = listed?.state !== "running";
  useEffect(() => {
    if (ended) reload();
  }, [ended, reload]);

  async function remove() {
    try {
      await api.send("DELETE", path);
      goTo({ room: "evaluate", id: null });
      onDeleted();
    } catch (error) {
      setFailed(messageOf(error));
    }
  }

  async function exportPage() {
    try {
      download(`${id}.html`, "text/html", new TextDecoder().decode(await api.bytes(`${path}/page`)));
    } catch (error) {
      setFailed(messageOf(error));
    }
  }

  if (state.type !== "ready") return <StateLine state={state} what="the run" onRetry={reload} />;
  const run = state.value;
  const { report } = run;
  return (
    <>
      <h2 className="case-question">
        {run.domain}
        {run.profile === null ? "" : `, ${run.profile}`}
      </h2>
      <div className="actions">
        {report === null ? null : (
          <button
            type="button"
            className="quiet-button"
            onClick={() => download(`${id}.json`, "application/json", JSON.stringify(report, null, 2))}
          >
            Download the figures
          </button>
        )}
        {report === null ? null : (
          <button type="button" className="quiet-button" onClick={() => void exportPage()}>
            Export as one page
          </button>
        )}
        <AskedTwice
          label={run.state === "running" ? "Stop and delete" : "Delete"}
          confirm={run.state === "running" ? "Stop it and delete what it found" : "Delete the run with its figures"}
          onConfirm={() => void remove()}
        />
      </div>
      {failed === null ? null : (
        <p role="alert" className="message is-warning">
          {failed}
        </p>
      )}
      {run.reason === null ? null : <p className="message is-warning">{run.reason}</p>}
      {report === null ? (
        <p role="status">
          {run.state === "running" ? "It is on its way; figures come at its end." : "It came to no end: there are no figures."}
        </p>
      ) : (
        <Figures report={report} changes={run.changes ?? null} {...{ id, runs, against }} onAgainst={setAgainst} />
      )}
    </>
  );
}

interface FiguresProps extends Pick<RunViewProps, "id" | "runs"> {
  readonly report: NonNullable<WireEvaluation["report"]>;
  readonly changes: WireEvaluation["changes"] | null;
  readonly against: string;
  readonly onAgainst: (id: string) => void;
}

function Figures({ report, changes, id, runs, against, onAgainst }: FiguresProps) {
  const items = useMemo(() => readItems(report.items), [report]);
  const select = useId();
  const others = runs.filter((run) => run.id !== id && run.report !== null);
  const n = (report.n.answerable ?? 0) + (report.n.unanswerable ?? 0);
  return (
    <>
      <p className="muted">
        {formatCount(n, "question")} over {formatCount(report.n.documents ?? 0, "document")}. Asked by <code>{report.command}</code>
      </p>
      <ul className="cards">
        {figuresOf(report.metrics).map(({ name, title, value }) => (
          <li key={name} className="card">
            <span className="muted">{title}</span>
            <strong className="figure">{inFigures(value)}</strong>
          </li>
        ))}
      </ul>
      {others.length === 0 ? null : (
        <div className="filters">
          <label htmlFor={select}>Compare with</label>
          <select id={select} className="field" value={against} onChange={(event) => onAgainst(event.target.value)}>
            <option value="">nothing</option>
            {others.map((run) => (
              <option key={run.id} value={run.id}>
                {run.domain}, {run.profile ?? "its own method"}, {run.started_at.slice(0, 16).replace("T", " ")}
              </option>
            ))}
          </select>
        </div>
      )}
      {changes ? <Changes changes={changes} /> : null}
      <CoverageChart items={items} />
      <ItemList items={items} />
    </>
  );
}

function Changes({ changes }: { readonly changes: NonNullable<WireEvaluation["changes"]> }) {
  const shown = changes.filter(({ name }) => titleOf(name) !== null);
  if (shown.length === 0) return <p role="status">The two runs asked no question in common.</p>;
  return (
    <table className="plain">
      <caption>Difference, with 95 % intervals; an interval that holds 0 shows none</caption>
      <ColumnHeads names={["Figure", "Before", "Now", "Difference"]} />
      <tbody>
        {shown.map(({ name, before, difference, low, high }) => (
          <tr key={name}>
            <th scope="row">{titleOf(name)}</th>
            <td>{inFigures(before)}</td>
            <td>{inFigures(before + difference)}</td>
            <td>
              {inFigures(difference)} [{inFigures(low)}, {inFigures(high)}]
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
