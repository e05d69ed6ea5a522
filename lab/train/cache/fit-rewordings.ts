import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openSharedReader } from "../../../src/cross-encoder/shared-reader.ts";
import { REWORDING_FEATURES, type RewordingWeights } from "../../../src/memory/match.ts";
import { chanceOf } from "../../../src/models/weights/scorer.ts";
import { fitLogistic } from "../../judges/logistic-regression.ts";
import { type RewordingRow, rewordingRowSchema } from "./rewording-rows.ts";

/** Fits the acceptance of paraphrases from the rows of `rewordings.ts`, and reports it on held-out collections. See README.md. */

/** Folds of the collections, in order of their names, for cross-validation. */
const PARTS = 10;
/** Threshold if no rule objects: the questions must be more likely paraphrases than not. */
const AGREED_FROM = 0.5;

const { values } = parseArgs({ options: { rows: { type: "string" }, out: { type: "string" } } });
if (values.rows === undefined || values.out === undefined) throw new Error("usage: fit-rewordings --rows FILE --out FILE");

const rows = readFileSync(values.rows, "utf8")
  .trim()
  .split("\n")
  .map((line) => rewordingRowSchema.parse(JSON.parse(line)));
const sets = [...new Set(rows.map(({ set }) => set))].sort();
const partOf = ({ set }: RewordingRow) => sets.indexOf(set) % PARTS;
const judged = Array.from({ length: PARTS }, (_, part) => {
  const scorer = learn(rows.filter((row) => partOf(row) !== part));
  return rows.filter((row) => partOf(row) === part).map((row) => ({ row, chance: chanceOf(valuesOf(row), scorer) }));
}).flat();

const soft = judged.filter(({ row }) => row.soft);
// The lowest probability above every false positive on held-out collections.
const highest = Math.max(...soft.filter(({ row }) => !row.same).map(({ chance }) => chance));
const softFrom = Math.ceil(highest * 1000) / 1000;
for (const [name, some, from] of [
  ["no rule against it", judged.filter(({ row }) => !row.soft), AGREED_FROM],
  ["a soft rule against it", soft, softFrom],
] as const) {
  const count = (same: boolean, least: number) => some.filter(({ row, chance }) => row.same === same && chance >= least).length;
  process.stdout.write(
    `${name}: right ${count(true, from)} of ${count(true, 0)}, wrong ${count(false, from)} of ${count(false, 0)}, from ${from}\n`,
  );
}

const reader = openSharedReader();
const { name, hash } = reader.weights;
await reader.close();
const weights: RewordingWeights = {
  recipe: "lab/train/cache/fit-rewordings.ts",
  reader: { name, hash },
  scorer: learn(rows),
  from: { agreed: AGREED_FROM, soft: softFrom },
};
writeFileSync(values.out, `${JSON.stringify(weights, null, 2)}\n`);

function valuesOf({ cosine, sameOdds, answerOdds, soft: isSoft }: RewordingRow): number[] {
  return [cosine, sameOdds, answerOdds, Number(isSoft)];
}

function learn(some: readonly RewordingRow[]): RewordingWeights["scorer"] {
  const model = fitLogistic(
    some.map(valuesOf),
    some.map(({ same }) => same),
  );
  const linear = REWORDING_FEATURES.map((_, i) => (model.weights[i] as number) / (model.spread[i] as number));
  const bias = linear.reduce((sum, weight, i) => sum - weight * (model.mean[i] as number), model.weights.at(-1) as number);
  return { features: [...REWORDING_FEATURES], linear: linear.map(round), bias: round(bias) };
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
