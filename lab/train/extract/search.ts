import { parseArgs } from "node:util";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import { sourcebound } from "../../../src/profiles/sourcebound.ts";
import { createEmbeddedReranker } from "../../../src/retrieve/rerank.ts";
import { chooseQuotes, QUOTE_WEIGHTS, type QuoteWeights } from "../../../src/write/compress.ts";
import { ANSWER_WORDS, writeExtractive } from "../../../src/write/extract.ts";
import { type AskedQuestion, askAll, judgeDrafts } from "../../runs/extract.ts";
import { type ExtractSetName, readExtractSet } from "../../sets/extract-sets.ts";

/** Coordinate search over the weights of the choice of quotes, on the tuning parts only; see README.md. */

const SETS: readonly ExtractSetName[] = ["policyqa", "fairytaleqa", "tatqa"];
const GRID: Readonly<Partial<Record<keyof QuoteWeights, readonly number[]>>> = {
  valueBeside: [0, 0.25, 0.5, 0.75],
  value: [0, 0.1, 0.2],
  relevance: [0, 0.3, 0.6],
  window: [0, 0.1, 0.2],
  row: [0, 0.1],
  lastPassage: [0.5, 0.7, 1],
  passageDoubt: [0, 0.3, 0.6],
};
/** A smaller gain is chance. */
const LEAST_GAIN = 0.001;

const { values } = parseArgs({ options: { data: { type: "string" }, limit: { type: "string", default: "1000" } } });
if (values.data === undefined) throw new Error("usage: search --data DIR [--limit N]");
const encoder = loadEmbeddedEncoder();
const reranker = createEmbeddedReranker(encoder);
const { signal } = new AbortController();

const asked = new Map<ExtractSetName, AskedQuestion[]>();
for (const name of SETS) {
  const set = readExtractSet(name, values.data, "tuning");
  if (set === null) throw new Error(`${values.data} holds no ${name}`);
  const questions: AskedQuestion[] = [];
  const options = { profile: sourcebound, encoder, reranker, limit: Number(values.limit), signal };
  for await (const question of askAll(set, options)) questions.push(question);
  asked.set(name, questions);
}

let weights: QuoteWeights = { ...QUOTE_WEIGHTS };
let best = await shareHeld(weights);
process.stdout.write(`${best.toFixed(4)} as they ship\n`);
for (const [name, options] of Object.entries(GRID)) {
  for (const value of options) {
    const tried = { ...weights, [name]: value };
    const share = await shareHeld(tried);
    process.stdout.write(`${share.toFixed(4)} ${name} ${value}\n`);
    if (share <= best + LEAST_GAIN) continue;
    best = share;
    weights = tried;
  }
}
process.stdout.write(`${JSON.stringify(weights)}\n`);

/** Mean over the sets of the share of answers that hold what people marked. */
async function shareHeld(tried: QuoteWeights): Promise<number> {
  let sum = 0;
  for (const questions of asked.values()) {
    let held = 0;
    for (const { question, evidence, words } of questions) {
      const candidates = await chooseQuotes(question.text, evidence, words, { limit: 12, maxCharacters: 1200, reranker, weights: tried });
      const drafts = writeExtractive(candidates, { quotes: sourcebound.write.sentences.normal, words: ANSWER_WORDS.normal });
      if (judgeDrafts(question.gold, drafts, evidence).held) held++;
    }
    sum += held / questions.length;
  }
  return sum / asked.size;
}
