import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { createEngine, loadProcessConfig } from "../../src/index.ts";
import { answerableSchema, makeReport, PACKAGE_ROOT, quantile, readGolden } from "../../src/internals.ts";
import { embeddedIn } from "../../src/shared/config.ts";
import { RequestError } from "../../src/shared/errors.ts";
import type { Benchmark } from "../commands/bench.ts";
import { type Health, type LoadOptions, type LoadResult, load, watchHealth } from "./serve/load.ts";
import { type Served, startServer } from "./serve/processes.ts";

const DOMAIN = "veterans";
/** The pack's golden questions; the benchmark asks those that are answered with default settings. */
const GOLDEN = join(PACKAGE_ROOT, "domains", DOMAIN, "golden");
/** Milliseconds between requests to `/healthz`, and between memory samples. */
const HEALTH_MS = 50;
const MEMORY_MS = 1_000;
const ENDING = extname(import.meta.filename);
const CLI = join(import.meta.dirname, "..", "..", "src", "cli", `main${ENDING}`);
const HELLO = join(import.meta.dirname, "serve", `hello${ENDING}`);

/** The server to start, its requests, and the texts each response must contain. */
interface Traffic extends Pick<LoadOptions, "body" | "expected"> {
  readonly start: () => Promise<Served>;
}

interface Phase extends LoadResult {
  readonly health: Health;
  /** MiB at the beginning, middle and end of the phase. */
  readonly memory: readonly number[];
  /** Processor time of the server per answer. */
  readonly processorMs: number;
}

