// Writes the features of every passage that was found for a marked question, by the product's own code: node dump.mjs --data DATA --out FILE
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { createStoryteller, draw, linesIn } from "../sampling.mjs";

const { values: flags } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    dist: { type: "string", default: join(import.meta.dirname, "../../../dist") },
    /** The last one is never learned from. */
    sets: { type: "string", default: "policyqa,medquad,fairytaleqa,tatqa,clapnq,mtrag,covid-qa" },
    /** Questions of one set at most. */
    limit: { type: "string", default: "800" },
  },
});

const load = (path) => import(join(flags.dist, path));
const { loadEmbeddedEncoder } = await load("src/models/embedded-encoder.js");
const { createEmbeddedReranker, readRerankWeights } = await load("src/retrieve/rerank.js");
const { Lexicon } = await load("src/retrieve/lexicon.js");
const { createParts, standsIn } = await load("lab/runs/extract.js");
const { readExtractSet, toDocument } = await load("lab/sets/extract-sets.js");
const { readRetrievalSet } = await load("lab/sets/retrieval-sets.js");
const { admitted, gatherEvidence, readRefusalSet } = await load("lab/sets/refusal-sets.js");
const { comparePassages } = await load("src/verify/compare-passages.js");
const { weightedCoverage } = await load("src/verify/verify.js");
const { createFactReader } = await load("src/verify/facts.js");
const { RELEVANCE_FEATURES, measurePassages } = await load("src/verify/relevance.js");

const names = Object.keys(RELEVANCE_FEATURES);
const encoder = loadEmbeddedEncoder();
const lexicon = new Lexicon(encoder);
const reranker = createEmbeddedReranker(encoder, readRerankWeights(), lexicon);
const reader = createFactReader();
const signal = new AbortController().signal;
const limit = Number(flags.limit);

const lines = linesIn(flags.data);

const strangers = lines("clinc150/clinc150.jsonl");
const tell = createStoryteller(strangers);
const told = (text) => tell(text, "");

const rows = [];
/** @param answers does this passage answer the question? */
async function ask(question, parts, about, answers, beside) {
  const { resolved, passages, words } = await gatherEvidence(question, parts, lexicon, signal, beside);
  if (passages.length === 0) return;
  const compared = comparePassages(words.questionTokens(), passages, { words: parts.corpus, reader, precedence: [] });
  const measured = measurePassages(resolved, names);
  for (const [i, passage] of passages.entries()) {
    const { consistency, agreement, contradicted } = compared.of(passage);
    const { document, headingPath, text, scores } = passage;
    const held = new Set(words.tokens([document.title, ...headingPath, text].join("\n")));
    const share = weightedCoverage(words.questionTokens(), held, (token) => words.idf(token)) ?? 0;
    rows.push({
      ...about,
      passage: passage.chunkId,
      y: Number(answers(passage)),
      x: measured[i],
      consistency: consistency.score,
      agreement: agreement.score,
      contradicted: Number(contradicted),
      systems: { words: share, cosine: scores.dense ?? -1, bm25: scores.bm25 ?? 0, rerank: scores.rerank },
    });
  }
}

const nothing = () => false;

/** Questions that nothing in these documents answers. */
async function askStrangers(name, parts, scopes) {
  const foreign = draw(
    strangers.filter(({ text }) => text.length > 12),
    limit / 8,
    ({ text }) => `relevance ${name} ${text}`,
  );
  for (const [i, { text }] of foreign.entries())
    await ask(
      admitted({ text: told(text), history: [], scope: scopes[i % scopes.length] }),
      parts,
      { set: name, id: text, kind: "unanswerable", cluster: `clinc150|${text}` },
      nothing,
    );
}

async function extracted(name) {
  const halves = ["tuning", "held-out"].map((part) => readExtractSet(name, flags.data, part));
  // Sets without halves come twice.
  const sets = ["clapnq", "covid-qa"].includes(name) ? halves.slice(0, 1) : halves;
  const documents = sets.flatMap((set) => set.documents);
  const all = sets.flatMap((set) => set.questions);
  const parts = await createParts({ documents }, encoder, reranker);
  for (const { text, scope, gold, cluster } of draw(all, limit, (one) => `${one.scope}|${one.text}`))
    await ask(
      admitted({ text: name === "covid-qa" ? text : told(text), history: [], scope }),
      parts,
      { set: name, id: text, kind: "answerable", cluster: `${name}|${cluster}` },
      (passage) => standsIn(gold, passage),
    );
  if (name === "clapnq")
    for (const { text, cluster, answerable } of readRefusalSet("clapnq", flags.data).questions)
      if (!answerable)
        await ask(
          admitted({ text: told(text), history: [], scope: null }),
          parts,
          { set: name, id: text, kind: "unanswerable", cluster: `clapnq|${cluster}` },
          nothing,
        );
  if (name !== "covid-qa") await askStrangers(name, parts, [...new Set(all.map(({ scope }) => scope))]);
}

async function medquad() {
  const set = readRetrievalSet("medquad", flags.data);
  const documents = set.documents.map(({ id, title, text, scope }) => toDocument({ id, title, scope, path: "document.txt", text }));
  const parts = await createParts({ documents }, encoder, reranker);
  for (const { text, gold, cluster } of draw(set.queries, limit, ({ text }) => text))
    await ask(
      admitted({ text: told(text), history: [], scope: null }),
      parts,
      { set: "medquad", id: text, kind: "answerable", cluster: `medquad|${cluster}` },
      ({ document }) => gold.has(document.id),
    );
  await askStrangers("medquad", parts, [null]);
}

async function mtrag() {
  const set = readRefusalSet("mtrag", flags.data);
  const parts = await createParts(set, encoder, reranker);
  for (const question of set.questions)
    await ask(
      admitted(question),
      parts,
      { set: "mtrag", id: question.id, kind: question.answerable ? "answerable" : "unanswerable", cluster: `mtrag|${question.cluster}` },
      ({ document }) => question.gold.has(document.id),
      question.beside,
    );
}

const OTHERS = { medquad, mtrag };
for (const name of flags.sets.split(",")) {
  const from = rows.length;
  const started = performance.now();
  await (OTHERS[name] ?? (() => extracted(name)))();
  const gold = rows.slice(from).filter(({ y }) => y === 1).length;
  process.stderr.write(`${name}: ${rows.length - from} passages, ${gold} answer, ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}
mkdirSync(dirname(flags.out), { recursive: true });
writeFileSync(flags.out, `${JSON.stringify({ names, rows })}\n`);
