import { useCallback, useEffect, useState } from "react";
import type { WireExperiment, WireMadeStatistics, WireStatistics } from "../../src/client/index.ts";
import { queryOf } from "../app/route.ts";
import { useAccount, useFetched, useLoaded } from "../app/use-account.ts";
import { describeStage, FIRST_SENTENCE, formatCount, formatDate, formatNumber, REFUSALS } from "../format.ts";
import { useEvery } from "../kit/actions.tsx";
import { Button, CheckField, SelectField } from "../kit/controls.tsx";
import { formatCost, formatDuration, formatShare } from "../kit/figures.ts";
import { StateLine } from "../kit/message.tsx";
import { RoomPage } from "../kit/pane.tsx";
import { Card, FigureTable } from "../kit/table.tsx";

/** Maximum number of days that are listed. */
const LISTED = 31;

/** Table of the numbers for each day, newest day first. */
function Days({ days }: { readonly days: WireStatistics["days"] }) {
  const newest = days.toReversed().slice(0, LISTED);
  return (
    <FigureTable
      title="Day by day"
      columns={["Day", "Questions", "From cache", "Refused", "Failed", "Median", "95 of 100 within", "Tokens", "Spent"]}
      rows={newest.map(({ day, interactions, refused, failed, hits, p50_ms, p95_ms, tokens, usd }) => [
        formatDate(day),
        ...[interactions, hits, refused, failed].map(formatNumber),
        ...[p50_ms, p95_ms].map((ms) => (ms === null ? "–" : formatDuration(ms))),
        ...[formatNumber(tokens), formatCost(usd)],
      ])}
      note={days.length > LISTED ? `The newest ${LISTED} of ${formatNumber(days.length)} days, in UTC.` : "Days are in UTC."}
    />
  );
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Periods to choose from. Except for the last hour, they begin at midnight UTC, because a partial first day would look like a
 * day with few questions.
 */
const RANGES = [
  { name: "hour", title: "Last hour", from: (now: number) => now - HOUR_MS },
  { name: "days", title: "Today and yesterday", from: (now: number) => dayOf(now) - DAY_MS },
  { name: "week", title: "Last 7 days", from: (now: number) => dayOf(now) - 6 * DAY_MS },
  { name: "month", title: "Last 30 days", from: (now: number) => dayOf(now) - 29 * DAY_MS },
  { name: "all", title: "All stored data", from: () => null },
] as const;

/** Returns the start of the UTC day, in milliseconds since 1970. */
function dayOf(now: number): number {
  return now - (now % DAY_MS);
}

/** Milliseconds between two requests while automatic refresh is on. */
const LIVE_MS = 10_000;

/** The Monitor view: numbers of questions, latency and cost. It never shows the text of a question. */
export default function MonitorRoom() {
  const { api, domain, roles } = useAccount();
  const [range, setRange] = useState<(typeof RANGES)[number]["name"]>("days");
  const [live, setLive] = useState(false);
  const load = useCallback(
    async (signal: AbortSignal) => {
      const from = RANGES.find(({ name }) => name === range)?.from(Date.now()) ?? null;
      const query = queryOf({ domain: domain?.name, since: from === null ? null : new Date(from).toISOString() });
      const [asked, made] = await Promise.all([
        api.get<WireStatistics>(`/v1/admin/stats?${query}`, signal),
        api.get<WireMadeStatistics>(`/v1/admin/stats/made?${query}`, signal),
      ]);
      return { asked, made };
    },
    [api, domain, range],
  );
  const [state, readFigures] = useLoaded(load);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => {
    readFigures();
    setRound((before) => before + 1);
  }, [readFigures]);
  useEvery(live ? LIVE_MS : null, reload);
  return (
    <RoomPage title="Monitor">
      <div className="filters">
        <SelectField label="Time" value={range} options={RANGES.map(({ name, title }) => [name, title] as const)} onChange={setRange} />
        <CheckField checked={live} onChange={setLive}>
          Refresh every {LIVE_MS / 1000} seconds
        </CheckField>
        <Button onClick={reload}>Refresh</Button>
      </div>
      <StateLine state={state} what="the figures" onRetry={reload} />
      {state.type === "ready" ? <Figures statistics={state.value.asked} made={state.value.made} /> : null}
      {roles.includes("admin") ? <Experiments round={round} /> : null}
    </RoomPage>
  );
}

