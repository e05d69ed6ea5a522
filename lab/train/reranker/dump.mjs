// Writes the features of every question and candidate of the training sets, by the product's own code: node dump.mjs --help
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { linesIn } from "../sampling.mjs";
import { HEADED_SETS, readHeadedSet } from "./headed-sets.mjs";

const { values: flags } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    dist: { type: "string", default: join(import.meta.dirname, "../../../dist") },
    /** Folder with half-0.bin and half-1.bin of crossfit_encoders.py; absent: the shipped encoder. */
    encoders: { type: "string" },
    sets: {
      type: "string",
      default: `policyqa,medquad,medquad-titled,fairytaleqa-story,fairytaleqa-all,fairytaleqa-titled,tatqa,${Object.keys(HEADED_SETS)}`,
    },
    /** `trained`: what is learned from. `held-out`: for a look at a trained model, never for learning. */
    side: { type: "string", default: "trained" },
    limit: { type: "string", default: "1200" },
    /** Fusion weight of the vectors : candidates. One pair of files is written for each, named after it. */
    variants: { type: "string", default: "0.4:20" },
  },
});

const load = (path) => import(join(flags.dist, path));
const { loadEmbeddedEncoder } = await load("src/models/embedded-encoder.js");
const { createMemoryCorpus } = await load("lab/sets/memory-corpus.js");
const { createRandom } = await load("src/grade/metrics.js");
const { foldOf, isHeldOut, readRetrievalSet } = await load("lab/sets/retrieval-sets.js");
const { FEATURES } = await load("src/retrieve/rerank-features.js");
const { Lexicon } = await load("src/retrieve/lexicon.js");
const { viewPairs } = await load("src/retrieve/rerank.js");
const { measure } = await load("src/retrieve/rerank.js");
const { splitSentences } = await load("src/text/sentences.js");

/** Sets of which the encoder held nothing out. */
const WITHOUT_HELD_OUT = new Set(["tatqa", ...Object.values(HEADED_SETS)]);
const names = Object.keys(FEATURES);
const lines = linesIn(flags.data);

/** Questions of one half (0, 1) of the trained side, or of all of the held-out side. */
function asksOf(half) {
  const holdsOut = (set, group) => !WITHOUT_HELD_OUT.has(set) && isHeldOut(set, group);
  return (set, group) => (flags.side === "held-out" ? holdsOut(set, group) : !holdsOut(set, group) && foldOf(set, group) % 2 === half);
}

function readSet(name, half) {
  const asks = asksOf(half);
  if (name in HEADED_SETS) return readHeadedSet(name, flags.data, asks, { lines, splitSentences });
  switch (name) {
    case "medquad-titled": {
      const focus = new Map(lines("medquad/medquad.jsonl").map((row) => [`${row.collection}/${row.id}`, row.focus ?? ""]));
      const set = readRetrievalSet("medquad", flags.data, asks);
      return { ...set, documents: set.documents.map((one) => ({ ...one, title: focus.get(one.id) ?? "" })) };
    }
    case "fairytaleqa-titled": {
      const set = readRetrievalSet("fairytaleqa-all", flags.data, asks);
      return { ...set, documents: set.documents.map((one) => ({ ...one, title: one.id.split("#")[0].replaceAll("-", " ") })) };
    }
    case "tatqa":
      return tatQa(asks);
    default:
      return readRetrievalSet(name, flags.data, asks);
  }
}

/** Paragraphs of all reports; a question belongs to the paragraph that its answer names. */
function tatQa(asks) {
  const documents = [];
  const queries = [];
  for (const { table, paragraphs, questions } of lines("tatqa/tatqa_dev.jsonl")) {
    for (const { uid, text } of paragraphs) documents.push({ id: uid, title: "", text, scope: table.uid });
    if (!asks("tatqa", table.uid)) continue;
    for (const { question, rel_paragraphs } of questions) {
      const gold = paragraphs.filter(({ order }) => (rel_paragraphs ?? []).map(String).includes(String(order))).map(({ uid }) => uid);
      if (gold.length > 0 && paragraphs.length > 3)
        queries.push({ text: question, gold: new Set(gold), scope: table.uid, cluster: table.uid });
    }
  }
  return { name: "tatqa", documents, queries };
}

function draw(queries, limit) {
  const random = createRandom(1);
  return queries
    .map((query) => ({ query, key: random() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, limit)
    .map(({ query }) => query);
}

mkdirSync(dirname(flags.out), { recursive: true });
const variants = flags.variants.split(",").map((variant) => {
  const [alpha, depth] = variant.split(":").map(Number);
  const file = `${flags.out}-${alpha}-${depth}`;
  return { alpha, depth, file, pairs: createWriteStream(`${file}.f32`), asked: [] };
});

/** Features of the candidates of one question, as one fusion weight and depth leave them. */
function write({ alpha, depth, pairs, asked }, { name, half, query, vector, corpus, lexicon }) {
  const found = corpus
    .search({
      terms: corpus.tokens(query.text),
      codes: [],
      vector,
      scope: { domain: "set", tenant: query.scope, access: ["public"] },
      selection: null,
      bm25: true,
      candidates: 100,
      alpha,
      beta: 1 - alpha,
      fusion: "min-max",
    })
    .slice(0, depth);
  const passages = found.map(({ title, text, chunk, dense, bm25, fused }) => ({
    title,
    section: chunk.headingPath.join(". "),
    text,
    scores: { dense, bm25, fused },
  }));
  const views = viewPairs(query.text, passages, lexicon, (token) => corpus.idf(token));
  const ids = [...new Set(found.map(({ documentId }) => documentId))];
  const rows = views.flatMap((view, i) => {
    if (view === null) return [];
    const { documentId, dense, bm25, fused } = found[i];
    const known = [dense, bm25, fused, ...measure(view, names)].map((value) => value ?? Number.NaN);
    return [[ids.indexOf(documentId), query.gold.has(documentId) ? 1 : 0, ...known]];
  });
  if (rows.length < 2) return;
  pairs.write(Buffer.from(Float32Array.from(rows.flat()).buffer));
  asked.push({ set: name, half, cluster: query.cluster, rows: rows.length, gold: query.gold.size });
}

for (const name of flags.sets.split(",")) {
  for (const half of flags.side === "held-out" ? [0] : [0, 1]) {
    // Features of a half come from the encoder that was trained on the other half.
    const encoder = loadEmbeddedEncoder(flags.encoders === undefined ? {} : { path: join(flags.encoders, `half-${1 - half}.bin`) });
    const set = readSet(name, half);
    const queries = draw(set.queries, Number(flags.limit));
    const corpus = await createMemoryCorpus(set.documents, encoder);
    const lexicon = new Lexicon(encoder);
    const started = performance.now();
    for (const query of queries) {
      const vector = await corpus.embedQuestion(query.text);
      for (const variant of variants) write(variant, { name, half, query, vector, corpus, lexicon });
    }
    process.stderr.write(
      `${name}/${half}: ${queries.length} questions, ${((performance.now() - started) / queries.length).toFixed(2)} ms each\n`,
    );
  }
}
for (const { file, pairs, asked } of variants) {
  pairs.end();
  writeFileSync(`${file}.json`, JSON.stringify({ columns: ["document", "gold", "dense", "bm25", "fused", ...names], asked }));
}
