import { parseArgs } from "node:util";
import { createModelReader, createRandom, findOnnxRuntime, quantile, type TableRow, versionsOf } from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";

const SEED = 13;
const TOKENS = [40, 85, 160] as const;
const PIECES = 10;
const ROUNDS = 15;
/** Tokens of each question, and [CLS] and twice [SEP]. */
const QUESTION_TOKENS = 9;
const SPECIAL_TOKENS = 3;
/** Words that are one token each. */
const WORDS =
  "the of and a visitor pays for each day in zone two or three when there is no other permit and costs are shared by all who".split(" ");

/** What does a question cost whose ten pieces are read, by our own kernel and by `onnxruntime-node`? */
export const benchmark: Benchmark = {
  description:
    "processor time and clock of ten pieces read by our kernel and by onnxruntime-node, where it is installed (--runtime FOLDER)",
  async run(args, progress) {
    const { values } = parseArgs({ args: [...args], options: { runtime: { type: "string" } } });
    const found = findOnnxRuntime(values.runtime === undefined ? [] : [values.runtime]);
    const runtimes = { own: undefined, ...(found === null ? {} : { onnxruntime: found.file }) };
    const timings: Record<string, number> = {};
    const table: TableRow[] = [];
    for (const tokens of TOKENS) {
      progress(`${tokens} tokens, ${ROUNDS} rounds of ${PIECES} pieces`);
      const measured = await measure(tokens, runtimes);
      for (const [name, { processorMs, clockMs }] of Object.entries(measured)) {
        timings[`${name}.tokens_${tokens}.processor_ms`] = processorMs;
        timings[`${name}.tokens_${tokens}.clock_ms`] = clockMs;
        table.push({
          name: `${tokens} tokens, ${name}`,
          figure: `${processorMs} ms`,
          note: `of a core; ${clockMs} ms by the clock, two at a time`,
        });
      }
    }
    if (found === null)
      table.push({
        name: "onnxruntime",
        figure: "–",
        note: "onnxruntime-node is not installed: name a folder where it is, --runtime FOLDER",
      });
    const report = {
      ...{ name: "runtimes", command: `bench runtimes ${args.join(" ")}`.trim(), seed: SEED, date: new Date().toISOString() },
      versions: { ...versionsOf(), "onnxruntime-node": found?.version ?? "not installed" },
      n: { pieces: PIECES, rounds: ROUNDS },
      ...{ metrics: {}, timings, items: [] },
    };
    return { report, table };
  },
};

type Measured = Readonly<Record<string, { readonly processorMs: number; readonly clockMs: number }>>;

/** Medians of the rounds for ten pieces, the runtimes in turn, so that what else the machine does meets all. */
async function measure(tokens: number, runtimes: Readonly<Record<string, string | undefined>>): Promise<Measured> {
  const random = createRandom(SEED + tokens);
  const words = (count: number) => Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ");
  const pieces = () =>
    Array.from({ length: PIECES }, () => ({ question: words(QUESTION_TOKENS), text: words(tokens - QUESTION_TOKENS - SPECIAL_TOKENS) }));
  const readers = Object.entries(runtimes).map(([name, onnxRuntime]) => {
    const open = (threads: number) => createModelReader({ threads, onnxRuntime, cacheBytes: 0 });
    // The processor time of processes cannot be asked for: it is taken in the calling thread.
    return { name, here: open(0), two: open(2), processor: [] as number[], clock: [] as number[] };
  });
  for (const { here, two } of readers) for (const reader of [here, two]) await reader.read(pieces());
  for (let round = 0; round < ROUNDS; round++) {
    for (const { here, two, processor, clock } of readers) {
      const before = process.cpuUsage();
      await here.read(pieces());
      const { user, system } = process.cpuUsage(before);
      processor.push((user + system) / 1000);
      const begun = performance.now();
      await two.read(pieces());
      clock.push(performance.now() - begun);
    }
  }
  for (const { here, two } of readers) await Promise.all([here.close(), two.close()]);
  const median = (all: readonly number[]) => Math.round(10 * (quantile(all, 0.5) ?? Number.NaN)) / 10;
  return Object.fromEntries(
    readers.map(({ name, processor, clock }) => [name, { processorMs: median(processor), clockMs: median(clock) }]),
  );
}
