import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadDomain } from "../../../src/engine/domain.ts";
import { createLikeness } from "../../../src/language/likeness.ts";
import { type MatchWeights, matchScore } from "../../../src/memory/match.ts";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import { fitLogistic } from "../../judges/logistic-regression.ts";
import { featuresOf } from "../../runs/cache-curve.ts";
import { CACHE_SETS, type CachePair, readCachePairs } from "../../sets/cache-pairs.ts";

/** Fits the weights of question similarity; see README.md. */

const WORDS = ["cosine", "entities", "askedExplained", "storedExplained", "askedClear", "storedClear", "asks"];
const RETRIEVED = [...WORDS, "documents", "cited"];
/** Sets whose must-not-share pairs limit the threshold, and the share of these pairs that may be served. */
interface Guard {
  readonly sets: readonly string[];
  readonly share: number;
}
/** Real questions with words of the vocabulary; some headings do share an answer. */
const RETRIEVED_GUARD: Guard = { sets: ["covid-qa", "headings", "written"], share: 0.03 };
/** Stricter, because there is no retrieval: the sets of intents. */
const WORDS_GUARD: Guard = { sets: ["clinc150", "banking77"], share: 0.01 };
const LEAST = 0.15;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    corpus: { type: "string" },
    domain: { type: "string", default: "veterans" },
    questions: { type: "string", default: "1500" },
    out: { type: "string" },
  },
});
if (values.data === undefined || values.out === undefined || values.corpus === undefined)
  throw new Error("usage: fit --data DIR --corpus DIR --out FILE [--domain NAME --questions N]");

const encoder = loadEmbeddedEncoder();
const likeness = createLikeness(encoder);
const rows: { pair: CachePair; features: Readonly<Record<string, number>> | null }[] = [];
for (const set of CACHE_SETS) {
  const read = await readCachePairs(set, values.data, {
    encoder,
    part: "tuning",
    questions: Number(values.questions),
    corpus: values.corpus,
    domain: loadDomain(values.domain),
  });
  if (read === null) throw new Error(`${values.data} has no folder ${set}`);
  for (const pair of read.pairs) rows.push({ pair, features: featuresOf(pair, read.vocabulary, encoder, likeness).features });
}
const weights: MatchWeights = {
  recipe: "lab/train/cache/fit.ts",
  retrieved: learn(
    RETRIEVED,
    rows.filter(({ pair }) => pair.retrieved !== null),
    RETRIEVED_GUARD,
  ),
  words: learn(WORDS, rows, WORDS_GUARD),
};
writeFileSync(values.out, `${JSON.stringify(weights, null, 2)}\n`);

/** Fits on pairs with equal slots, the only ones that are scored; sets the threshold on all pairs of the guard's sets. */
function learn(names: readonly string[], all: typeof rows, guard: Guard): MatchWeights["words"] {
  const scored = all.flatMap(({ pair, features }) => (features === null ? [] : [{ pair, features }]));
  const model = fitLogistic(
    scored.map(({ features }) => names.map((name) => features[name] ?? 0)),
    scored.map(({ pair }) => pair.share),
  );
  // Every feature measures similarity, so a negative weight reflects how the pairs were sampled; the feature is removed.
  const worst = names.map((name, i) => ({ name, weight: model.weights[i] as number })).sort((a, b) => a.weight - b.weight)[0];
  if (worst !== undefined && worst.weight < 0) {
    process.stdout.write(`without ${worst.name} (${worst.weight.toFixed(2)})\n`);
    return learn(
      names.filter((name) => name !== worst.name),
      all,
      guard,
    );
  }
  const raw = names.map((_, i) => (model.weights[i] as number) / (model.spread[i] as number));
  const constant = (model.weights.at(-1) as number) - raw.reduce((sum, weight, i) => sum + weight * (model.mean[i] as number), 0);
  const plain = { features: [...names], linear: raw.map(round), bias: round(constant), threshold: 1 };
  const at = scored.map(({ pair, features }) => ({ pair, score: matchScore(features, plain) }));
  const isGuard = ({ pair }: { pair: CachePair }) => !pair.share && guard.sets.includes(pair.set);
  const must = all.filter(isGuard).length;
  const allowed = (threshold: number) => at.filter((row) => isGuard(row) && row.score >= threshold).length <= guard.share * must;
  let threshold = LEAST;
  while (threshold < 0.999 && !allowed(threshold)) threshold = round(threshold + 0.005);
  for (const [set, group] of Map.groupBy(all, ({ pair }) => pair.set)) report(set, group, at, threshold);
  return { ...plain, threshold };
}

function report(set: string, group: typeof rows, at: readonly { pair: CachePair; score: number }[], threshold: number): void {
  const count = (share: boolean, minimum: number) =>
    at.filter(({ pair, score }) => pair.set === set && pair.share === share && score >= minimum).length;
  const of = (share: boolean) => group.filter(({ pair }) => pair.share === share).length;
  process.stdout.write(
    `${set}: slots agree ${count(true, 0)}/${of(true)} may share, ${count(false, 0)}/${of(false)} must not; at ${threshold}: ${count(true, threshold)} and ${count(false, threshold)}\n`,
  );
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
