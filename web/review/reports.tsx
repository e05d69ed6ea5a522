import { useState } from "react";
import type { WireReports } from "../../src/client/index.ts";
import { formatRoute, queryOf } from "../app/route.ts";
import { useAccount, useFetched } from "../app/use-account.ts";
import { formatCount, formatDate, REFUSALS } from "../format.ts";
import { SelectField } from "../kit/controls.tsx";
import { StateLine } from "../kit/message.tsx";

/** Maximum number of reports that are listed. */
const LISTED = 50;

/**
 * Lists questions that were refused, or answered with low confidence or a warning. They are grouped by topic, with missing
 * terms and recommendations.
 */
export function Reports() {
  const { domain } = useAccount();
  const [topic, setTopic] = useState("");
  const query = queryOf({ limit: String(LISTED), domain: domain?.name, topic: topic || null });
  const [state, reload] = useFetched<WireReports>(`/v1/reports?${query}`);
  if (state.type !== "ready") return <StateLine state={state} what="the reports" onRetry={reload} />;
  const { topics, items: reports, total } = state.value;
  if (topic === "" && reports.length === 0)
    return <p role="status">No question was refused, or answered with a warning or low confidence.</p>;
  return (
    <>
      <h2>By topic</h2>
      <ul className="stack">
        {topics.map((one) => (
          <li key={one.topic ?? ""} className="card">
            <strong>{nameOf(one)}</strong>
            <span className="muted">
              {formatCount(one.reports, "report")}, {formatCount(one.refused, "refusal")}
              {one.mean_confidence === null ? "" : `; sources match on average: ${Math.round(one.mean_confidence * 100)} of 100`}
            </span>
            {one.missing.length === 0 ? null : <span>Not in the documents: {one.missing.map(({ text }) => text).join(", ")}</span>}
            <Advice advice={one.recommendations} />
          </li>
        ))}
      </ul>
      <h2>Reports</h2>
      <div className="filters">
        <SelectField
          label="Topic"
          value={topic}
          options={[["", "all"], ...topics.map((one) => [one.topic ?? "none", nameOf(one)] as const)]}
          onChange={setTopic}
        />
        <span role="status">
          {formatCount(total, "report")}
          {total > reports.length ? `, the newest ${reports.length} are listed` : ""}
        </span>
      </div>
      <ul className="stack">
        {reports.map(({ id, interaction_id: interaction, question, created_at: at, report: { refusal, confidence, recommendations } }) => (
          <li key={id}>
            <a className="queue-item" href={formatRoute({ room: "review", id: interaction })}>
              <span>{question || "A question whose text was not stored"}</span>
              <span className="muted">
                {refusal
                  ? `not answered: ${REFUSALS[refusal] ?? refusal.replaceAll("_", " ")}`
                  : "answered with a warning or low confidence"}
                {typeof confidence === "number" ? ` · sources match: ${Math.round(confidence * 100)} of 100` : ""} ·{" "}
                {formatDate(at.slice(0, 10))}
              </span>
              <Advice advice={recommendations ?? []} />
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Advice({ advice }: { readonly advice: WireReports["items"][number]["report"]["recommendations"] }) {
  return advice.map(({ text }) => (
    <span key={text} className="muted">
      {text}
    </span>
  ));
}

function nameOf({ name, topic }: WireReports["topics"][number]): string {
  return name ?? topic ?? "Questions without a topic";
}
