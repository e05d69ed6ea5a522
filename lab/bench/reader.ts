import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { RequestError } from "../../src/errors.ts";
import {
  createForward,
  createModelReader,
  createRandom,
  createWordpiece,
  loadReaderWeights,
  piecesOf,
  quantile,
  SHIPPED_WEIGHTS,
  type TableRow,
  versionsOf,
} from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";

const SEED = 11;
/** Tokens of one sequence: [CLS] question [SEP] passage [SEP]. */
const TOKENS = 160;
const WORDS =
  "the of and a visitor pays for each day in zone two or three when there is no other permit and costs are shared by all who".split(" ");

/** How fast does the reader read one question with one passage, and what does it cost to have it? */
export const benchmark: Benchmark = {
  description: "milliseconds per question and passage of the reader, by layers and threads (--weights FILE…, --passages N)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: { weights: { type: "string", multiple: true }, passages: { type: "string", default: "48" } },
    });
    const files = values.weights ?? [SHIPPED_WEIGHTS];
    const passages = Number(values.passages);
    if (!(Number.isInteger(passages) && passages > 0))
      throw new RequestError("invalid_passages", `--passages is "${values.passages}": give a whole number above 0.`);
    const timings: Record<string, number | null> = {};
    const metrics: Record<string, number | null> = {};
    const table: TableRow[] = [];
    const round = (value: number | null | undefined) => (value === null || value === undefined ? null : Math.round(value * 100) / 100);
    for (const file of files) {
      progress(`${file}: ${passages} passages`);
      const loads = Array.from({ length: 5 }, () => milliseconds(() => loadReaderWeights(file, 2)));
      const { layers, key, forward } = oneForward(file);
      const name = `layers_${layers}`;
      metrics[`${name}.megabytes`] = round(statSync(file).size / 2 ** 20);
      timings[`${name}.load_ms`] = round(quantile(loads, 0.5));
      timings[`${name}.forward_ms`] = round(quantile(forward.milliseconds, 0.5));
      timings[`${name}.forward_least_ms`] = round(Math.min(...forward.milliseconds));
      timings[`${name}.gmac_per_second`] = round(forward.multiplications / Math.min(...forward.milliseconds) / 1e6);
      for (const threads of [1, 2]) {
        const { wallMs, processorMs } = await pooled(file, threads, passages);
        timings[`${name}.threads_${threads}.ms`] = round(wallMs);
        timings[`${name}.threads_${threads}.processor_ms`] = round(processorMs);
        timings[`${name}.threads_${threads}.memory_mb`] = round(memoryOf(file, threads));
      }
      const of = (what: string) => timings[`${name}.${what}`];
      table.push(
        {
          name: `${layers} layers, ${key}`,
          figure: `${metrics[`${name}.megabytes`]} MiB`,
          note: `loaded in ${of("load_ms")} ms (median of 5)`,
        },
        {
          name: "  one sequence",
          figure: `${of("forward_ms")} ms`,
          note: `least ${of("forward_least_ms")}, ${of("gmac_per_second")} GMAC/s, ${TOKENS} tokens`,
        },
        ...[1, 2].map((threads) => ({
          name: `  ${threads} thread${threads > 1 ? "s" : ""}`,
          figure: `${of(`threads_${threads}.ms`)} ms`,
          note: `per passage, n = ${passages}; processor ${of(`threads_${threads}.processor_ms`)} ms; memory +${of(`threads_${threads}.memory_mb`)} MB`,
        })),
      );
    }
    const command = `bench reader ${args.join(" ")}`.trim();
    const report = {
      name: "reader",
      command,
      versions: versionsOf(),
      seed: SEED,
      date: new Date().toISOString(),
      n: { passages },
      metrics,
      timings,
      items: [],
    };
    return { report, table };
  },
};

/** One sequence through all layers, in this thread. */
function oneForward(file: string) {
  const weights = loadReaderWeights(file, 1);
  const { layers, hidden, feed_forward: wide } = weights.header;
  const run = createForward(weights, 0);
  const pieces = piecesOf(weights);
  const wordpiece = createWordpiece(pieces, { piece: pieces.indexOf("[UNK]") });
  const ids = wordpiece.ids.slice(0, wordpiece.encode(passageOf(TOKENS, 0), TOKENS));
  const read = () => run.run(ids);
  for (let i = 0; i < 5; i++) read();
  const multiplications = layers * ids.length * (4 * hidden * hidden + 2 * hidden * wide + 2 * ids.length * hidden);
  return {
    layers,
    key: weights.hash.slice(0, 12),
    forward: { milliseconds: Array.from({ length: 31 }, () => milliseconds(read)), multiplications },
  };
}

/** As the product reads: in threads, many texts, none of them read before. */
async function pooled(file: string, threads: number, count: number) {
  const reader = createModelReader({ path: file, threads, cacheBytes: 0 });
  const texts = Array.from({ length: count }, (_, i) => passageOf(TOKENS, i));
  await reader.read(texts.slice(0, 2 * threads));
  const [startedAt, processor] = [performance.now(), process.cpuUsage()];
  await reader.read(texts);
  const wallMs = (performance.now() - startedAt) / count;
  const { user, system } = process.cpuUsage(processor);
  await reader.close();
  return { wallMs, processorMs: (user + system) / 1000 / count };
}

/** Megabytes that a process of its own gains by opening the reader and reading 16 passages. */
function memoryOf(file: string, threads: number): number {
  const options = JSON.stringify({ path: file, threads });
  const texts = JSON.stringify(Array.from({ length: 16 }, (_, i) => passageOf(TOKENS, i)));
  const program = `
    import { createModelReader } from ${JSON.stringify(new URL("../../src/internals.js", import.meta.url).href)};
    const before = process.memoryUsage().rss;
    const reader = createModelReader(${options});
    await reader.read(${texts});
    process.stdout.write(String(process.memoryUsage().rss - before));
    await reader.close();`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })) / 2 ** 20;
}

/** Words that are one token each. */
function passageOf(tokens: number, number: number): string {
  const random = createRandom(SEED + number);
  return Array.from({ length: tokens }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ");
}

function milliseconds(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
