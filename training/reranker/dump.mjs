// Writes the features of every question and candidate of the training sets, by the product's own code: node dump.mjs --help
import { createWriteStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const { values: flags } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    dist: { type: "string", default: join(import.meta.dirname, "../../dist/src") },
    /** Folder with half-0.bin and half-1.bin of crossfit_encoders.py; absent: the shipped encoder. */
    encoders: { type: "string" },
    sets: {
      type: "string",
      default: "policyqa,medquad,medquad-titled,fairytaleqa-story,fairytaleqa-all,fairytaleqa-titled,tatqa,va-pages",
    },
    /** `trained`: what is learned from. `held-out`: for a look at a trained model, never for learning. */
    side: { type: "string", default: "trained" },
    limit: { type: "string", default: "1200" },
    alpha: { type: "string", default: "0.4" },
  },
});

const load = (path) => import(join(flags.dist, path));
const { loadEmbeddedEncoder } = await load("models/embedded-encoder.js");
const { createMemoryCorpus } = await load("evaluate/memory-corpus.js");
const { createRandom } = await load("evaluate/bootstrap.js");
const { foldOf, isHeldOut, readRetrievalSet } = await load("evaluate/retrieval-sets.js");
const { FEATURES } = await load("retrieve/rerank-features.js");
const { Lexicon } = await load("retrieve/lexicon.js");
const { viewPairs } = await load("retrieve/pair-view.js");
const { measure } = await load("retrieve/rerank.js");
const { parseFile } = await load("ingest/parse.js");

const DEPTH = 50;
/** Sets of which the encoder held nothing out. */
const WITHOUT_HELD_OUT = new Set(["tatqa", "va-pages"]);
const names = Object.keys(FEATURES);
const lines = (file) =>
  readFileSync(join(flags.data, file), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));

/** Questions of one half (0, 1) of the trained side, or of all of the held-out side. */
function asksOf(half) {
  const holdsOut = (set, group) => !WITHOUT_HELD_OUT.has(set) && isHeldOut(set, group);
  return (set, group) => (flags.side === "held-out" ? holdsOut(set, group) : !holdsOut(set, group) && foldOf(set, group) % 2 === half);
}

function readSet(name, half) {
  const asks = asksOf(half);
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
    case "va-pages":
      return vaPages(asks);
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

/** A page's description asks for the page, which is indexed without it. No question of va-golden is read. */
function vaPages(asks) {
  const root = join(flags.data, "va-pages/pages");
  const documents = [];
  const queries = [];
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|html)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
  for (const path of files) {
    for (const { metadata, text } of parseFile({ path, bytes: readFileSync(join(root, path)) })) {
      const id = `pages/${path}`;
      const description = metadata.description ?? "";
      documents.push({ id, title: metadata.title, text: text.replace(description, " "), scope: null });
      if (description.split(/\s+/).length > 5 && asks("va-pages", id))
        queries.push({ text: description, gold: new Set([id]), scope: null, cluster: id });
    }
  }
  return { name: "va-pages", documents, queries };
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
const pairs = createWriteStream(`${flags.out}.f32`);
const asked = [];
const alpha = Number(flags.alpha);
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
      const [vector] = encoder.embedSync([query.text]);
      const scope = { domain: "set", tenant: query.scope, access: ["public"] };
      const request = {
        tokens: corpus.tokens(query.text),
        vector,
        scope,
        selection: null,
        selectionMode: "clip",
        bm25: true,
        candidates: 100,
      };
      const found = corpus.search({ ...request, alpha, beta: 1 - alpha, fusion: "min-max" }).slice(0, DEPTH);
      const passages = found.map(({ title, text, chunk, dense, bm25, fused }) => ({
        title,
        section: chunk.headingPath.join(". "),
        text,
        scores: { dense, bm25, fused },
      }));
      const views = viewPairs(query.text, passages, lexicon, (token) => corpus.idf(token));
      const rows = [];
      views.forEach((view, i) => {
        if (view === null) return;
        const { documentId, dense, bm25, fused } = found[i];
        const values = measure(view, names).map((value) => value ?? Number.NaN);
        rows.push([query.gold.has(documentId) ? 1 : 0, dense ?? Number.NaN, bm25 ?? Number.NaN, fused, ...values]);
      });
      if (rows.length < 2) continue;
      const documents = found.filter((_, i) => views[i] !== null).map(({ documentId }) => documentId);
      const numbers = new Map([...new Set(documents)].map((id, i) => [id, i]));
      pairs.write(Buffer.from(Float32Array.from(rows.flatMap((row, i) => [numbers.get(documents[i]), ...row])).buffer));
      asked.push({ set: name, half, cluster: query.cluster, rows: rows.length, gold: query.gold.size });
    }
    process.stderr.write(
      `${name}/${half}: ${queries.length} questions, ${((performance.now() - started) / queries.length).toFixed(2)} ms each\n`,
    );
  }
}
pairs.end();
writeFileSync(`${flags.out}.json`, JSON.stringify({ columns: ["document", "gold", "dense", "bm25", "fused", ...names], asked }));
