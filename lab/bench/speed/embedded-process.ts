import { join } from "node:path";
import { quantile } from "../../../src/internals.ts";
import { EmbeddedEngine } from "../../../src/retrieval/embedded-engine.ts";
import { createStemmer, tokenize } from "../../../src/text/tokens.ts";
import { type EmbeddedFigures, GENERATED } from "./embedded-figures.ts";
import { createTexts, createTextVectors, generatedDocument } from "./generate.ts";

const [phase = "", folder = "", size = "0", dimensions = "384"] = process.argv.slice(2);
const { seed: SEED, chunksPerDocument: CHUNKS_PER_DOCUMENT, windowsPerChunk: WINDOWS_PER_CHUNK } = GENERATED;
const DOMAIN = "bench";
const ENCODER = { id: "generated" };
const DOCUMENTS_PER_BATCH = 200;
/** Most chunks after whose start a change is stored: the copies of words need memory. */
const STORED_CHUNKS = 300_000;
/** Fewer in large indexes, where each takes longer. */
const QUESTIONS = Number(size) > 200_000 ? 50 : 200;
const K = 50;

const count = Number(size) / CHUNKS_PER_DOCUMENT;
const vectorOf = createTextVectors(SEED, Number(dimensions));
const snapshot = {
  path: join(folder, "bench.snapshot"),
  store: "bench",
  revision: async () => count,
  warn: (text: string) => process.stderr.write(`${text}\n`),
};
const engine = new EmbeddedEngine({ domain: DOMAIN, snapshot });
const begun = performance.now();
const before = process.cpuUsage();
if (phase === "build") {
  const texts = createTexts(SEED);
  await engine.reconcile(new Map(), ENCODER.id);
  for (let from = 0; from < count; from += DOCUMENTS_PER_BATCH) {
    const documents = Array.from({ length: Math.min(DOCUMENTS_PER_BATCH, count - from) }, (_, i) =>
      generatedDocument(DOMAIN, from + i, texts, CHUNKS_PER_DOCUMENT, WINDOWS_PER_CHUNK),
    );
    const windows = documents.flatMap(({ id, title, text, chunks }) =>
      chunks.flatMap(({ id: chunkId, windows: own }) =>
        own.map(({ start, end }) => ({ documentId: id, chunkId, start, vector: vectorOf(`${title}\n${text.slice(start, end)}`) })),
      ),
    );
    await engine.index({ revision: from + documents.length, documents, vectors: { encoder: ENCODER.id, windows } });
  }
} else {
  const heads = Array.from({ length: count }, (_, number) => {
    const { id, version, tenant, access, path, title, description } = generatedDocument(
      DOMAIN,
      number,
      { passage: () => [], question: () => [] },
      0,
    );
    return [id, { id, version, tenant, access, path, title, description }] as const;
  });
  const missing = await engine.reconcile(new Map(heads), ENCODER.id);
  if (missing.length > 0) throw new Error(`${missing.length} documents are missing`);
}
const readyMs = performance.now() - begun;
const { user, system } = process.cpuUsage(before);
const asking = createTexts(SEED + 1);
const stem = createStemmer();
const times: number[] = [];
const ask = async (number: number) => {
  const passage = asking.passage();
  const terms = tokenize(asking.question(passage).join(" "), stem);
  const values = vectorOf(`Document ${number}\n${passage.join(" ")}`);
  const scope = { domain: DOMAIN, tenant: null, access: ["public"] };
  const start = performance.now();
  const hits = await engine.search({ terms, vector: { encoder: ENCODER, values } as never, filters: { scope }, k: K });
  times.push(performance.now() - start);
  if (hits.length < K) throw new Error(`${hits.length} hits`);
};
for (let n = 0; n < QUESTIONS / 10; n++) await ask(n);
times.length = 0;
const searching = process.cpuUsage();
for (let n = 0; n < QUESTIONS; n++) await ask(n * 7);
const searched = process.cpuUsage(searching);
const sorted = times.sort((a, b) => a - b);
const coverage = await engine.coverage(ENCODER.id);
const { rss } = process.memoryUsage();
const written = performance.now();
const extra = generatedDocument(DOMAIN, count, createTexts(SEED + 2), CHUNKS_PER_DOCUMENT, WINDOWS_PER_CHUNK);
const isStored = phase === "build" || Number(size) <= STORED_CHUNKS;
if (isStored && phase === "start") await engine.index({ revision: count, documents: [extra] });
if (isStored) await engine.idle();
const writtenMs = isStored ? performance.now() - written : null;
const figures: EmbeddedFigures = {
  ...{
    windows: coverage.windows,
    readyMs,
    processorMs: (user + system) / 1000,
    p50Ms: quantile(sorted, 0.5) ?? 0,
    p95Ms: quantile(sorted, 0.95) ?? 0,
  },
  ...{
    searchProcessorMs: (searched.user + searched.system) / 1000 / QUESTIONS,
    writtenMs,
    bytes: rss,
    peak: process.resourceUsage().maxRSS * 1024,
    ...coverage.bytes,
  },
};
process.stdout.write(JSON.stringify(figures));
process.exit(0);
