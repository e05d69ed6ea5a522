import { useCallback, useId, useState } from "react";
import { formatRoute } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatDate } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";
import { readReports, type Topic } from "./read-reports.ts";
import { refusalInWords } from "./review-words.ts";

export interface ReportsProps {
  readonly api: Account["api"];
  readonly domain: string | null;
}

/** Reports that are listed. */
const LISTED = 50;

/** Questions that were refused, doubtful or warned about, by topic: what the documents lack, and what to do. */
export function Reports({ api, domain }: ReportsProps) {
  const [topic, setTopic] = useState("");
  const id = useId();
  const query = new URLSearchParams({
    limit: String(LISTED),
    ...(domain === null ? {} : { domain }),
    ...(topic === "" ? {} : { topic }),
  }).toString();
  const load = useCallback(
    async (signal: AbortSignal) => readReports(await api.get<unknown>(`/v1/reports?${query}`, signal)),
    [api, query],
  );
  const [state, reload] = useLoaded(load);
  if (state.type !== "ready") return <StateLine state={state} what="the reports" onRetry={reload} />;
  const { topics, reports, total } = state.value;
  if (topic === "" && reports.length === 0) return <p role="status">No question was refused, doubtful or warned about.</p>;
  return (
    <>
      <h2>Gaps by topic</h2>
      <ul className="cards gaps">
        {topics.map((one) => (
          <Gap key={one.slug ?? ""} {...one} />
        ))}
      </ul>
      <h2>Reports</h2>
      <div className="filters">
        <label htmlFor={id}>Topic</label>
        <select id={id} className="field" value={topic} onChange={(event) => setTopic(event.target.value)}>
          <option value="">all</option>
          {topics.map(({ slug, name }) => (
            <option key={slug ?? ""} value={slug ?? "none"}>
              {name}
            </option>
          ))}
        </select>
        <span role="status">
          {formatCount(total, "report")}
          {total > reports.length ? `, the newest ${reports.length} are listed` : ""}
        </span>
      </div>
      <ul className="queue">
        {reports.map(({ id: report, interactionId, question, reason, confidence, createdAt, advice }) => (
          <li key={report}>
            <a className="queue-item" href={formatRoute({ room: "review", id: interactionId })}>
              <span>{question === "" ? "A question whose text is not kept" : question}</span>
              <span className="muted">
                {reason === null ? "answered, with a doubt" : refusalInWords(reason)}
                {confidence === null ? "" : ` · sources fit ${Math.round(confidence * 100)} of 100`} · {formatDate(createdAt.slice(0, 10))}
              </span>
              {advice.map((text) => (
                <span key={text} className="muted">
                  {text}
                </span>
              ))}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Gap({ name, reports, refused, confidence, missing, advice }: Topic) {
  return (
    <li className="card">
      <strong>{name}</strong>
      <span className="muted">
        {formatCount(reports, "report")}, {formatCount(refused, "refusal")}
        {confidence === null ? "" : `; sources fit ${Math.round(confidence * 100)} of 100 on average`}
      </span>
      {missing.length === 0 ? null : <span>Not in the documents: {missing.join(", ")}</span>}
      {advice.map((text) => (
        <span key={text} className="muted">
          {text}
        </span>
      ))}
    </li>
  );
}
