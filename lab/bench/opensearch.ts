import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { z } from "zod";
import type { TableRow } from "../../src/grading/report.ts";
import { makeReport, quantile } from "../../src/internals.ts";
import type { Encoder } from "../../src/models/encoder.ts";
import { DenseIndex } from "../../src/retrieval/dense.ts";
import { OpenSearchConnection } from "../../src/retrieval/opensearch/connection.ts";
import { OpenSearchEngine } from "../../src/retrieval/opensearch/opensearch-engine.ts";
import { ConfigError } from "../../src/shared/errors.ts";
import { tokenize } from "../../src/text/tokens.ts";
import type { Benchmark } from "../commands/bench.ts";
import { createTexts, createVectors, type GeneratedTexts } from "./speed/generate.ts";
import type { ReplicaFigures } from "./speed/opensearch-process.ts";

const SEED = 11;
const TOPICS = 400;
const K = 10;
const QUESTIONS = 100;
const CHUNKS_PER_DOCUMENT = 10;
const WINDOWS_PER_CHUNK = 4;
const DOCUMENTS_PER_BATCH = 50;

interface Measured {
  readonly chunks: number;
  readonly chunksPerS: number;
  readonly megabytes: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly recall: number;
  readonly replicaMegabytes: number;
}

/** Fills an OpenSearch cluster with generated chunks through the engine, and searches it by words and vector. */
export const benchmark: Benchmark = {
  description:
    "OpenSearch: ingest, search, size and recall of HNSW beside the exact scan (--url URL, repeated or with commas; --chunks 10000,50000; --dimensions 384; --replicas 2, processes that search at once at the last size)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: "string" },
        chunks: { type: "string", default: "10000,50000" },
        dimensions: { type: "string", default: "384" },
        replicas: { type: "string", default: "0" },
      },
    });
    if (values.url === undefined) throw new ConfigError("config_invalid", "Name a cluster: bench opensearch --url http://HOST:9200");
    const dimensions = Number(values.dimensions);
    const sizes = values.chunks.split(",").map(Number);
    const connection = new OpenSearchConnection({ nodes: values.url.split(","), timeoutMs: 60_000 });
    const prefix = `bench-${process.pid}`;
    const engine = new OpenSearchEngine({
      ...{ connection, prefix, domain: "bench", store: "bench", shards: 1, createId: () => String(process.pid) },
      isCurrent: async () => () => true,
    });
    const makeVector = createVectors(SEED, dimensions, TOPICS);
    const texts = createTexts(SEED);
    const encoder = { id: "bench" } as Encoder;
    const questions = Array.from({ length: QUESTIONS }, () => ({
      terms: tokenize(texts.question(texts.passage()).join(" ")),
      vector: makeVector(),
    }));
    const exact = new DenseIndex();
    const chunkOf: string[] = [];
    const rows: Measured[] = [];
    let replicas: readonly ReplicaFigures[] = [];
    try {
      await engine.reconcile(new Map(), encoder.id);
      let made = 0;
      let revision = 0;
      for (const size of sizes) {
        const before = made;
        const begun = performance.now();
        let makingMs = 0;
        while (made < size) {
          const started = performance.now();
          const documents = Array.from({ length: DOCUMENTS_PER_BATCH }, () => {
            const document = makeDocument(made / CHUNKS_PER_DOCUMENT, texts);
            made += CHUNKS_PER_DOCUMENT;
            return document;
          });
          const windows = documents.flatMap(({ id, chunks }) =>
            chunks.flatMap((chunk) =>
              chunk.windows.map(({ start }) => {
                const vector = makeVector();
                exact.add(vector);
                chunkOf.push(chunk.id);
                return { documentId: id, chunkId: chunk.id, start, vector };
              }),
            ),
          );
          makingMs += performance.now() - started;
          await engine.index({ revision: ++revision, documents, vectors: { encoder: encoder.id, windows } });
          progress(`${made} of ${size} chunks`);
        }
        const seconds = (performance.now() - begun - makingMs) / 1000;
        const times: number[] = [];
        let found = 0;
        for (const { terms, vector } of questions) {
          const start = performance.now();
          const hits = await engine.search({ terms, vector: { encoder, values: vector }, filters: { scope: SCOPE }, k: K });
          times.push(performance.now() - start);
          const truth = new Set(exact.search(vector, K * WINDOWS_PER_CHUNK).map(({ slot }) => chunkOf[slot]));
          const best = [...truth].slice(0, K);
          found += hits.filter(({ dense, chunk }) => dense !== null && best.includes(chunk.id)).length / best.length;
        }
        const sorted = times.sort((a, b) => a - b);
        rows.push({
          ...{ chunks: size, chunksPerS: (size - before) / seconds, megabytes: await storedMegabytes(connection, prefix) },
          ...{ p50Ms: quantile(sorted, 0.5) ?? 0, p95Ms: quantile(sorted, 0.95) ?? 0, recall: found / QUESTIONS },
          replicaMegabytes: (process.memoryUsage.rss() - exact.bytes) / 1e6,
        });
        for (const { name, figure, note } of toTable(rows.slice(-1))) progress(`${name}: ${figure}, ${note}`);
      }
      const search = (seed: number) => searchInProcess([values.url as string, prefix, String(seed), values.dimensions, String(TOPICS)]);
      replicas = await Promise.all(Array.from({ length: Number(values.replicas) }, (_, i) => search(SEED + 1 + i)));
    } finally {
      await connection.find({ method: "DELETE", path: `/${prefix}.bench.${process.pid}`, schema: z.unknown() });
      await connection.find({ method: "DELETE", path: `/${prefix}_states`, schema: z.unknown() });
      await connection.close();
    }
    const last = `${rows.at(-1)?.chunks} chunks`;
    return {
      report: toReport(rows, args),
      table: [...toTable(rows), ...replicas.map((one, i) => replicaRow(`${last}, replica ${i + 1}`, one))],
    };
  },
};

