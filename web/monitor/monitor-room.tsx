import { useCallback, useMemo, useState } from "react";
import type { WireMadeStatistics, WireStatistics } from "../../src/client/index.ts";
import { queryOf } from "../app/route.ts";
import { useAccount } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatDate, formatNumber, REFUSALS } from "../format.ts";
import { CheckField, SelectField, useEvery } from "../kit/controls.tsx";
import { formatCost, formatDuration } from "../kit/figures.ts";
import { QuietButton } from "../kit/message.tsx";
import { RoomPage } from "../kit/room-page.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { Card, FigureTable } from "../kit/table.tsx";
import { Experiments } from "./experiments.tsx";
import { Made } from "./made.tsx";
import { ProcessFigures } from "./process-figures.tsx";

/** Maximum number of listed days. */
const LISTED = 31;

/** Lists the figures of each day, newest first. */
function Days({ days }: { readonly days: WireStatistics["days"] }) {
  const rows = [...days].reverse().slice(0, LISTED);
  return (
    <FigureTable
      title="Day by day"
      columns={["Day", "Questions", "From cache", "Refused", "Failed", "Median", "95 of 100 within", "Tokens", "Spent"]}
      rows={rows.map(({ day, interactions, refused, failed, hits, p50_ms, p95_ms, tokens, usd }) => ({
        name: formatDate(day),
        cells: [
          ...[interactions, hits, refused, failed].map(formatNumber),
          ...[p50_ms, p95_ms].map((ms) => (ms === null ? "–" : formatDuration(ms))),
          formatNumber(tokens),
          formatCost(usd),
        ],
      }))}
      note={days.length > LISTED ? `The newest ${LISTED} of ${formatNumber(days.length)} days, in UTC.` : "Days are in UTC."}
    />
  );
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Ranges longer than an hour begin at a whole UTC day, because a partial day would look like a day with few questions. */
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

/** Polling interval of the live display, in milliseconds. */
const LIVE_MS = 10_000;

/** The Monitor view: numbers of questions, latency and cost. It shows no text of questions. */
export default function MonitorRoom() {
  const { api, domain, roles } = useAccount();
  const [range, setRange] = useState<(typeof RANGES)[number]["name"]>("days");
  const [live, setLive] = useState(false);
  const load = useCallback(
    async (signal: AbortSignal) => {
      const query = rangeQuery(domain?.name, range);
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
        <SelectField
          label="Time"
          value={range}
          options={RANGES.map(({ name, title }) => [name, title] as const)}
          onChange={(chosen) => setRange(RANGES.find(({ name }) => name === chosen)?.name ?? "days")}
        />
        <CheckField checked={live} onChange={setLive}>
          Refresh every {LIVE_MS / 1000} seconds
        </CheckField>
        <QuietButton onClick={reload}>Refresh</QuietButton>
      </div>
      <StateLine state={state} what="the figures" onRetry={reload} />
      {state.type === "ready" ? <Figures statistics={state.value.asked} made={state.value.made} /> : null}
      {roles.includes("admin") ? <Experiments round={round} /> : null}
      {roles.includes("metrics") ? <ProcessFigures round={round} /> : null}
    </RoomPage>
  );
}

function rangeQuery(domain: string | undefined, range: string): string {
  const from = RANGES.find(({ name }) => name === range)?.from(Date.now()) ?? null;
  return queryOf({ domain, since: from === null ? null : new Date(from).toISOString() });
}

function Figures({ statistics, made }: { readonly statistics: WireStatistics; readonly made: WireMadeStatistics }) {
  const { interactions, hit_rate: hits, latency_ms: latency, spent, saved, feedback, confidence, statuses } = statistics;
  const parts = useMemo(() => confidence.counts.map((count, i) => ({ name: `${i * 10}–${(i + 1) * 10} of 100`, count })), [confidence]);
  if (interactions === 0) return <p role="status">No questions were asked in this period.</p>;
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
          note={`95 of 100 within ${ms(latency.p95)}, longest ${ms(latency.max)}`}
        />
        <Card title="Spent" value={formatCost(spent.usd)} note={`${costNote(spent)}; the cache saved ${formatCost(saved.usd)}`} />
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
          bars={parts}
          note={confidence.none === 0 ? null : `${formatCount(confidence.none, "question")} without confidence`}
        />
        <Bars title="Topics" bars={statistics.topics.map(({ topic, count }) => ({ name: topic.replaceAll("_", " "), count }))} />
        <Bars title="Reviews" bars={named(statistics.reviews, {})} />
      </div>
    </>
  );
}

function shareOf(count: number = 0, of: number) {
  return { value: formatNumber(count), note: `${Math.round((100 * count) / of)} of 100` };
}

function costNote({ tokens, uncounted }: WireStatistics["spent"]): string {
  return `${formatCount(tokens, "token")}${uncounted === 0 ? "" : `, ${formatNumber(uncounted)} calls not reported`}`;
}

const STATUSES = { ok: "answered", insufficient_context: "refused", error: "failed" };
const LEVELS = { miss: "new answer", exact: "same question", semantic: "same meaning", graph: "same things", curated: "a reviewer" };

function named(counts: Readonly<Record<string, number>>, names: Readonly<Record<string, string>>) {
  return Object.entries(counts).map(([name, count]) => ({ name: names[name] ?? name, count }));
}

/** Compares confidence with judgements: of answers with a calibrated confidence of 70 to 80 %, 70 to 80 % should be right. */
function Judged({ judged }: { readonly judged: WireStatistics["judged"] }) {
  const rows = judged.flatMap(({ right, wrong }, part) => {
    const n = right + wrong;
    if (n === 0) return [];
    const share = Math.round((100 * right) / n);
    return [{ name: `${part * 10}–${(part + 1) * 10} of 100`, cells: [formatNumber(n), formatNumber(right), `${share} of 100`] }];
  });
  return (
    <FigureTable
      title="Confidence and correctness"
      columns={["Confidence", "Judged", "Right", "Share right"]}
      rows={rows}
      note={
        rows.length === 0
          ? "No answer from this period was approved, flagged or rated."
          : "Right: approved, or rated right by a user; a review outweighs a rating. The judged answers are few and not a random sample."
      }
    />
  );
}

interface BarsProps {
  readonly title: string;
  readonly bars: readonly { readonly name: string; readonly count: number }[];
  readonly note?: string | null;
}

/** Draws counts as bars next to their numbers. */
function Bars({ title, bars, note = null }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const rows = bars.map(({ name, count }) => ({
    name,
    cells: [<progress key="bar" value={count} max={most} aria-hidden="true" />, formatNumber(count)],
  }));
  return <FigureTable title={title} rows={rows} note={note} />;
}
