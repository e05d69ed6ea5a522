import type { Command } from "commander";
import type { Statistics } from "../../remember/statistics.ts";
import { statisticsToWire } from "../../wire/memory.ts";
import type { CliContext } from "../context.ts";
import { harmlessLine } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";
import type { Terminal } from "../terminal.ts";
import { toTime } from "../to-count.ts";

interface StatsFlags {
  domain?: string;
  since?: string;
  json?: boolean;
}

export function addStatsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("stats")
    .description("hit rates, cost, topics, confidence, refusals and latency; no text of questions")
    .option("--domain <name>", "only this body of knowledge")
    .option("--since <date>", "only what was asked since then", toTime)
    .option("--json", "as JSON")
    .action(async ({ domain, since, json }: StatsFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const name = domain === undefined ? null : engine.scope({ domain }).domain;
        const statistics = await engine.memory.statistics({ domain: name, since: since ?? null });
        terminal.print(json ? JSON.stringify(statisticsToWire(statistics), null, 2) : renderStatistics(statistics, terminal.colors));
      });
    });
}

export function renderStatistics(statistics: Statistics, colors: Terminal["colors"]): string {
  const { interactions, statuses, refusals, levels, hitRate, spent, saved, topics, confidence, latencyMs, reviews, feedback } = statistics;
  if (interactions === 0) return "Nothing was asked.";
  const share = (count: number) => `${count} (${((100 * count) / interactions).toFixed(1)} %)`;
  const part = (title: string, counts: Readonly<Record<string, number>>) =>
    Object.keys(counts).length === 0
      ? []
      : [colors.bold(title), ...Object.entries(counts).map(([name, count]) => `  ${harmlessLine(name).padEnd(24)} ${share(count)}`)];
  const cost = ({ tokens, usd, uncounted }: Statistics["spent"]) =>
    `${tokens} tokens, $${usd.toFixed(4)}${uncounted === 0 ? "" : ` and ${uncounted} not counted`}`;
  const ms = (value: number | null) => (value === null ? "–" : `${value.toFixed(0)} ms`);
  const lines = [
    `${interactions} questions, ${statistics.ephemeral} of them without text; served from memory: ${hitRate === null ? "–" : `${(100 * hitRate).toFixed(1)} %`}`,
    ...part("Answers", statuses),
    ...part("Refusals", refusals),
    ...part("Levels", levels),
    colors.bold("Models"),
    `  spent ${cost(spent)}`,
    `  saved ${cost(saved)}`,
    colors.bold("Confidence"),
    ...confidence.counts.map((count, i) => `  ${(i / 10).toFixed(1)}–${((i + 1) / 10).toFixed(1)} ${String(count).padStart(6)}`),
    `  none    ${String(confidence.none).padStart(6)}`,
    `${colors.bold("Latency")} median ${ms(latencyMs.p50)}, 95 % ${ms(latencyMs.p95)}, longest ${ms(latencyMs.max)}`,
    ...part("Review", reviews),
    `${colors.bold("Readers")} ${feedback.up} up, ${feedback.down} down`,
  ];
  if (topics.length > 0)
    lines.push(colors.bold("Topics"), ...topics.map(({ topic, count }) => `  ${String(count).padStart(6)} ${harmlessLine(topic)}`));
  return lines.join("\n");
}
