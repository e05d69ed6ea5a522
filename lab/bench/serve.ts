import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { embeddedIn } from "../../src/config.ts";
import { createEngine, loadProcessConfig } from "../../src/index.ts";
import { quantile, versionsOf } from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";
import { type LoadResult, load, watchHealth } from "./serve/load.ts";
import { type Served, startServer } from "./serve/processes.ts";

const QUESTION = "How long do I have to ask for a Higher-Level Review?";
/** Milliseconds between two looks at `/healthz`, and at memory. */
const HEALTH_MS = 50;
const MEMORY_MS = 1_000;
const ENDING = extname(import.meta.filename);
const CLI = join(import.meta.dirname, "..", "..", "src", "cli", `main${ENDING}`);
const HELLO = join(import.meta.dirname, "serve", `hello${ENDING}`);

interface Phase extends LoadResult {
  readonly health: readonly number[];
  /** MiB at the beginning, middle and end of the phase. */
  readonly memory: readonly number[];
}

/** What does a server hold, from a second process, beside the least that a server of its kind does? */
export const benchmark: Benchmark = {
  description:
    "load on `serve` from a second process beside a bare server (--connections N, --seconds N for each phase, --few N connections of the phase before)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        connections: { type: "string", default: "200" },
        seconds: { type: "string", default: "20" },
        few: { type: "string", default: "4" },
      },
    });
    const [connections, seconds, few] = [Number(values.connections), Number(values.seconds), Number(values.few)];
    const folder = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    try {
      progress("ingesting the demo documents");
      await ingest(folder);
      const servers = {
        hello: () => startServer([HELLO], { cwd: folder, env: process.env }),
        hits: serving(folder, true),
        fresh: serving(folder, false),
      };
      const phases: Record<string, Phase> = {};
      for (const [name, start] of Object.entries(servers)) {
        const server = await start();
        try {
          progress(`${name}: warming`);
          await load({ url: server.url, connections: few, seconds: 2, body });
          progress(`${name}: ${few} connections`);
          phases[`${name}_few`] = await measure(server, { connections: few, seconds: Math.min(seconds, 20) }, name !== "hello");
          progress(`${name}: ${connections} connections`);
          phases[name] = await measure(server, { connections, seconds }, name !== "hello");
        } finally {
          await server.stop();
        }
      }
      return reportOf(phases, { args, connections, seconds, few });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const body = () => JSON.stringify({ question: QUESTION });

async function ingest(folder: string): Promise<void> {
  const settings = { server: { queue: 2_048 }, domain: "veterans", data_dir: join(folder, "data") };
  writeFileSync(join(folder, "sourcebound.config.json"), JSON.stringify(settings));
  const engine = await createEngine(embeddedIn(loadProcessConfig({ data_dir: settings.data_dir, domain: "veterans" }), settings.data_dir));
  for await (const _event of engine.ingestDomain("veterans"));
  await engine.close();
}

/** With the cache, the question is an exact hit from its second time on; without, every answer is a new one. */
function serving(folder: string, cache: boolean): () => Promise<Served> {
  const env = { ...process.env, SOURCEBOUND_CACHE: cache ? "on" : "off" };
  return () => startServer([CLI, "serve", "--port", "0"], { cwd: folder, env });
}

async function measure(server: Served, of: { connections: number; seconds: number }, hasHealth: boolean): Promise<Phase> {
  const memory: number[] = [];
  const looking = setInterval(() => memory.push(server.memory() ?? Number.NaN), MEMORY_MS);
  const health = hasHealth ? watchHealth(server.url, HEALTH_MS) : null;
  const result = await load({ url: server.url, ...of, body });
  clearInterval(looking);
  const third = Math.max(1, Math.floor(memory.length / 3));
  const middle = (part: readonly number[]) => quantile(part, 0.5) ?? Number.NaN;
  return {
    ...result,
    health: health === null ? [] : await health.stop(),
    memory: [memory.slice(0, third), memory.slice(third, -third), memory.slice(-third)].map(middle),
  };
}

interface Run {
  readonly args: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  readonly few: number;
}

function reportOf(phases: Readonly<Record<string, Phase>>, { args, connections, seconds, few }: Run) {
  const ms = (values: readonly number[], q: number) => quantile(values, q) ?? Number.NaN;
  const rate = (name: string) => phases[name]?.perSecond ?? Number.NaN;
  const timings = Object.fromEntries(
    Object.entries(phases).flatMap(([name, { perSecond, ms: all, health, memory, statuses }]) => [
      [`${name}.per_second`, perSecond],
      [`${name}.of_hello`, perSecond / rate(name.endsWith("_few") ? "hello_few" : "hello")],
      [`${name}.ms_p50`, ms(all, 0.5)],
      [`${name}.ms_p99`, ms(all, 0.99)],
      [`${name}.p99_over_p50`, ms(all, 0.99) / ms(all, 0.5)],
      [`${name}.lost`, statuses.lost ?? 0],
      [`${name}.refused`, (statuses["429"] ?? 0) + (statuses["503"] ?? 0)],
      [`${name}.health_ms_p99`, ms(health, 0.99)],
      ...memory.map((mib, i) => [`${name}.memory_mib_${["begin", "middle", "end"][i]}`, mib] as const),
    ]),
  );
  const table = Object.entries(phases).map(([name, { perSecond, ms: all, statuses, health, memory }]) => ({
    name: `${name}, ${name.endsWith("_few") ? few : connections} connections`,
    figure: `${perSecond.toFixed(0)}/s, ${((100 * perSecond) / rate(name.endsWith("_few") ? "hello_few" : "hello")).toFixed(1)} % of hello`,
    note: `n = ${all.length}; p50 ${ms(all, 0.5).toFixed(1)} ms, p99 ${ms(all, 0.99).toFixed(1)} ms (${(ms(all, 0.99) / ms(all, 0.5)).toFixed(1)} ×); statuses ${JSON.stringify(statuses)}; /healthz p99 ${ms(health, 0.99).toFixed(0)} ms (n = ${health.length}); memory ${memory.map((mib) => mib.toFixed(0)).join(" → ")} MiB`,
  }));
  const counts = Object.fromEntries(Object.entries(phases).map(([name, phase]) => [name, phase.ms.length]));
  const report = {
    ...{ name: "serve", command: `bench serve ${args.join(" ")}`.trim(), versions: versionsOf(), seed: 0, date: new Date().toISOString() },
    ...{ n: { ...counts, connections, seconds }, metrics: {}, timings, items: [] },
  };
  return { report, table };
}
