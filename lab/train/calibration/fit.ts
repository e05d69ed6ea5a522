import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { auroc } from "../../../src/grading/metrics.ts";
import { createHubEncoder } from "../../../src/models/adapters/hub.ts";
import { type Calibration, distributionOf } from "../../../src/models/calibration/calibration.ts";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import type { Encoder } from "../../../src/models/encoder.ts";
import { hashOf, type LabelledPair, labelledPairs } from "./pairs.ts";

/** Fits the calibration of one encoder; see README.md. */

const SEED = 1;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    encoder: { type: "string", default: "embedded" },
    questions: { type: "string", default: "300" },
    models: { type: "string", default: "" },
    runtime: { type: "string", default: "" },
    out: { type: "string" },
    date: { type: "string" },
  },
});
if (values.data === undefined || values.out === undefined)
  throw new Error("usage: fit --data DIR --out FILE [--encoder NAME --models DIR --runtime DIR]");

const encoder: Encoder =
  values.encoder === "embedded"
    ? loadEmbeddedEncoder()
    : createHubEncoder(values.encoder, { modelsDir: values.models, runtimeDirs: [values.runtime] });
const pairs = labelledPairs(values.data, Number(values.questions), SEED);
process.stderr.write(`${pairs.length} pairs, ${pairs.filter(({ relevant }) => relevant).length} relevant\n`);
const cosines = await cosinesOf(pairs, encoder);
const scoresOf = (wanted: boolean) => cosines.filter((_, i) => pairs[i]?.relevant === wanted);
const calibration: Calibration = {
  model: encoder.model ?? encoder.id,
  date: values.date ?? new Date().toISOString().slice(0, 10),
  data_sha256: hashOf(pairs),
  sets: Object.fromEntries(
    [...new Set(pairs.map(({ set }) => set))].map((set) => [set, countsOf(pairs.filter((pair) => pair.set === set))]),
  ),
  n: pairs.length,
  measured: { auroc: round(auroc(scoresOf(true), scoresOf(false)) as number) },
  quantiles: distributionOf(cosines).map(round),
};
writeFileSync(values.out, `${JSON.stringify(calibration)}\n`);
process.stdout.write(
  `${JSON.stringify({ model: calibration.model, n: calibration.n, sets: calibration.sets, measured: calibration.measured }, null, 2)}\n`,
);

async function cosinesOf(all: readonly LabelledPair[], { embed }: Encoder): Promise<number[]> {
  const texts = [...new Set(all.flatMap(({ question, windows }) => [question, ...windows]))];
  const vectors = new Map<string, Float32Array>();
  for (let at = 0; at < texts.length; at += 64) {
    const part = texts.slice(at, at + 64);
    for (const [i, vector] of (await embed(part)).entries()) vectors.set(part[i] as string, vector);
    if (at % 640 === 0) process.stderr.write(`${at + part.length} of ${texts.length} texts\n`);
  }
  const vectorOf = (text: string) => vectors.get(text) as Float32Array;
  const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
  return all.map(({ question, windows }) => Math.max(...windows.map((window) => cosine(vectorOf(question), vectorOf(window)))));
}

function countsOf(part: readonly LabelledPair[]) {
  return {
    questions: new Set(part.map(({ question, cluster }) => `${cluster}\n${question}`)).size,
    pairs: part.length,
    relevant: part.filter(({ relevant }) => relevant).length,
  };
}

function round(value: number): number {
  return Number(value.toFixed(5));
}
