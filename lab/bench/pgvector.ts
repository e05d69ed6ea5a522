import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { dot } from "../../src/cross-encoder/reader.ts";
import type { TableRow } from "../../src/grading/report.ts";
import { createRandom, makeReport, quantile } from "../../src/internals.ts";
import { loadEmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import { normalizeVector } from "../../src/models/encoder.ts";
import { DenseIndex } from "../../src/retrieval/dense.ts";
import { ConfigError } from "../../src/shared/errors.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { openPostgresVectors, type PostgresVectors } from "../../src/store/postgres-vectors.ts";
import { createStore } from "../../src/store/store.ts";
import { fileContent, storedDocument } from "../../src/testing/store/fixtures.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import type { Benchmark } from "../commands/bench.ts";
import { createVectors } from "./speed/generate.ts";

const SEED = 11;
const K = 10;
const WINDOWS_PER_DOCUMENT = 100;
/** Number of cluster centres. Vectors of texts form clusters; uniform vectors have no near neighbours, so no index could find them. */
const TOPICS = 400;
/** Number of queries one at a time, in one batch, and with four clients, as in the source (its table 10). */
const SINGLE = 100;
const BATCH = 500;
const CONCURRENT = 200;
const THREADS = 4;

/** The source's three configurations (its tables 10 and 11). */
const INDEXES = [
  { name: "no index", settings: null },
  { name: "HNSW m=16", settings: { m: 16, efConstruction: 64 } },
  { name: "HNSW m=24", settings: { m: 24, efConstruction: 128 } },
] as const;

interface Measured {
  readonly size: number;
  readonly name: string;
  readonly buildS: number;
  readonly singleMs: number;
  readonly batchPerS: number;
  readonly concurrentMs: number;
  readonly concurrentPerS: number;
  readonly recall: number;
  readonly megabytes: number;
}

/** Repeats the `seven-layer` source's comparison of pgvector with and without HNSW, and adds the embedded scan. */
export const benchmark: Benchmark = {
  description:
    "pgvector without index, m=16, m=24, beside the embedded scan (--database URL, an empty one; --sizes 1000,10000,100000; --dimensions 384; --texts FOLDER)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        database: { type: "string" },
        sizes: { type: "string", default: "1000,10000,100000" },
        dimensions: { type: "string", default: "384" },
        texts: { type: "string" },
      },
    });
    if (values.database === undefined) {
      throw new ConfigError(
        "config_invalid",
        "Name an empty PostgreSQL database with pgvector: bench pgvector --database postgres://USER@HOST/NAME",
      );
    }
    const sizes = values.sizes.split(",").map(Number);
    const dimensions = Number(values.dimensions);
    const db = await openPostgres({ url: values.database, connections: THREADS + 1, timeoutMs: 600_000 });
    const rows: Measured[] = [];
    try {
      const store = createStore(db, { now: () => new Date(0), clock: () => 0 });
      const make =
        values.texts === undefined ? createVectors(SEED, dimensions, TOPICS) : vectorsOfTexts(values.texts, dimensions, Math.max(...sizes));
      const questions = Array.from({ length: BATCH }, make);
      let made = 0;
      const vectors: Float32Array[] = [];
      const remote = await openPostgresVectors(db, { domain: "d", model: "bench", dimensions });
      for (const size of sizes) {
        // Otherwise the index of the previous size would be updated with every insert.
        await remote.dropIndex();
        progress(`${size} vectors: stored`);
        for (; made < size; made += WINDOWS_PER_DOCUMENT) {
          const documentId = await putDocument(store, made);
          const fresh = Array.from({ length: Math.min(WINDOWS_PER_DOCUMENT, size - made) }, make);
          vectors.push(...fresh);
          await remote.put(
            fresh.map((vector, n) => ({ documentId, version: "v1", tenant: "", access: "public", start: made + n, vector })),
          );
        }
        rows.push(...(await measureSize({ size, vectors, questions, remote, dimensions, progress })));
      }
    } finally {
      await db.destroy();
    }
    return { report: toReport(rows, args, sizes), table: toTable(rows) };
  },
};

/**
 * Returns a function that embeds one sentence of a folder after the other. The embedded encoder's vectors are projected at random to the
 * wanted dimension, which keeps their cosines (Johnson & Lindenstrauss, 1984), as a stand-in for an endpoint of that dimension.
 */
function vectorsOfTexts(folder: string, dimensions: number, most: number): () => Float32Array {
  const texts = globSync("**/*.md", { cwd: folder })
    .sort()
    .map((path) => readFileSync(join(folder, path), "utf8"));
  const sentences = [...new Set(texts.flatMap((text) => splitSentences(text).map(({ start, end }) => text.slice(start, end).trim())))];
  const wanted = BATCH + most;
  if (sentences.length < wanted)
    throw new ConfigError("config_invalid", `${folder} has ${sentences.length} sentences, but ${wanted} are needed.`);
  // Spread over the folder, so that questions and vectors come from all documents.
  const chosen = Array.from(
    { length: wanted },
    (_, i) => sentences[Math.floor((((i * 7919) % wanted) * sentences.length) / wanted)] as string,
  );
  const vectors = loadEmbeddedEncoder().embedSync(chosen);
  const random = createRandom(SEED);
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const directions = Array.from({ length: dimensions }, () => Float32Array.from(vectors[0] as Float32Array, gauss));
  let next = 0;
  return () => {
    const vector = vectors[next++] as Float32Array;
    return normalizeVector(Float32Array.from(directions, (direction) => dot(direction, vector)));
  };
}

