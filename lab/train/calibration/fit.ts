import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createHubEncoder } from "../../../src/models/adapters/hub.ts";
import {
  applyIsotonic,
  type Calibration,
  distributionOf,
  fitIsotonic,
  type LabelledScore,
} from "../../../src/models/calibration/calibration.ts";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import type { Encoder } from "../../../src/models/encoder.ts";
import { hashOf, type LabelledPair, labelledPairs } from "./pairs.ts";

/** Fits the calibration of one encoder; see README.md. */

const FOLDS = 5;
const BINS = 10;
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
const scored = pairs.map(({ relevant, cluster }, i) => ({ score: cosines[i] as number, relevant, cluster }));
const crossFitted = crossFit(scored);
const base = scored.filter(({ relevant }) => relevant).length / scored.length;
const calibration: Calibration = {
  model: encoder.model ?? encoder.id,
  date: values.date ?? new Date().toISOString().slice(0, 10),
  data_sha256: hashOf(pairs),
  sets: Object.fromEntries(
    [...new Set(pairs.map(({ set }) => set))].map((set) => [set, countsOf(pairs.filter((pair) => pair.set === set))]),
  ),
  n: pairs.length,
  measured: {
    auroc: round(auroc(scored)),
    brier: round(brier(crossFitted)),
    brier_base_rate: round(base * (1 - base)),
    calibration_error: round(calibrationError(crossFitted)),
  },
  quantiles: distributionOf(cosines).map(round),
  isotonic: roundMap(fitIsotonic(scored)),
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

/** Probabilities from maps that never saw the question's source document. */
function crossFit(all: readonly (LabelledScore & { readonly cluster: string })[]) {
  const foldOf = (cluster: string) =>
    [...cluster].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) as number)) % 1_000_003, 7) % FOLDS;
  return Array.from({ length: FOLDS }, (_, fold) => {
    const map = fitIsotonic(all.filter(({ cluster }) => foldOf(cluster) !== fold));
    return all
      .filter(({ cluster }) => foldOf(cluster) === fold)
      .map(({ score, relevant }) => ({ probability: applyIsotonic(map, score), relevant }));
  }).flat();
}

function brier(all: readonly { probability: number; relevant: boolean }[]): number {
  return all.reduce((sum, { probability, relevant }) => sum + (probability - (relevant ? 1 : 0)) ** 2, 0) / all.length;
}

/** Expected calibration error over ten bins of equal width. */
function calibrationError(all: readonly { probability: number; relevant: boolean }[]): number {
  return Array.from({ length: BINS }, (_, bin) => {
    const inside = all.filter(({ probability }) => Math.min(BINS - 1, Math.floor(probability * BINS)) === bin);
    const gap = inside.reduce((sum, { probability, relevant }) => sum + probability - (relevant ? 1 : 0), 0);
    return Math.abs(gap) / all.length;
  }).reduce((sum, one) => sum + one, 0);
}

/** Chance that a relevant pair scores above an irrelevant one; ties count half. */
function auroc(all: readonly LabelledScore[]): number {
  const sorted = [...all].sort((a, b) => a.score - b.score);
  let ranks = 0;
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (to < sorted.length && sorted[to]?.score === sorted[from]?.score) to++;
    ranks += sorted.slice(from, to).filter(({ relevant }) => relevant).length * ((from + to + 1) / 2);
    from = to;
  }
  const relevant = all.filter((one) => one.relevant).length;
  return (ranks - (relevant * (relevant + 1)) / 2) / (relevant * (all.length - relevant));
}

function countsOf(part: readonly LabelledPair[]) {
  return {
    questions: new Set(part.map(({ question, cluster }) => `${cluster}\n${question}`)).size,
    pairs: part.length,
    relevant: part.filter(({ relevant }) => relevant).length,
  };
}

/** Five digits, and of neighbours that become equal one. */
function roundMap({ scores, probabilities }: { scores: readonly number[]; probabilities: readonly number[] }) {
  return { scores: scores.map(round), probabilities: probabilities.map(round) };
}

function round(value: number): number {
  return Number(value.toFixed(5));
}
