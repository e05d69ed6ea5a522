import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { openSharedReader } from "../../../src/cross-encoder/create-reader.ts";
import { loadDomain } from "../../../src/engine/domain.ts";
import { createQuestionFactReader, findFactConflict } from "../../../src/language/question-facts.ts";
import { type ParaphraseWeights, readProbabilities } from "../../../src/memory/matcher.ts";
import { type PairRow, pairRowSchema } from "./pair-rows.ts";

/**
 * Chooses the probability from which a paraphrase is served: in any domain, on the rows of `pairs.ts`; in a measured one, on pairs in the
 * words of the veterans' pack. See README.md.
 */

/** Maximum share of wrong answers among those served. */
const MOST_WRONG = 0.01;
/** Folds of the collections, in order of their names, for cross-validation. */
const FOLDS = 10;

const { values } = parseArgs({ options: { rows: { type: "string" }, measured: { type: "string" }, out: { type: "string" } } });
if (values.rows === undefined || values.measured === undefined || values.out === undefined)
  throw new Error("usage: threshold --rows FILE --measured FILE --out FILE");

const linesOf = (path: string): unknown[] => {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as unknown);
};
const rows = linesOf(values.rows).map((row) => pairRowSchema.parse(row));
const sets = [...new Set(rows.map(({ set }) => set))].sort();
const foldOf = ({ set }: PairRow) => sets.indexOf(set) % FOLDS;
const held = Array.from({ length: FOLDS }, (_, fold) => {
  const from = choose(rows.filter((row) => foldOf(row) !== fold));
  return rows.filter((row) => foldOf(row) === fold && row.chance >= from);
}).flat();
const from = choose(rows);
report("cross-validation", held, rows);
report(
  `other: from ${from}`,
  rows.filter(({ chance }) => chance >= from),
  rows,
);

const reader = openSharedReader("questions");
const { name, hash } = reader.weights;
const written = await scorePairs(linesOf(values.measured));
await reader.close();
const measured = choose(written);
report(
  `measured: from ${measured}`,
  written.filter(({ chance }) => chance >= measured),
  written,
);
const weights: ParaphraseWeights = { recipe: "lab/train/cache/threshold.ts", reader: { name, hash }, from: { measured, other: from } };
writeFileSync(values.out, `${JSON.stringify(weights, null, 2)}\n`);

/** Scores pairs in the words of the veterans' pack that have equal exact facts. */
async function scorePairs(pairs: readonly unknown[]): Promise<Pick<PairRow, "same" | "chance">[]> {
  const schema = z.object({ stored: z.string(), asked: z.string(), share: z.boolean() });
  const facts = createQuestionFactReader(loadDomain("veterans"));
  const { signal } = new AbortController();
  const scored: Pick<PairRow, "same" | "chance">[] = [];
  for (const { stored, asked, share } of pairs.map((pair) => schema.parse(pair))) {
    const [own, other] = [facts.read(asked), facts.read(stored)];
    if (findFactConflict(own, other) !== null) continue;
    const [chance = null] = (await readProbabilities(own, [other], () => (texts) => reader.read(texts), signal)) ?? [];
    if (chance !== null) scored.push({ same: share, chance });
  }
  return scored;
}

/** Returns the lowest probability (4 decimals, rounded up) from which at most `MOST_WRONG` of the served pairs are wrong; 1 if there is none. */
function choose(some: readonly Pick<PairRow, "same" | "chance">[]): number {
  const ranked = [...some].sort((a, b) => b.chance - a.chance);
  let [wrong, least] = [0, 1];
  for (const [at, { same, chance }] of ranked.entries()) {
    if (!same) wrong++;
    if (wrong / (at + 1) <= MOST_WRONG) least = chance;
  }
  return Math.ceil(least * 10_000) / 10_000;
}

function report(name: string, served: readonly Pick<PairRow, "same">[], pairs: readonly Pick<PairRow, "same">[]): void {
  const right = served.filter(({ same }) => same).length;
  const all = pairs.filter(({ same }) => same).length;
  process.stdout.write(`${name}: right ${right} of ${all}, wrong ${served.length - right} of ${pairs.length - all}\n`);
}