/** Measures the server's throughput under load from a second process, compared with a minimal server. */
export const benchmark: Benchmark = {
  description:
    "load on `serve` from a second process beside a bare server (--connections N, --seconds N for each phase, --few N connections of the phase before, --hits-seconds N for hits at all connections)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        connections: { type: "string", default: "200" },
        seconds: { type: "string", default: "20" },
        few: { type: "string", default: "4" },
        "hits-seconds": { type: "string" },
      },
    });
    const [connections, seconds, few] = [Number(values.connections), Number(values.seconds), Number(values.few)];
    const hitsSeconds = Number(values["hits-seconds"] ?? seconds);
    const folder = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    try {
      progress("ingesting the demo documents");
      const answered = await ingest(folder);
      progress(`${answered.length} of the pack's questions are answered`);
      const phases: Record<string, Phase> = {};
      for (const [name, traffic] of Object.entries(trafficOf(folder, answered))) {
        const server = await traffic.start();
        const { body, expected } = traffic;
        const measured = (of: { connections: number; seconds: number }) => measure(server, { ...of, body, expected }, name !== "hello");
        try {
          progress(`${name}: warming`);
          await load({ url: server.url, connections: few, seconds: 2, body, expected: [] });
          progress(`${name}: ${few} connections`);
          phases[`${name}_few`] = await measured({ connections: few, seconds: Math.min(seconds, 20) });
          progress(`${name}: ${connections} connections`);
          phases[name] = await measured({ connections, seconds: name === "hits" ? hitsSeconds : seconds });
        } finally {
          await server.stop();
        }
      }
      assertMeant(phases);
      return reportOf(phases, { args, connections, seconds, hitsSeconds, few });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** `hits` repeats one question; `fresh` cycles through the answered questions. */
function trafficOf(folder: string, answered: readonly string[]): Record<string, Traffic> {
  const asking = (n: number) => JSON.stringify({ question: answered[n % answered.length] });
  const status = '"status":"ok"';
  return {
    hello: { start: () => startServer([HELLO], { cwd: folder, env: process.env }), body: asking, expected: ['"hello"'] },
    hits: { start: serving(folder, true), body: () => asking(0), expected: [status, '"cache_mode":"exact"'] },
    fresh: { start: serving(folder, false), body: asking, expected: [status, '"cache_mode":"miss"'] },
  };
}

/** @throws RequestError `bench_unmeant` if responses differ from what the phase is meant to measure */
function assertMeant(phases: Readonly<Record<string, Phase>>): void {
  for (const [name, { ms, statuses }] of Object.entries(phases)) {
    const found = JSON.stringify(statuses);
    if ((statuses.unexpected ?? 0) > 0 || ms.length === 0)
      throw new RequestError("bench_unmeant", `${name}: not all answers were what this phase measures: ${found}. Nothing is reported.`);
  }
}

/** Returns the pack's questions that are answered and cached. @throws RequestError `bench_refused` if there are none */
async function ingest(folder: string): Promise<string[]> {
  const settings = { server: { queue: 2_048 }, domain: DOMAIN, data_dir: join(folder, "data") };
  writeFileSync(join(folder, "sourcebound.config.json"), JSON.stringify(settings));
  const engine = await createEngine(embeddedIn(loadProcessConfig({ data_dir: settings.data_dir, domain: DOMAIN }), settings.data_dir));
  try {
    for await (const _event of engine.ingestDomain(DOMAIN));
    const answered: string[] = [];
    for (const { question } of readGolden(GOLDEN, "demo-answerable", answerableSchema)) {
      const { status } = await engine.answer(question);
      if (status === "ok" && (await engine.answer(question)).cacheMode === "exact") answered.push(question);
    }
    if (answered.length === 0)
      throw new RequestError(
        "bench_refused",
        `None of the questions of ${GOLDEN} is answered and kept: there are no hits to measure. Unset SOURCEBOUND_ANSWER_FROM and SOURCEBOUND_CACHE.`,
      );
    return answered;
  } finally {
    await engine.close();
  }
}

/** With the cache, each repetition of a question is an exact hit; without it, every answer is new. */
function serving(folder: string, cache: boolean): () => Promise<Served> {
  const env = { ...process.env, SOURCEBOUND_CACHE: cache ? "on" : "off" };
  return () => startServer([CLI, "serve", "--port", "0"], { cwd: folder, env });
}

async function measure(server: Served, of: Omit<LoadOptions, "url">, hasHealth: boolean): Promise<Phase> {
  const memory: number[] = [];
  const looking = setInterval(() => memory.push(server.memory() ?? Number.NaN), MEMORY_MS);
  const health = hasHealth ? watchHealth(server.url, HEALTH_MS) : null;
  const before = server.processorMs() ?? Number.NaN;
  const result = await load({ url: server.url, ...of });
  const processorMs = ((server.processorMs() ?? Number.NaN) - before) / result.ms.length;
  clearInterval(looking);
  const third = Math.max(1, Math.floor(memory.length / 3));
  const middle = (part: readonly number[]) => quantile(part, 0.5) ?? Number.NaN;
  return {
    ...result,
    processorMs,
    health: health === null ? { ms: [], lost: 0 } : await health.stop(),
    memory: [memory.slice(0, third), memory.slice(third, -third), memory.slice(-third)].map(middle),
  };
}

interface Run {
  readonly args: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  readonly hitsSeconds: number;
  readonly few: number;
}

function reportOf(phases: Readonly<Record<string, Phase>>, { args, connections, seconds, hitsSeconds, few }: Run) {
  const ms = (values: readonly number[], q: number) => quantile(values, q) ?? Number.NaN;
  const rate = (name: string) => phases[name]?.perSecond ?? Number.NaN;
  const timings = Object.fromEntries([
    ["load_average_5m", loadavg()[1] ?? null] as const,
    ...Object.entries(phases).flatMap(([name, { perSecond, ms: all, health, memory, statuses, processorMs }]) => [
      [`${name}.per_second`, perSecond],
      [`${name}.of_hello`, perSecond / rate(name.endsWith("_few") ? "hello_few" : "hello")],
      [`${name}.processor_ms`, processorMs],
      [`${name}.ms_p50`, ms(all, 0.5)],
      [`${name}.ms_p99`, ms(all, 0.99)],
      [`${name}.p99_over_p50`, ms(all, 0.99) / ms(all, 0.5)],
      [`${name}.lost`, statuses.lost ?? 0],
      [`${name}.refused`, (statuses["429"] ?? 0) + (statuses["503"] ?? 0)],
      [`${name}.health_ms_p99`, ms(health.ms, 0.99)],
      [`${name}.health_lost`, health.lost],
      ...memory.map((mib, i) => [`${name}.memory_mib_${["begin", "middle", "end"][i]}`, mib] as const),
    ]),
  ]);
  const table = Object.entries(phases).map(([name, { perSecond, ms: all, statuses, health, memory, processorMs }]) => ({
    name: `${name}, ${name.endsWith("_few") ? few : connections} connections`,
    figure: `${perSecond.toFixed(0)}/s, ${((100 * perSecond) / rate(name.endsWith("_few") ? "hello_few" : "hello")).toFixed(1)} % of hello`,
    note: `n = ${all.length}; ${processorMs.toFixed(2)} ms of processor each; p50 ${ms(all, 0.5).toFixed(1)} ms, p99 ${ms(all, 0.99).toFixed(1)} ms (${(ms(all, 0.99) / ms(all, 0.5)).toFixed(1)} ×); statuses ${JSON.stringify(statuses)}; /healthz p99 ${ms(health.ms, 0.99).toFixed(0)} ms (n = ${health.ms.length}, ${health.lost} lost); memory ${memory.map((mib) => mib.toFixed(0)).join(" → ")} MiB`,
  }));
  const counts = Object.fromEntries(Object.entries(phases).map(([name, phase]) => [name, phase.ms.length]));
  const n = { ...counts, connections, few, seconds, hits_seconds: hitsSeconds };
  return { report: makeReport({ name: "serve", command: `bench serve ${args.join(" ")}`.trim(), n, timings }), table };
}
