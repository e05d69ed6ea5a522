import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createReader } from "../../../src/cross-encoder/create-reader.ts";
import { createReaderKeeper } from "../../../src/engine/local-models.ts";
import { auroc } from "../../../src/grading/metrics.ts";
import { sharedEncoder } from "../../../src/models/embedded-encoder.ts";
import { createEntailmentScorer, type EntailmentWeights } from "../../../src/models/entailment.ts";
import { parseMarkers } from "../../../src/text/markers.ts";
import { quantile } from "../../../src/text/numbers.ts";
import { splitSentences } from "../../../src/text/sentences.ts";
import { fitLogistic } from "../../judges/logistic-regression.ts";
import { chooseCollections, readCollection } from "../../sets/collections.ts";
import { createPageQuotes } from "../../sets/page-quotes.ts";

/**
 * Calibrates the entailment probability of a sentence from the cross-encoder's log odds, on the drafts of the validation part: `fit.js
 * --pages PAGES --date YYYY-MM-DD --out entailment.json`. Prints the scores below which the given shares of true sentences lie, for the
 * bands of `src/profiles/guards.ts`.
 */
const options = { pages: { type: "string" }, date: { type: "string" }, out: { type: "string" } } as const;
const { pages, date, out } = parseArgs({ options }).values;
if (pages === undefined || date === undefined || out === undefined) throw new Error("give --pages, --date and --out");

/** Shares of true sentences below each band: removed, and removed or warned about. */
const BANDS = { unsupported: 0.05, unclear: 0.08 };

const reader = createReader({ adapter: "claims" });
const plain: EntailmentWeights = {
  ...{ name: "entailment-2", recipe: "lab/train/entailment", date, reader: { ...reader.weights } },
  ...{ slope: 1, offset: 0 },
};
const keeper = createReaderKeeper(() => reader);
const scorer = createEntailmentScorer({
  embed: (texts) => sharedEncoder().embedSync(texts),
  read: keeper.of(plain),
  weights: plain,
});

const odds: number[] = [];
const isTrue: boolean[] = [];
for (const name of chooseCollections("validation")) {
  const { folder, rows } = readCollection(name, pages);
  const quotesOf = createPageQuotes(folder, () => null);
  for (const draft of rows) {
    if (draft.type !== "draft") continue;
    const falseAt = draft.false_words === null ? -1 : draft.draft.indexOf(draft.false_words);
    const sentences = splitSentences(draft.draft).map(({ start, end }) => {
      const { text, numbers } = parseMarkers(draft.draft.slice(start, end));
      const evidence = [...new Set(numbers.flatMap((n) => draft.pages[n - 1] ?? []))].flatMap(quotesOf);
      return {
        claim: text,
        evidence: evidence.map((quote) => ({ text: quote.text, above: quote.above ?? [] })),
        isFalse: falseAt >= start && falseAt < end,
      };
    });
    const scores = await scorer.score(sentences);
    for (const [i, { isFalse }] of sentences.entries()) {
      const score = scores[i]?.score;
      if (score === undefined) continue;
      odds.push(Math.log(score / (1 - score)));
      isTrue.push(!isFalse);
    }
  }
  process.stderr.write(`${name}\n`);
}
await keeper.close();

const { mean, spread, weights } = fitLogistic(
  odds.map((one) => [one]),
  isTrue,
);
const slope = (weights[0] as number) / (spread[0] as number);
const offset = (weights[1] as number) - slope * (mean[0] as number);
const fitted: EntailmentWeights = { ...plain, slope: Number(slope.toFixed(4)), offset: Number(offset.toFixed(4)) };
writeFileSync(out, `${JSON.stringify(fitted, null, 2)}\n`);

const scores = odds.map((one) => 1 / (1 + Math.exp(-(fitted.slope * one + fitted.offset))));
const [right, wrong] = [scores.filter((_, i) => isTrue[i]), scores.filter((_, i) => !isTrue[i])];
const figures = Object.entries(BANDS).map(([band, share]) => {
  const from = quantile(right, share) ?? 0;
  return { band, from, true: right.filter((one) => one < from).length, false: wrong.filter((one) => one < from).length };
});
process.stdout.write(`${JSON.stringify({ true: right.length, false: wrong.length, auroc: auroc(right, wrong), figures }, null, 2)}\n`);
