import { useCallback, useEffect, useId, useMemo, useState } from "react";
import type { WireMadeStatistics, WireStatistics } from "../../src/client/index.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCost, formatCount, formatDuration, formatNumber } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";
import { Bars } from "./bars.tsx";
import { Card } from "./card.tsx";
import { Days } from "./days.tsx";
import { Experiments } from "./experiments.tsx";
import { Judged } from "./judged.tsx";
import { Made } from "./made.tsx";
import { ProcessFigures } from "./process-figures.tsx";

export interface MonitorRoomProps {
  readonly account: Account;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Ranges of days begin with a whole one: a part of a day would look like a day on which little was asked. */
const RANGES = [
  { name: "hour", title: "Last hour", from: (now: number) => now - HOUR_MS },
  { name: "days", title: "Today and yesterday", from: (now: number) => dayOf(now) - DAY_MS },
  { name: "week", title: "Last 7 days", from: (now: number) => dayOf(now) - 6 * DAY_MS },
  { name: "month", title: "Last 30 days", from: (now: number) => dayOf(now) - 29 * DAY_MS },
  { name: "all", title: "All that is kept", from: () => null },
] as const;

/** When the day of UTC began. */
function dayOf(now: number): number {
  return now - (now % DAY_MS);
}

/** Milliseconds between two looks while it is live. */
const LIVE_MS = 10_000;

/** What was asked, how fast and at what cost it was answered; no text of a question is in it. */
export default function MonitorRoom({ account: { api, domain, caller } }: MonitorRoomProps) {
  const [range, setRange] = useState<(typeof RANGES)[number]["name"]>("days");
  const [live, setLive] = useState(false);
  const id = useId();
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
  const roles: readonly string[] = caller.type === "ready" ? caller.value.roles : [];
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(reload, LIVE_MS);
    return () => clearInterval(timer);
  }, [live, reload]);
  return (
    <main className="room-page" aria-labelledby="monitor-title">
      <h1 id="monitor-title" className="room-title">
        Monitor
      </h1>
      <div className="filters">
        <label htmlFor={id}>Time</label>
        <select
          id={id}
          className="field"
          value={range}
          onChange={(event) => setRange(RANGES.find(({ name }) => name === event.target.value)?.name ?? "days")}
        >
          {RANGES.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        <label className="check">
          <input type="checkbox" checked={live} onChange={(event) => setLive(event.target.checked)} />
          Look again every {LIVE_MS / 1000} seconds
        </label>
        <button type="button" className="quiet-button" onClick={reload}>
          Look again
        </button>
      </div>
      <StateLine state={state} what="the figures" onRetry={reload} />
      {state.type === "ready" ? <Figures statistics={state.value.asked} made={state.value.made} /> : null}
      {roles.includes("admin") ? <Experiments api={api} round={round} /> : null}
      {roles.includes("metrics") ? <ProcessFigures api={api} round={round} /> : null}
    </main>
  );
}

function rangeQuery(domain: string | undefined, range: string): string {
  const from = RANGES.find(({ name }) => name === range)?.from(Date.now()) ?? null;
  const since = from === null ? {} : { since: new Date(from).toISOString() };
  return new URLSearchParams({ ...(domain === undefined ? {} : { domain }), ...since }).toString();
}

function Figures({ statistics, made }: { readonly statistics: WireStatistics; readonly made: WireMadeStatistics }) {
  const { interactions, hit_rate: hits, latency_ms: latency, spent, saved, feedback, confidence } = statistics;
  const parts = useMemo(() => confidence.counts.map((count, i) => ({ name: `${i * 10}–${(i + 1) * 10} of 100`, count })), [confidence]);
  if (interactions === 0) return <p role="status">Nothing was asked in this time.</p>;
  const ms = (value: number | null) => (value === null ? "not known" : formatDuration(value));
  return (
    <>
      <ul className="cards">
        <Card title="Questions" value={formatNumber(interactions)} />
        <Card title="Served from memory" value={hits === null ? "not known" : `${Math.round(hits * 100)} %`} />
        <Card title="Half are answered within" value={ms(latency.p50)} />
        <Card title="95 of 100 within" value={ms(latency.p95)} note={`longest ${ms(latency.max)}`} />
        <Card title="Spent" value={formatCost(spent.usd)} note={costNote(spent)} />
        <Card title="Saved by memory" value={formatCost(saved.usd)} note={costNote(saved)} />
        <Card title="Readers say right / wrong" value={`${formatNumber(feedback.up)} / ${formatNumber(feedback.down)}`} />
      </ul>
      <Days days={statistics.days} />
      <Made made={made} />
      <div className="charts">
        <Judged judged={statistics.judged} />
        <Bars title="What became of questions" bars={named(statistics.statuses, STATUSES)} />
        <Bars title="Why it was refused" bars={named(statistics.refusals, REFUSALS)} />
        <Bars title="Where answers came from" bars={named(statistics.levels, LEVELS)} />
        <Bars
          title="Confidence"
          bars={parts}
          note={confidence.none === 0 ? null : `${formatCount(confidence.none, "question")} without one`}
        />
        <Bars title="Topics" bars={statistics.topics.map(({ topic, count }) => ({ name: topic.replaceAll("_", " "), count }))} />
        <Bars title="Reviews" bars={named(statistics.reviews, {})} />
      </div>
    </>
  );
}

function costNote({ tokens, uncounted }: WireStatistics["spent"]): string {
  return `${formatCount(tokens, "token")}${uncounted === 0 ? "" : `, ${formatNumber(uncounted)} not counted`}`;
}

const STATUSES = { ok: "answered", insufficient_context: "not answered", error: "failed" };
const LEVELS = { miss: "made anew", exact: "same question", semantic: "same meaning", graph: "same things", curated: "a reviewer" };
const REFUSALS = {
  nothing_relevant: "nothing relevant found",
  evidence_too_weak: "evidence too weak",
  not_reliable: "no reliable answer",
  empty_corpus: "no documents",
  injection: "an attack",
  language: "not English",
  small_talk: "small talk",
  crisis: "somebody in distress",
};

function named(counts: Readonly<Record<string, number>>, names: Readonly<Record<string, string>>) {
  return Object.entries(counts).map(([name, count]) => ({ name: names[name] ?? name, count }));
}
