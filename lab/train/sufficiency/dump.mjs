// Writes the features of questions that a set answers and of questions that it does not, by the product's own code: node dump.mjs --help
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { createStoryteller, draw, hashOf, linesIn } from "../sampling.mjs";

const { values: flags } = parseArgs({
  options: {
    data: { type: "string" },
    /** Collections that `collections unpack` wrote. */
    validation: { type: "string" },
    out: { type: "string" },
    dist: { type: "string", default: join(import.meta.dirname, "../../../dist") },
    sets: { type: "string", default: "policyqa,medquad,covid-qa,clapnq-removed,clapnq,mtrag,validation" },
    /** Questions of each kind over each index. */
    limit: { type: "string", default: "100" },
  },
});

const load = (path) => import(join(flags.dist, path));
const { loadEmbeddedEncoder } = await load("src/models/embedded-encoder.js");
const { createEmbeddedReranker, readRerankWeights } = await load("src/retrieve/rerank.js");
const { Lexicon } = await load("src/retrieve/lexicon.js");
const { createParts } = await load("lab/runs/extract.js");
const { toDocument } = await load("lab/sets/extract-sets.js");
const { readRetrievalSet, foldOf } = await load("lab/sets/retrieval-sets.js");
const { admitted, admittedIn, gatherEvidence, readRefusalSet } = await load("lab/sets/refusal-sets.js");
const { findGoldenSets, readGoldenSet } = await load("src/grade/golden-set.js");
const { openGoldenSet } = await load("src/grade/run-golden.js");
const { SUFFICIENCY_FEATURES, measureEvidence } = await load("src/verify/sufficiency.js");
const { createEngine } = await load("src/engine/engine.js");
const { configSchema } = await load("src/config.js");

const names = Object.keys(SUFFICIENCY_FEATURES);
const encoder = loadEmbeddedEncoder();
const lexicon = new Lexicon(encoder);
const reranker = createEmbeddedReranker(encoder, readRerankWeights(), lexicon);
const signal = new AbortController().signal;
/** A question with its gold document removed from the index has lost its answer: so many parts are taken out in turn. */
const PARTS = 4;

const lines = linesIn(flags.data);

const everyday = lines("clinc150/clinc150.jsonl");
/** What people ask an assistant that has nothing to do with any of the indexes. */
const strangers = [
  ...everyday.filter(({ text }) => text.length > 12).map(({ text }) => ({ text, from: "clinc150" })),
  ...lines("halueval/general.jsonl").map(({ user_query }) => ({ text: user_query, from: "halueval" })),
].filter(({ text }) => text.length < 300);
const attacks = lines("prompt-injection/prompts.jsonl")
  .filter(({ label, text }) => label !== "benign" && text.length < 400)
  .map(({ text }) => text);

const tell = createStoryteller(everyday);
const told = (text, seed) => tell(text, `${seed} `);

const rows = [];
async function ask(question, parts, about, beside) {
  const gathered = await gatherEvidence(question, parts, lexicon, signal, beside);
  const { resolved, own, passages } = gathered;
  const measured = measureEvidence(resolved, names);
  const row = { ...about, x: measured };
  if (own !== resolved) row.own = measureEvidence(own, names);
  row.dense = Math.max(-1, ...passages.flatMap(({ scores }) => scores.dense ?? []));
  row.bm25 = Math.max(0, ...passages.flatMap(({ scores }) => scores.bm25 ?? []));
  rows.push(row);
}

/** Letters that mean nothing, and words of a set in no order. */
function nonsense(seed, words) {
  const hash = hashOf(`nonsense ${seed}`);
  const letters = (at) =>
    Array.from({ length: 3 + (hash[at] % 6) }, (_, i) => String.fromCharCode(97 + (hash[(at + i + 1) % 32] % 26))).join("");
  const count = 2 + (hash[0] % 5);
  return Array.from({ length: count }, (_, i) => (hash[i + 1] % 3 === 0 ? words[hash[i + 2] % words.length] : letters(i))).join(" ");
}

