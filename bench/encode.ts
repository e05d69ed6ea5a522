/**
 * How fast does the embedded encoder run on one core?
 * `node bench/encode.ts [--weights FILE] [--json FILE]` (Node ≥ 22.18; on Node 20 bundle it first: `npx rolldown bench/encode.ts --platform node --file dist/bench/encode.mjs`). Texts are generated, seeded.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadEmbeddedEncoder } from "../src/models/embedded-encoder.ts";

const SEED = 7;
const ROUNDS = 9;
const WORDS = (
  "the of and to in for you your is a or on be that with as if may are by from this have an claim benefits disability payment " +
  "how do I when what does can my service veteran insurance application monthly decision appeal evidence hospital treatment " +
  "symptoms patients children vaccination infection privacy information website account transfer reimbursement unemployability " +
  "compensation acetaminophen hydrochlorothiazide 21-526EZ 2019 $1,234.56 30 percent"
).split(" ");

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Zipf-like: early words of the list come more often. */
function texts(count: number, words: number, random: () => number): string[] {
  return Array.from({ length: count }, () =>
    Array.from({ length: words }, () => WORDS[Math.floor(random() ** 2 * WORDS.length)] ?? "").join(" "),
  );
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const { values } = parseArgs({ options: { json: { type: "string" }, weights: { type: "string" } } });
const options = values.weights === undefined ? {} : { path: values.weights };
const random = generator(SEED);
const loads = Array.from({ length: 5 }, () => {
  const started = performance.now();
  loadEmbeddedEncoder(options);
  return performance.now() - started;
});
const encoder = loadEmbeddedEncoder(options);
const metrics: Record<string, number> = { load_ms: median(loads) };
const n: Record<string, number> = {};
for (const [name, count, words] of [
  ["short", 20_000, 10],
  ["passage", 2_000, 150],
] as const) {
  const batch = texts(count, words, random);
  encoder.embedSync(batch.slice(0, 1000));
  const seconds = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    encoder.embedSync(batch);
    return (performance.now() - started) / 1000;
  });
  n[name] = count;
  metrics[`${name}.texts_per_second`] = Math.round(count / median(seconds));
  metrics[`${name}.words_per_second`] = Math.round((count * words) / median(seconds));
}
const report = { name: "encode", encoder: encoder.id, versions: { node: process.version }, seed: SEED, rounds: ROUNDS, n, metrics };
process.stdout.write(
  `${encoder.id}, ${encoder.dimensions} dimensions, node ${process.version}, medians of ${ROUNDS}, seed ${SEED}\n` +
    `load ${metrics.load_ms?.toFixed(0)} ms\n` +
    ["short", "passage"]
      .map((k) => `${k}: n ${n[k]}, ${metrics[`${k}.texts_per_second`]} texts/s, ${metrics[`${k}.words_per_second`]} words/s\n`)
      .join(""),
);
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