function Figures({ statistics, made }: { readonly statistics: WireStatistics; readonly made: WireMadeStatistics }) {
  const { interactions, hit_rate: hits, latency_ms: latency, spent, saved, feedback, confidence, statuses } = statistics;
  if (interactions === 0) return <p role="status">No questions were asked in this period.</p>;
  const uncounted = spent.uncounted === 0 ? "" : `; cost of ${formatCount(spent.uncounted, "question")} unknown`;
  const ms = (value: number | null) => (value === null ? "unknown" : formatDuration(value));
  return (
    <>
      <ul className="cards">
        <Card
          title="Questions"
          value={formatNumber(interactions)}
          note={hits === null ? "" : `${Math.round(hits * 100)} % from the cache`}
        />
        <Card title="Answered" {...shareOf(statuses.ok, interactions)} />
        <Card title="Refused" {...shareOf(statuses.insufficient_context, interactions)} />
        <Card title="Marked wrong by users" value={formatNumber(feedback.down)} note={`${formatNumber(feedback.up)} marked right`} />
        <Card
          title="Response time, median"
          value={ms(latency.p50)}
          note={`95 of 100 answers within ${ms(latency.p95)}, longest ${ms(latency.max)}`}
        />
        <Card
          title="Spent"
          value={formatCost(spent.usd)}
          note={`${formatCount(spent.tokens, "token")}${uncounted}; the cache saved ${formatCost(saved.usd)}`}
        />
      </ul>
      <Days days={statistics.days} />
      <Made made={made} />
      <div className="charts">
        <Judged judged={statistics.judged} />
        <Bars title="Outcomes of questions" bars={named(statistics.statuses, STATUSES)} />
        <Bars title="Reasons for refusals" bars={named(statistics.refusals, REFUSALS)} />
        <Bars title="Sources of answers" bars={named(statistics.levels, LEVELS)} />
        <Bars
          title="Confidence"
          bars={confidence.counts.map((count, part) => [tenthOf(part), count])}
          note={confidence.none === 0 ? null : `${formatCount(confidence.none, "question")} without a confidence`}
        />
        <Bars title="Topics" bars={statistics.topics.map(({ topic, count }) => [topic.replaceAll("_", " "), count])} />
        <Bars title="Reviews" bars={named(statistics.reviews, {})} />
      </div>
    </>
  );
}

function shareOf(count: number = 0, of: number) {
  return { value: formatNumber(count), note: `${Math.round((100 * count) / of)} of 100` };
}

const STATUSES = { ok: "answered", insufficient_context: "refused", error: "failed" };
const LEVELS = {
  miss: "new answer",
  exact: "stored: same question",
  semantic: "stored: same meaning",
  graph: "stored: same entities",
  curated: "written by a reviewer",
};

function named(counts: Readonly<Record<string, number>>, names: Readonly<Record<string, string>>): BarsProps["bars"] {
  return Object.entries(counts).map(([name, count]) => [names[name] ?? name, count]);
}

/** Names one of the ten parts of the scale of confidence. */
function tenthOf(part: number): string {
  return `${part * 10}–${(part + 1) * 10} of 100`;
}

/**
 * Compares confidence with people's ratings. If the confidence is well calibrated, 70–80 % of the answers with a confidence
 * of 70–80 % are right.
 */
function Judged({ judged }: { readonly judged: WireStatistics["judged"] }) {
  const rated = judged.map(({ right, wrong }, part) => ({ part, right, n: right + wrong })).filter(({ n }) => n > 0);
  return (
    <FigureTable
      title="Confidence and correctness"
      columns={["Confidence", "Judged", "Right", "Share right"]}
      rows={rated.map(({ part, right, n }) => [tenthOf(part), formatNumber(n), formatNumber(right), shareOf(right, n).note])}
      note={
        rated.length === 0
          ? "No answer from this period was approved, flagged or rated."
          : "An answer counts as right if a reviewer approved it or a user rated it as right; a review outweighs a rating. The judged answers are few and not a random sample."
      }
    />
  );
}

interface BarsProps {
  readonly title: string;
  readonly bars: readonly (readonly [name: string, count: number])[];
  readonly note?: string | null;
}

/** Draws counts as bars next to their numbers. */
function Bars({ bars, ...rest }: BarsProps) {
  const most = Math.max(1, ...bars.map(([, count]) => count));
  const bar = (count: number) => <progress value={count} max={most} aria-hidden="true" />;
  return <FigureTable {...rest} rows={bars.map(([name, count]) => [name, bar(count), formatNumber(count)])} />;
}