interface Trial {
  readonly size: number;
  readonly vectors: readonly Float32Array[];
  readonly questions: readonly Float32Array[];
  readonly remote: PostgresVectors;
  readonly dimensions: number;
  readonly progress: (text: string) => void;
}

async function measureSize({ size, vectors, questions, remote, progress }: Trial): Promise<Measured[]> {
  const truth = questions.slice(0, SINGLE).map((question) => best(question, vectors));
  const measured: Measured[] = [];
  const embedded = new DenseIndex();
  const began = performance.now();
  for (const vector of vectors) embedded.add(vector);
  const buildS = (performance.now() - began) / 1000;
  progress(`${size} vectors: embedded`);
  const scan = async (question: Float32Array) => embedded.search(question, K).map(({ slot }) => slot);
  measured.push({ size, name: "embedded", buildS, megabytes: embedded.bytes / 1e6, ...(await ask(scan, questions, truth)) });
  const search = (isExact: boolean) => async (vector: Float32Array) => {
    const found = await remote.search({ vector, k: K, tenants: [""], access: ["public"], windows: null, isExact });
    return found.map(({ start }) => start);
  };
  for (const { name, settings } of INDEXES) {
    progress(`${size} vectors: ${name}`);
    await remote.dropIndex();
    const start = performance.now();
    if (settings !== null) await remote.buildIndex(settings);
    const build = settings === null ? 0 : (performance.now() - start) / 1000;
    const { table, index } = await remote.bytes();
    // 0 forces an exact scan; infinity forces the use of the index.
    measured.push({
      size,
      name,
      buildS: build,
      megabytes: (table + index) / 1e6,
      ...(await ask(search(settings === null), questions, truth)),
    });
  }
  return measured;
}

type Search = (question: Float32Array) => Promise<number[]>;

async function ask(search: Search, questions: readonly Float32Array[], truth: readonly ReadonlySet<number>[]) {
  for (const question of questions.slice(0, 20)) await search(question);
  const times: number[] = [];
  let found = 0;
  for (const [i, question] of questions.slice(0, SINGLE).entries()) {
    const { ms, result } = await timed(() => search(question));
    times.push(ms);
    found += result.filter((slot) => truth[i]?.has(slot)).length;
  }
  const batch = await timed(async () => {
    for (const question of questions.slice(0, BATCH)) await search(question);
  });
  const waits: number[] = [];
  let next = 0;
  const concurrent = await timed(() =>
    Promise.all(
      Array.from({ length: THREADS }, async () => {
        while (next < CONCURRENT) waits.push((await timed(() => search(questions[next++] as Float32Array))).ms);
      }),
    ),
  );
  return {
    singleMs: quantile(times, 0.5) ?? 0,
    batchPerS: BATCH / (batch.ms / 1000),
    concurrentMs: quantile(waits, 0.5) ?? 0,
    concurrentPerS: CONCURRENT / (concurrent.ms / 1000),
    recall: found / (SINGLE * K),
  };
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const began = performance.now();
  const result = await work();
  return { ms: performance.now() - began, result };
}

/** Returns the exact nearest neighbours, computed in double precision. */
function best(question: Float32Array, vectors: readonly Float32Array[]): ReadonlySet<number> {
  const scored = vectors.map((vector, slot) => ({
    slot,
    score: vector.reduce((sum, value, i) => sum + value * (question[i] as number), 0),
  }));
  return new Set(
    scored
      .sort((a, b) => b.score - a.score || a.slot - b.slot)
      .slice(0, K)
      .map(({ slot }) => slot),
  );
}

async function putDocument(store: ReturnType<typeof createStore>, at: number): Promise<string> {
  const path = `${at}.md`;
  const document = storedDocument({ id: `bench-${at}`, path });
  await store.documents.putFile({ domain: document.domain, tenant: null, source: document.source, path }, fileContent(document));
  return document.id;
}

function toReport(rows: readonly Measured[], args: readonly string[], sizes: readonly number[]) {
  const timings: Record<string, number | null> = {};
  const metrics: Record<string, number | null> = {};
  for (const { size, name, recall, megabytes, ...times } of rows) {
    const key = `${size}.${name.replaceAll(/[ =]/g, "_")}`;
    for (const [figure, value] of Object.entries(times)) timings[`${key}.${figure}`] = value;
    metrics[`${key}.recall`] = recall;
    metrics[`${key}.megabytes`] = megabytes;
  }
  const n = { single: SINGLE, batch: BATCH, concurrent: CONCURRENT, largest: Math.max(...sizes) };
  const command = `bench pgvector ${args.map((one) => one.replace(/^postgres.*/, "URL")).join(" ")}`;
  return makeReport({ name: "pgvector", command, seed: SEED, n, metrics, timings });
}

function toTable(rows: readonly Measured[]): TableRow[] {
  return rows.map((row) => ({
    name: `${row.size} ${row.name}`,
    figure: `${row.singleMs.toFixed(2)} ms`,
    note: `batch ${row.batchPerS.toFixed(0)}/s, ${THREADS} at once ${row.concurrentMs.toFixed(2)} ms (${row.concurrentPerS.toFixed(0)}/s), recall@${K} ${row.recall.toFixed(3)}, built in ${row.buildS.toFixed(1)} s, ${row.megabytes.toFixed(0)} MB`,
  }));
}
