import { useCallback, useId, useState } from "react";
import { formatRoute } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatDate } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";
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

/** Reports of one topic together. */
interface Topic {
  /** `null`: questions without a topic. */
  readonly slug: string | null;
  readonly name: string;
  readonly reports: number;
  readonly refused: number;
  readonly confidence: number | null;
  /** What was asked for and stands in no passage that was found. */
  readonly missing: readonly string[];
  readonly advice: readonly string[];
}

interface Report {
  readonly id: string;
  readonly interactionId: string;
  readonly question: string;
  readonly reason: string | null;
  readonly confidence: number | null;
  readonly createdAt: string;
  readonly advice: readonly string[];
}

interface ReadReports {
  readonly total: number;
  readonly topics: readonly Topic[];
  readonly reports: readonly Report[];
}

/** `GET /v1/reports`, as far as the room shows it; what has another shape is left out. */
function readReports(body: unknown): ReadReports {
  const { total, topics, items } = fieldsOf(body);
  return {
    total: numberOf(total) ?? 0,
    topics: listOf(topics).map((one) => {
      const { topic, name, reports, refused, mean_confidence: confidence, missing, recommendations } = fieldsOf(one);
      return {
        slug: textOf(topic),
        name: textOf(name) ?? textOf(topic) ?? "no topic",
        reports: numberOf(reports) ?? 0,
        refused: numberOf(refused) ?? 0,
        confidence: numberOf(confidence),
        missing: textsOf(missing, "text"),
        advice: textsOf(recommendations, "text"),
      };
    }),
    reports: listOf(items).flatMap((one) => {
      const { id, interaction_id: interactionId, question, created_at: createdAt, report } = fieldsOf(one);
      const { refusal, confidence, recommendations } = fieldsOf(report);
      if (typeof id !== "string" || typeof interactionId !== "string") return [];
      return [
        {
          ...{ id, interactionId, question: textOf(question) ?? "", createdAt: textOf(createdAt) ?? "" },
          ...{ reason: textOf(refusal), confidence: numberOf(confidence), advice: textsOf(recommendations, "text") },
        },
      ];
    }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown, field: string): string[] {
  return listOf(value).flatMap((one) => textOf(fieldsOf(one)[field]) ?? []);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
