import { parseArgs } from "node:util";
import { createRandom, loadEmbeddedEncoder, quantile, versionsOf } from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";

const SEED = 7;
const ROUNDS = 9;
const WORDS = (
  "the of and to in for you your is a or on be that with as if may are by from this have an claim benefits disability payment " +
  "how do I when what does can my service veteran insurance application monthly decision appeal evidence hospital treatment " +
  "symptoms patients children vaccination infection privacy information website account transfer reimbursement unemployability " +
  "compensation acetaminophen hydrochlorothiazide 21-526EZ 2019 $1,234.56 30 percent"
).split(" ");

/** How fast does the embedded encoder run on one core? */
export const benchmark: Benchmark = {
  description: "texts and words per second of the embedded encoder on one core (--weights FILE)",
  async run(args, progress) {
    const { values } = parseArgs({ args: [...args], options: { weights: { type: "string" } } });
    const options = values.weights === undefined ? {} : { path: values.weights };
    const loads = Array.from({ length: 5 }, () => seconds(() => loadEmbeddedEncoder(options)) * 1000);
    const encoder = loadEmbeddedEncoder(options);
    const random = createRandom(SEED);
    const timings: Record<string, number | null> = { load_ms: quantile(loads, 0.5) };
    const n: Record<string, number> = {};
    for (const [name, count, words] of [
      ["short", 20_000, 10],
      ["passage", 2_000, 150],
    ] as const) {
      progress(`${name}: ${count} texts of ${words} words, ${ROUNDS} times`);
      const batch = texts(count, words, random);
      encoder.embedSync(batch.slice(0, 1000));
      const median = quantile(
        Array.from({ length: ROUNDS }, () => seconds(() => encoder.embedSync(batch))),
        0.5,
      );
      n[name] = count;
      timings[`${name}.texts_per_second`] = median === null ? null : Math.round(count / median);
      timings[`${name}.words_per_second`] = median === null ? null : Math.round((count * words) / median);
    }
    const rate = (name: string) => `${timings[`${name}.texts_per_second`]} texts/s`;
    const note = (name: string) => `n = ${n[name]}, ${timings[`${name}.words_per_second`]} words/s`;
    return {
      report: {
        name: "encode",
        command: `bench encode ${args.join(" ")}`.trim(),
        versions: { ...versionsOf(), encoder: encoder.id },
        seed: SEED,
        date: new Date().toISOString(),
        n,
        metrics: {},
        timings,
        items: [],
      },
      table: [
        {
          name: "load",
          figure: `${timings.load_ms?.toFixed(0)} ms`,
          note: `${encoder.id}, ${encoder.dimensions} dimensions, medians of ${ROUNDS}`,
        },
        { name: "texts of 10 words", figure: rate("short"), note: note("short") },
        { name: "texts of 150 words", figure: rate("passage"), note: note("passage") },
      ],
    };
  },
};

/** Zipf-like: early words of the list come more often. */
function texts(count: number, words: number, random: () => number): string[] {
  return Array.from({ length: count }, () =>
    Array.from({ length: words }, () => WORDS[Math.floor(random() ** 2 * WORDS.length)] ?? "").join(" "),
  );
}

function seconds(run: () => unknown): number {
  const started = performance.now();
  run();
  return (performance.now() - started) / 1000;
}
