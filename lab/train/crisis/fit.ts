import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { crisisFeatures } from "../../../src/guard/crisis-features.ts";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";

/** Fits the finder of crises on the cases beside this file and says, family by family held out, what it finds and what it takes for one. */
const { values } = parseArgs({
  options: { data: { type: "string", default: process.env.SOURCEBOUND_DATA ?? "" }, weights: { type: "string" } },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const FOLDS = 7;
const EPOCHS = 250;
const RATE = 0.5;
const L2 = 3e-5;
/** Everyday utterances of public sets, beside our own cases of no crisis. */
const EVERYDAY = 1500;

interface Case {
  readonly family: string;
  readonly crisis: boolean;
  readonly text: string;
}
const schema = z.object({ family: z.string(), crisis: z.boolean(), text: z.string() });
const lines = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
const cases: Case[] = lines(join(import.meta.dirname, "cases.jsonl")).map((line) => schema.parse(line));
const encoder = loadEmbeddedEncoder();
const featuresOf = (text: string) => crisisFeatures(text, encoder.embedSync([text])[0] as Float32Array);

function everyday(): Case[] {
  const path = join(values.data, "clinc150", "clinc150.jsonl");
  if (values.data === "" || !existsSync(path)) {
    process.stderr.write("clinc150 is not there (--data DIR): fitted on our own cases alone\n");
    return [];
  }
  const texts = lines(path).map((line) => z.looseObject({ text: z.string() }).parse(line).text);
  const step = Math.max(1, Math.floor(texts.length / EVERYDAY));
  return texts.filter((_, i) => i % step === 0).map((text, i) => ({ family: `everyday-${i % FOLDS}`, crisis: false, text }));
}

const own = cases.map((one) => ({ ...one, features: featuresOf(one.text) }));
const other = everyday().map((one) => ({ ...one, features: featuresOf(one.text) }));
type Featured = (typeof own)[number];

/** Logistic regression by full-batch gradient descent with momentum; both classes weigh the same. */
function fitModel(given: readonly Featured[]): { weights: Float64Array; bias: number } {
  const size = own[0]?.features.length ?? 0;
  const weights = new Float64Array(size);
  const velocity = new Float64Array(size);
  let bias = 0;
  let pace = 0;
  const positives = given.filter(({ crisis }) => crisis).length;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const gradient = new Float64Array(size);
    let slope = 0;
    for (const { features, crisis } of given) {
      const weight = crisis ? 0.5 / positives : 0.5 / (given.length - positives);
      const error = (chance({ weights, bias }, features) - (crisis ? 1 : 0)) * weight;
      for (let i = 0; i < size; i++) gradient[i] = (gradient[i] as number) + error * (features[i] as number);
      slope += error;
    }
    for (let i = 0; i < size; i++) {
      velocity[i] = 0.9 * (velocity[i] as number) - RATE * ((gradient[i] as number) + L2 * (weights[i] as number));
      weights[i] = (weights[i] as number) + (velocity[i] as number);
    }
    pace = 0.9 * pace - RATE * slope;
    bias += pace;
  }
  return { weights, bias };
}

function chance({ weights, bias }: { weights: Float64Array; bias: number }, features: Float64Array): number {
  let sum = bias;
  for (let i = 0; i < features.length; i++) sum += (weights[i] as number) * (features[i] as number);
  return 1 / (1 + Math.exp(-sum));
}

const families = [...new Set(own.map(({ family }) => family))];
const heldOut: { family: string; crisis: boolean; text: string; chance: number }[] = [];
for (let fold = 0; fold < FOLDS; fold++) {
  const out = new Set(families.filter((_, i) => i % FOLDS === fold));
  const model = fitModel([...own.filter(({ family }) => !out.has(family)), ...other.filter(({ family }) => family !== `everyday-${fold}`)]);
  for (const one of [...own.filter(({ family }) => out.has(family)), ...other.filter(({ family }) => family === `everyday-${fold}`)])
    heldOut.push({ family: one.family, crisis: one.crisis, text: one.text, chance: chance(model, one.features) });
}
const share = (rows: readonly { chance: number }[], at: number) => `${rows.filter((row) => row.chance >= at).length} of ${rows.length}`;
for (const at of [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) {
  const found = share(
    heldOut.filter(({ crisis }) => crisis),
    at,
  );
  const alarms = share(
    heldOut.filter(({ crisis, family }) => !crisis && !family.startsWith("everyday")),
    at,
  );
  say(
    `at ${at}: found ${found}; near misses taken for one ${alarms}; everyday ${share(
      heldOut.filter(({ family }) => family.startsWith("everyday")),
      at,
    )}`,
  );
}
for (const family of families) {
  const rows = heldOut.filter((row) => row.family === family);
  say(`${rows[0]?.crisis ? "crisis" : "other "} ${family.padEnd(12)} at .5: ${share(rows, 0.5)}, at .8: ${share(rows, 0.8)}`);
}
if (values.weights !== undefined) {
  const { weights, bias } = fitModel([...own, ...other]);
  const rounded = [...weights].map((value) => Math.round(value * 1000) / 1000);
  writeFileSync(
    values.weights,
    `${JSON.stringify({ encoder: encoder.id, recipe: "lab/train/crisis/fit.ts", bias: Math.round(bias * 1000) / 1000, linear: rounded })}\n`,
  );
}