const SCOPE = { domain: "bench", tenant: null, access: ["public"] };

const PROCESS = fileURLToPath(new URL("./speed/opensearch-process.js", import.meta.url));

async function searchInProcess(args: readonly string[]): Promise<ReplicaFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROCESS, ...args]);
  return JSON.parse(stdout);
}

function replicaRow(name: string, { p50Ms, p95Ms, found, megabytes }: ReplicaFigures): TableRow {
  const figure = `p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms`;
  return { name, figure, note: `${found} hits, this process ${megabytes.toFixed(0)} MB` };
}

function makeDocument(number: number, texts: GeneratedTexts) {
  const id = `doc${number}`;
  let text = "";
  const chunks = Array.from({ length: CHUNKS_PER_DOCUMENT }, (_, ordinal) => {
    const start = text.length;
    const windows = Array.from({ length: WINDOWS_PER_CHUNK }, () => {
      const from = text.length;
      const passage = texts.passage();
      text += `${passage.join(" ")}. `;
      return { start: from, end: text.length, tokens: passage.length };
    });
    const tokens = windows.reduce((sum, window) => sum + window.tokens, 0);
    return { id: `${id}-${ordinal}`, documentId: id, ordinal, start, end: text.length, tokens, headingPath: [], windows };
  });
  const head = { version: "v1", tenant: null, access: "public", path: `${id}.md`, title: id, description: null };
  return { id, ...head, text, chunks };
}

async function storedMegabytes(connection: OpenSearchConnection, prefix: string): Promise<number> {
  const schema = z.object({ _all: z.object({ primaries: z.object({ store: z.object({ size_in_bytes: z.number() }) }) }) });
  const stats = await connection.call({ method: "GET", path: `/${prefix}.bench/_stats/store`, schema });
  return stats._all.primaries.store.size_in_bytes / 1e6;
}

function toReport(rows: readonly Measured[], args: readonly string[]) {
  return makeReport({
    name: "opensearch",
    command: `./run bench opensearch ${args.join(" ")}`,
    seed: SEED,
    n: { questions: QUESTIONS },
    metrics: Object.fromEntries(rows.map(({ chunks, recall }) => [`recall@${K} of ${chunks} chunks`, recall])),
    timings: Object.fromEntries(
      rows.flatMap(({ chunks, p50Ms, p95Ms, chunksPerS }) =>
        Object.entries({ p50Ms, p95Ms, chunksPerS }).map(([name, value]) => [`${chunks} ${name}`, value]),
      ),
    ),
  });
}

function toTable(rows: readonly Measured[]): TableRow[] {
  return rows.map(({ chunks, chunksPerS, megabytes, p50Ms, p95Ms, recall, replicaMegabytes }) => ({
    name: `${chunks} chunks`,
    figure: `p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms`,
    note: `recall@${K} ${recall.toFixed(3)}, ${chunksPerS.toFixed(0)} chunks/s, store ${megabytes.toFixed(0)} MB, this process ${replicaMegabytes.toFixed(0)} MB`,
  }));
}