/**
 * Shows the experiments. An experiment compares settings (variants), each on a share of the sessions.
 * @param round a new number loads the data again
 */
function Experiments({ round }: { readonly round: number }) {
  const [state, reload] = useFetched<{ items: readonly WireExperiment[] }>("/v1/experiments");
  useEffect(() => {
    if (round > 0) reload();
  }, [round, reload]);
  return (
    <>
      <h2>Experiments</h2>
      <StateLine state={state} what="the experiments" onRetry={reload} />
      {state.type === "ready" && state.value.items.length === 0 ? (
        <p className="muted">
          None is configured. An experiment gives some users different settings and shows whether these are better. To start one, set{" "}
          <code>experiments</code> in the configuration.
        </p>
      ) : null}
      {state.type === "ready" ? state.value.items.map((one) => <Experiment key={one.name} {...one} />) : null}
    </>
  );
}

function Experiment({ name, metric, better, planned, variants, verdict }: WireExperiment) {
  return (
    <>
      <FigureTable
        title={name}
        columns={["Variant", "Sessions", "Questions", metric.replaceAll("_", " "), "Difference from control"]}
        rows={variants.map(({ name: variant, sessions, questions, compared }) => [
          variant,
          ...[`${formatNumber(sessions)} of ${formatNumber(planned)}`, formatNumber(questions)],
          ...(compared === null ? ["control", "–"] : [figure(compared.mean), intervalOf(compared)]),
        ])}
        note={`A ${better} value is better. Brackets: confidence intervals.`}
      />
      <p className={verdict.code === "guardrail_breached" || verdict.code === "assignment_broken" ? "message is-warning" : "message"}>
        {verdict.text}
      </p>
      <Guardrails variants={variants} />
    </>
  );
}

const STATES = { holds: "holds", breached: "breached", open: "undecided" } as const;

/** Shows the guardrails: metrics that a variant must not make worse. */
function Guardrails({ variants }: Pick<WireExperiment, "variants">) {
  const all = variants.flatMap(({ name, guardrails }) => guardrails.map((one) => ({ name, ...one })));
  if (all.length === 0) return null;
  return (
    <FigureTable
      title="Guardrails"
      columns={["Variant", "Difference", "Limit", "State"]}
      rows={all.map((one) => [`${one.name}: ${one.metric.replaceAll("_", " ")}`, intervalOf(one), figure(one.margin), STATES[one.state]])}
    />
  );
}

function intervalOf({ difference, low, high }: Readonly<Record<"difference" | "low" | "high", number>>): string {
  return `${figure(difference)} [${figure(low)}, ${figure(high)}]`;
}

function figure(value: number): string {
  return (Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(3)).replace("-", "−");
}

/** Shows how answers were made: time per stage, metrics, models and checks. */
function Made({ made }: { readonly made: WireMadeStatistics }) {
  const { answers, stages, metrics, models, checks } = made;
  if (answers === 0)
    return <p className="muted">No stored answer from this period has its text, so there are no figures on stages, grades and models.</p>;
  return (
    <div className="charts">
      <FigureTable
        title="Time by stage"
        columns={["Stage", "Runs", "Median", "95 of 100", "99 of 100"]}
        rows={stages.map(({ stage, n, p50, p95, p99 }) => [
          stage === FIRST_SENTENCE ? "Until the first checked sentence" : describeStage(stage),
          ...[formatNumber(n), ...[p50, p95, p99].map(formatDuration)],
        ])}
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
        rows={models.map(({ model, calls, tokens, usd, uncounted }) => [
          model,
          ...[formatNumber(calls), formatNumber(tokens), formatCost(usd), formatNumber(uncounted)],
        ])}
        note={models.length === 0 ? "No language model was called; answers consist of quotes." : null}
      />
      <FigureTable
        title="Outcomes of checks"
        columns={["Check", "Passed", "Repaired", "Doubt", "Failed"]}
        rows={checks.map((one) => [one.name.replaceAll("-", " "), ...[one.pass, one.repaired, one.warn, one.fail].map(formatNumber)])}
      />
    </div>
  );
}

function MetricCard({ metric, passed, failed, unknown, mean, threshold, days }: WireMadeStatistics["metrics"][number]) {
  const determined = passed + failed;
  return (
    <li className="card">
      <strong>{metric.replaceAll("_", " ")}</strong>
      <span className="figure">
        {determined === 0 ? "not determined" : `${formatNumber(passed)} of ${formatNumber(determined)} passed`}
      </span>
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