async function constructed(name, all) {
  const limit = Number(flags.limit);
  const base = name === "clapnq-removed" ? "clapnq" : name;
  const set = readRetrievalSet(base, flags.data);
  const partOf = (id) => foldOf(`sufficiency|${base}`, id) % PARTS;
  for (let part = 0; part < PARTS; part++) {
    const documents = set.documents.filter(({ id }) => partOf(id) !== part);
    const parts = await createParts(
      { documents: documents.map(({ id, title, text, scope, path = "document.txt" }) => toDocument({ id, title, scope, path, text })) },
      encoder,
      reranker,
    );
    const holds = ({ gold }) => [...gold].some((id) => partOf(id) !== part);
    const key = ({ text, scope }) => `${part}|${scope}|${text}`;
    const kept = draw(set.queries.filter(holds), limit, key);
    const lost = draw(
      set.queries.filter((query) => !holds(query)),
      limit,
      key,
    );
    const about = (query, kind) => ({
      set: name,
      id: query.text,
      kind,
      cluster: `${base}|${query.cluster}`,
      y: kind === "answerable" ? 1 : 0,
    });
    for (const query of kept)
      await ask(admitted({ ...query, text: told(query.text, part), history: [] }), parts, about(query, "answerable"));
    for (const query of lost)
      await ask(admitted({ ...query, text: told(query.text, part), history: [] }), parts, about(query, "near_miss"));
    const scopes = [...new Set(set.queries.map(({ scope }) => scope))];
    const scope = (i) => scopes[i % scopes.length];
    const others = draw(
      all.filter(({ set: other }) => other !== base),
      limit / 5,
      ({ text }) => `${name}${part}${text}`,
    );
    const foreign = [...draw(strangers, limit / 4, ({ text }) => `${name}${part}${text}`), ...others];
    for (const [i, { text, from }] of foreign.entries())
      await ask(admitted({ text: told(text, part), history: [], scope: scope(i) }), parts, {
        set: name,
        id: text,
        kind: "out_of_scope",
        cluster: `${from}|${text}`,
        y: 0,
      });
    const vocabulary = set.queries.flatMap(({ text }) => text.split(/\s+/)).slice(0, 2000);
    for (let i = 0; i < limit / 10; i++) {
      const text = nonsense(`${name}${part}${i}`, vocabulary);
      await ask(admitted({ text, history: [], scope: scope(i) }), parts, {
        set: name,
        id: text,
        kind: "nonsense",
        cluster: `nonsense|${text}`,
        y: 0,
      });
    }
    for (const text of draw(attacks, limit / 10, (text) => `${name}${part}${text}`))
      await ask(admitted({ text, history: [], scope: scope(0) }), parts, {
        set: name,
        id: text,
        kind: "injection",
        cluster: `injection|${text}`,
        y: 0,
      });
  }
}

async function marked(name) {
  const set = readRefusalSet(name, flags.data);
  const parts = await createParts(set, encoder, reranker);
  for (const question of set.questions) {
    const y = question.answerable ? 1 : 0;
    await ask(
      admitted(question),
      parts,
      { set: name, id: question.id, kind: y === 1 ? "answerable" : "near_miss", cluster: `${name}|${question.cluster}`, y },
      question.beside,
    );
  }
}

/** Questions of collections that nothing is learned from: the threshold is chosen on them. */
async function validation() {
  for (const folders of findGoldenSets(flags.validation)) {
    const set = readGoldenSet(folders);
    const { engine, domain, close } = await openGoldenSet(set, { config: configSchema.parse({}), signal, openEngine: createEngine });
    try {
      const scope = engine.scope({ domain });
      const parts = engine.retrieveParts(domain);
      const askIn = ({ id, question }, kind) =>
        ask(admittedIn(question, [], scope), parts, {
          set: "validation",
          id: `${set.name}/${id}`,
          kind,
          cluster: set.name,
          y: kind === "answerable" ? 1 : 0,
        });
      for (const item of set.answerable) await askIn(item, "answerable");
      for (const item of set.unanswerable) await askIn(item, item.kind);
    } finally {
      await close();
    }
  }
}

const CONSTRUCTED = ["policyqa", "medquad", "fairytaleqa-all", "covid-qa", "clapnq-removed"];
const others = CONSTRUCTED.flatMap((name) => {
  const base = name.replace("-removed", "");
  return (readRetrievalSet(base, flags.data)?.queries ?? []).map(({ text }) => ({ text, set: base, from: base }));
});
for (const name of flags.sets.split(",")) {
  const from = rows.length;
  const started = performance.now();
  if (name === "validation") await validation();
  else if (CONSTRUCTED.includes(name)) await constructed(name, others);
  else await marked(name);
  process.stderr.write(`${name}: ${rows.length - from} questions, ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}
mkdirSync(dirname(flags.out), { recursive: true });
writeFileSync(flags.out, `${JSON.stringify({ names, rows })}\n`);
