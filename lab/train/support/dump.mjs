// Writes the features of every sentence of the training sets, by the product's own code: node dump.mjs --help
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { readClaims } from "./claims.mjs";
import { readWritten } from "./written.mjs";

const { values: flags } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    /** JSON lines of mutations.mjs: more items of the same shape. */
    extra: { type: "string" },
    /** `claims.jsonl.gz` of lab/train/reader. */
    claims: { type: "string" },
    /** `claims.jsonl` of lab/sets/written. */
    written: { type: "string" },
    dist: { type: "string", default: join(import.meta.dirname, "../../../dist") },
    sets: { type: "string", default: "ragtruth,wice,summedits,begin,halueval,tabfact" },
  },
});
const load = (path) => import(join(flags.dist, path));
const { loadEmbeddedEncoder } = await load("src/models/embedded-encoder.js");
const { readSupportSet, supportFold } = await load("lab/sets/support-sets.js");
const { SUPPORT_FEATURES } = await load("src/models/support/features.js");
const { SupportVocabulary } = await load("src/models/support/vocabulary.js");
const { readEvidence, readSentence } = await load("src/models/support/text.js");
const { viewSupport } = await load("src/models/support/view.js");

const names = Object.keys(SUPPORT_FEATURES);
const measures = Object.values(SUPPORT_FEATURES);
const vocabulary = new SupportVocabulary(loadEmbeddedEncoder());
mkdirSync(dirname(flags.out), { recursive: true });
const stream = createWriteStream(`${flags.out}.f32`);
const items = [];
let row = 0;
const sources = flags.sets
  .split(",")
  .filter((name) => name !== "")
  .map((name) => {
    const set = readSupportSet(name, flags.data);
    if (set === null) throw new Error(`${flags.data} has no folder for ${name}: get it, or leave it out of --sets`);
    return [name, set];
  });
if (flags.extra !== undefined) {
  sources.push([
    "synthetic",
    readFileSync(flags.extra, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line)),
  ]);
}
if (flags.claims !== undefined) sources.push(["claims", readClaims(flags.claims)]);
if (flags.written !== undefined) sources.push(["written", readWritten(flags.written)]);
for (const [name, set] of sources) {
  const started = performance.now();
  let last = null;
  let evidence = null;
  for (const item of set) {
    const key = item.evidence.join("\n");
    if (key !== last) {
      vocabulary.trim();
      evidence = readEvidence(item.evidence, vocabulary);
      last = key;
    }
    const rows = [];
    for (const { start, end, supported } of item.units) {
      const view = viewSupport(readSentence(item.text.slice(start, end), vocabulary), evidence, vocabulary);
      if (view === null) continue;
      rows.push([supported === null ? -1 : supported ? 1 : 0, start, end, ...measures.map((measure) => measure(view) ?? Number.NaN)]);
    }
    if (rows.length === 0) continue;
    stream.write(Buffer.from(Float32Array.from(rows.flat()).buffer));
    items.push({
      set: item.set,
      task: item.task,
      group: item.group,
      id: item.id,
      fold: item.split === "dev" ? -1 : supportFold(item.set, item.group),
      weight: item.weight ?? 1,
      people: item.people ?? true,
      supported: item.supported,
      from: row,
      rows: rows.length,
    });
    row += rows.length;
  }
  process.stderr.write(`${name}: ${set.length} answers, ${((performance.now() - started) / set.length).toFixed(2)} ms each\n`);
}
stream.end();
writeFileSync(`${flags.out}.json`, JSON.stringify({ columns: ["supported", "start", "end", ...names], rows: row, items }));
