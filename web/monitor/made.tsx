import type { WireMadeStatistics } from "../../src/client/index.ts";
import { describeStage, FIRST_SENTENCE, formatCount, formatDate, formatNumber } from "../format.ts";
import { describeCheck, formatCost, formatDuration, formatShare } from "../kit/figures.ts";
import { FigureTable } from "../kit/table.tsx";

/** Shows how answers were made: time per stage, grades, models and checks. */
export function Made({ made }: { readonly made: WireMadeStatistics }) {
  const { answers, stages, metrics, models, checks } = made;
  if (answers === 0)
    return <p className="muted">No stored answer from this period has its text, so there are no figures on stages, grades and models.</p>;
  return (
    <div className="charts">
      <FigureTable
        title="Time by stage"
        columns={["Stage", "Runs", "Median", "95 of 100", "99 of 100"]}
        rows={stages.map(({ stage, n, p50, p95, p99 }) => ({
          name: stage === FIRST_SENTENCE ? "Until the first checked sentence" : describeStage(stage),
          cells: [formatNumber(n), ...[p50, p95, p99].map(formatDuration)],
        }))}
        note={`Based on the newest ${formatCount(answers, "answer")} with stored text. A cached answer shows the times of its original run.`}
      />
      <section className="chart" aria-label="Grades">
        <h2>Grades</h2>
        {metrics.length === 0 ? (
          <p className="muted">
            None. Answers of the profile “validator” are graded; all answers are graded if the configuration sets <code>grade: always</code>
            .
          </p>
        ) : null}
        <ul className="cards">
          {metrics.map((metric) => (
            <MetricCard key={metric.metric} {...metric} />
          ))}
        </ul>
      </section>
      <FigureTable
        title="Models and services"
        columns={["Model", "Calls", "Tokens", "Spent", "Not reported"]}
        rows={models.map(({ model, calls, tokens, usd, uncounted }) => ({
          name: model,
          cells: [formatNumber(calls), formatNumber(tokens), formatCost(usd), formatNumber(uncounted)],
        }))}
        note={models.length === 0 ? "No language model was called; answers consist of quotes." : null}
      />
      <FigureTable
        title="Outcomes of checks"
        columns={["Check", "Passed", "Repaired", "Doubt", "Failed"]}
        rows={checks.map(({ name: check, pass, repaired, warn, fail }) => ({
          name: describeCheck(check),
          cells: [pass, repaired, warn, fail].map(formatNumber),
        }))}
      />
    </div>
  );
}

function MetricCard({ metric, passed, failed, unknown, mean, threshold, days }: WireMadeStatistics["metrics"][number]) {
  const told = passed + failed;
  return (
    <li className="card">
      <strong>{metric.replaceAll("_", " ")}</strong>
      <span className="figure">{told === 0 ? "not determined" : `${formatNumber(passed)} of ${formatNumber(told)} passed`}</span>
      <span className="muted">
        {mean === null ? "no value" : `mean ${formatShare(mean)}`}
        {threshold === null ? "" : `, threshold ${formatShare(threshold)}`}
        {unknown === 0 ? "" : `, ${formatNumber(unknown)} not determined`}
      </span>
      {days.slice(-7).map(({ day, passed: good, graded }) => (
        <span key={day} className="muted">
          {formatDate(day)}: {formatNumber(good)} of {formatNumber(graded)}
        </span>
      ))}
    </li>
  );
}
