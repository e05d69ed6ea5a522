import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Bm25Index, DenseIndex, makeReport, SlotSet } from "../../src/internals.ts";
import { bytesIn } from "../../src/retrieval/scratch-file.ts";
import { readSnapshot, type Section, snapshotPieces, withSnapshotFile } from "../../src/retrieval/snapshot.ts";
import { createScalarKernel } from "../../src/testing/scalar-kernel.ts";
import type { Benchmark } from "../commands/bench.ts";
import { type Findings, median, megabytes, ms, noFindings, sharedShare, spread } from "./speed/findings.ts";
import { createTexts, createVectors } from "./speed/generate.ts";
import { measureStage } from "./speed/stage.ts";
import { measureStarts, type Starts } from "./speed/start.ts";

const DIMENSIONS = 384;
/** Sizes at which the growing index is measured; the last one only with `--large`. */
const SIZES = [1000, 10_000, 100_000, 1_000_000] as const;
/** Sizes at which all scans are compared. */
const COMPARED = [10_000, 100_000] as const;
const QUERIES = 100;
const QUESTIONS = 300;
/** Rows rescored per wanted result, to compare with the default. */
const OVERSAMPLINGS = [1, 1.5, 2, 3] as const;
/** Queries for the slow scalar scan. */
const FEW_QUERIES = 20;
const LOADS = 5;
/** Values of `--only`. */
const MEASURED = ["stage", "growth", "starts"] as const;

/** Measures the speed of vector search, BM25 and loading, how they grow with size, and the lower bound set by memory bandwidth. */
export const benchmark: Benchmark = {
  description:
    "the whole retrieval stage, dense and BM25 search, snapshots, growth, starts (--docs generated, --seed N, --stage N chunks, --questions N, --large, --starts N chunks, --corpus DIR; 0: none; --only stage, growth or starts)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        docs: { type: "string", default: "generated" },
        seed: { type: "string", default: "1" },
        large: { type: "boolean", default: false },
        stage: { type: "string", default: "10000" },
        questions: { type: "string", default: "1000" },
        starts: { type: "string", default: "100000" },
        corpus: { type: "string" },
        only: { type: "string" },
      },
    });
    if (values.docs !== "generated") throw new RangeError(`--docs ${values.docs} is not known: use --docs generated.`);
    const seed = Number(values.seed);
    const wants = (part: (typeof MEASURED)[number]) => values.only === undefined || values.only === part;
    if (!MEASURED.some(wants)) throw new RangeError(`--only ${values.only} is not known: use one of ${MEASURED.join(", ")}.`);
    const findings = noFindings();
    const sizes = values.large ? SIZES : SIZES.slice(0, -1);
    if (wants("stage")) await measureStage(findings, Number(values.stage), Number(values.questions), seed, progress);
    if (wants("growth")) {
      measureVectors(findings, sizes, seed, progress);
      measureWords(findings, sizes, seed, progress);
    }
    for (const [name, points] of findings.lines) {
      const figures = points.map(([size, time]) => `${size.toLocaleString("en")}: ${time.toFixed(3)}`).join(", ");
      findings.table.push({ name: `growth, ms: ${name}`, figure: "", note: figures });
      for (const [size, time] of points) findings.timings[`growth.${name}.${size}.ms`] = time;
    }
    if (wants("starts")) await measureAllStarts(findings, Number(values.starts), seed, values.corpus, progress);
    const { table, metrics, timings, n } = findings;
    return { report: makeReport({ name: "speed", command: `bench speed ${args.join(" ")}`.trim(), seed, n, metrics, timings }), table };
  },
};

function measureVectors(findings: Findings, sizes: readonly number[], seed: number, progress: (text: string) => void): void {
  const next = createVectors(seed, DIMENSIONS);
  const queries = Array.from({ length: QUERIES }, next);
  const index = new DenseIndex();
  findings.n.queries = QUERIES;
  for (const size of sizes) {
    while (index.size < size) {
      index.add(next());
      if (index.size % 10_000 === 0) progress(`${index.size} vectors`);
    }
    const floor8 = readFloor(size * DIMENSIONS);
    const times = interleaved(queries, {
      int8: (query) => index.search(query, 50),
      floor: () => floor8(),
    });
    point(findings, "dense int8 + rescore", size, times.int8);
    point(findings, "read floor, int8 bytes", size, times.floor);
    if ((COMPARED as readonly number[]).includes(size)) compareScans(findings, index, queries, progress);
  }
}

/** Compares all scans of the same rows. They alternate per query, so that other load slows all alike. */
function compareScans(findings: Findings, index: DenseIndex, queries: readonly Float32Array[], progress: (text: string) => void): void {
  const n = index.size;
  progress(`comparing scans of ${n} vectors`);
  const bytes = bytesOf(index.save());
  const exactly = DenseIndex.load(snapshotIn(bytes), { oversampling: Number.POSITIVE_INFINITY });
  const scalar = DenseIndex.load(snapshotIn(bytes), { createKernel: createScalarKernel });
  const tenth = SlotSet.from(n, (slot) => (slot * 7919) % 10 === 0);
  const floor8 = readFloor(n * DIMENSIONS);
  const floor32 = readFloor(n * DIMENSIONS * 4);
  for (const k of [10, 50]) {
    const ways = {
      int8: (query: Float32Array) => index.search(query, k),
      exact: (query: Float32Array) => exactly.search(query, k),
      filtered: (query: Float32Array) => index.search(query, k, tenth),
      floor8: () => floor8(),
      floor32: () => floor32(),
    };
    interleaved(queries.slice(0, FEW_QUERIES), ways);
    const times = interleaved(queries, ways);
    const slow = interleaved(queries.slice(0, FEW_QUERIES), { scalar: (query) => scalar.search(query, k) });
    const recall = sharedShare(
      queries.map((query) => index.search(query, k).map(({ slot }) => slot)),
      queries.map((query) => exactly.search(query, k).map(({ slot }) => slot)),
    );
    const same = sharedShare(
      queries.slice(0, FEW_QUERIES).map((query) => scalar.search(query, k).map(({ slot }) => slot)),
      queries.slice(0, FEW_QUERIES).map((query) => index.search(query, k).map(({ slot }) => slot)),
    );
    const name = `dense ${n.toLocaleString("en")} × ${DIMENSIONS}, top ${k}`;
    const base = median(times.int8);
    const ratio = (list: readonly number[]) => `× ${(median(list) / base).toFixed(1)}`;
    findings.metrics[`dense.${n}.recall@${k}`] = recall;
    findings.table.push(
      {
        name: `${name}: int8 + rescore`,
        figure: ms(times.int8),
        note: `${spread(times.int8)}, recall@${k} ${recall.toFixed(4)}, ${megabytes(index.bytes)}`,
      },
      { name: "  every row rescored in f32", figure: ms(times.exact), note: ratio(times.exact) },
      {
        name: "  plain TypeScript",
        figure: ms(slow.scalar),
        note: `${ratio(slow.scalar)}, same ranking ${(same * 100).toFixed(0)} %, n = ${FEW_QUERIES}`,
      },
      { name: "  int8, a filter lets every tenth through", figure: ms(times.filtered), note: ratio(times.filtered) },
      { name: "  reading the int8 bytes once", figure: ms(times.floor8), note: ratio(times.floor8) },
      { name: "  reading the f32 bytes once", figure: ms(times.floor32), note: ratio(times.floor32) },
    );
    for (const [way, list] of Object.entries({ ...times, ...slow })) findings.timings[`dense.${n}.top${k}.${way}.ms`] = median(list);
  }
  const exact = queries.map((query) => exactly.search(query, 50).map(({ slot }) => slot));
  const recalls = OVERSAMPLINGS.map((oversampling) => {
    const other = DenseIndex.load(snapshotIn(bytes), { oversampling, minCandidates: 1 });
    const found = queries.map((query) => other.search(query, 50).map(({ slot }) => slot));
    const recall = sharedShare(found, exact);
    findings.metrics[`dense.${n}.recall@50.oversampling${oversampling}`] = recall;
    return `× ${oversampling}: ${recall.toFixed(4)}`;
  });
  findings.table.push({ name: "  recall@50 by rows rescored", figure: "", note: recalls.join(", ") });
  if (n === COMPARED.at(-1)) {
    const loading = timesOf(LOADS, () => DenseIndex.load(snapshotIn(bytes)));
    findings.timings[`load.dense.${n}.ms`] = median(loading);
    findings.table.push({
      name: `load ${n.toLocaleString("en")} vectors`,
      figure: ms(loading),
      note: `${megabytes(bytes.length)} in memory`,
    });
  }
}

function measureWords(findings: Findings, sizes: readonly number[], seed: number, progress: (text: string) => void): void {
  const texts = createTexts(seed);
  const index = new Bm25Index();
  findings.n.questions = QUESTIONS;
  for (const size of sizes) {
    const questions: string[][] = [];
    while (index.size < size) {
      const passage = texts.passage();
      index.add([{ tokens: passage, weight: 1 }]);
      if (index.size > size - QUESTIONS) questions.push(texts.question(passage));
      if (index.size % 10_000 === 0) progress(`${index.size} passages`);
    }
    const search = { bm25: (question: string[]) => index.search(question, 50) };
    interleaved(questions, search);
    const { bm25 } = interleaved(questions, search);
    point(findings, "BM25", size, bm25);
    findings.timings[`bm25.${size}.top50.ms`] = median(bm25);
    if (size !== COMPARED.at(-1)) continue;
    const snapshot = bytesOf(index.save());
    const tenth = interleaved(questions, { filtered: (question) => index.search(question, 50, (slot) => slot % 10 === 0) }).filtered;
    const loading = timesOf(LOADS, () => Bm25Index.load(snapshotIn(snapshot)));
    const fromDisk = loadFromDisk(snapshot, seed, size);
    findings.timings["bm25.filtered.ms"] = median(tenth);
    findings.timings[`load.bm25.${size}.ms`] = median(loading);
    findings.timings[`load.both.${size}.ms`] = median(fromDisk.times);
    findings.metrics[`bm25.${size}.snapshot_bytes`] = snapshot.length;
    findings.table.push(
      {
        name: `BM25 ${size.toLocaleString("en")} passages, top 50`,
        figure: ms(bm25),
        note: `${spread(bm25)}, 4 to 8 words, n = ${questions.length}, ${megabytes(index.bytes)}`,
      },
      { name: "  a filter lets every tenth through", figure: ms(tenth) },
      { name: `load ${size.toLocaleString("en")} passages`, figure: ms(loading), note: `${megabytes(snapshot.length)} in memory` },
      {
        name: `load both from disk, ${size.toLocaleString("en")} chunks`,
        figure: ms(fromDisk.times),
        note: `${megabytes(fromDisk.bytes)}, n = ${LOADS}`,
      },
    );
  }
}

function bytesOf(sections: readonly Section[]): Uint8Array {
  return Buffer.concat(snapshotPieces({}, sections).map((piece) => bytesIn(piece)));
}

function snapshotIn(bytes: Uint8Array) {
  return readSnapshot({ bytes: bytes.length, read: (position, target) => target.set(bytes.subarray(position, position + target.length)) });
}

/** Loads both snapshots from files, as a server does at start. */
function loadFromDisk(words: Uint8Array, seed: number, size: number): { times: number[]; bytes: number } {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
  try {
    const next = createVectors(seed, DIMENSIONS);
    const index = new DenseIndex();
    while (index.size < size) index.add(next());
    const vectors = bytesOf(index.save());
    writeFileSync(join(folder, "words"), words);
    writeFileSync(join(folder, "vectors"), vectors);
    const times = timesOf(LOADS, () => [
      withSnapshotFile(join(folder, "words"), (file) => Bm25Index.load(readSnapshot(file))),
      withSnapshotFile(join(folder, "vectors"), (file) => DenseIndex.load(readSnapshot(file))),
    ]);
    return { times, bytes: words.length + vectors.length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the start of a server from its data folder, with and without a snapshot of its index. */
async function measureAllStarts(
  findings: Findings,
  chunks: number,
  seed: number,
  folder: string | undefined,
  progress: (text: string) => void,
): Promise<void> {
  if (chunks > 0)
    addStarts(findings, `${chunks.toLocaleString("en")} chunks`, "generated", await measureStarts({ chunks, seed }, LOADS, progress));
  addStarts(findings, "the demo domain", "demo", await measureStarts({ folder: null }, LOADS, progress));
  if (folder !== undefined) addStarts(findings, "the folder", "folder", await measureStarts({ folder }, LOADS, progress));
}

function addStarts({ table, timings, n }: Findings, what: string, name: string, starts: Starts): void {
  n[`start.${name}.windows`] = starts.with[0]?.windows ?? 0;
  for (const way of ["with", "without"] as const) {
    const times = (part: "open" | "sync" | "search") => starts[way].map((start) => start[part]);
    for (const part of ["open", "sync", "search"] as const) timings[`start.${name}.${way}.${part}.ms`] = median(times(part));
    const memory = megabytes(median(starts[way].map(({ bytes }) => bytes)));
    const snapshot = way === "with" ? `, snapshot ${megabytes(starts.snapshotBytes)}` : "";
    table.push({
      name: way === "with" ? `start on ${what}, with its snapshot` : "  without",
      figure: ms(times("sync")),
      note: `${spread(times("sync"))}, first search ${ms(times("search"))}, process ${memory}${snapshot}, n = ${starts[way].length}`,
    });
  }
}

/** Returns the times of several functions in milliseconds; the functions alternate per query. */
function interleaved<Query, Way extends string>(
  queries: readonly Query[],
  ways: Record<Way, (query: Query) => unknown>,
): Record<Way, number[]> {
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, [] as number[]])) as Record<Way, number[]>;
  for (const query of queries) {
    for (const way of Object.keys(ways) as Way[]) {
      const start = performance.now();
      ways[way](query);
      times[way].push(performance.now() - start);
    }
  }
  return times;
}

function timesOf(times: number, run: () => unknown): number[] {
  return interleaved(
    Array.from({ length: times }, (_, i) => i),
    { run },
  ).run;
}

/** Reads `bytes` bytes once at the machine's speed, by searching for an absent byte. */
function readFloor(bytes: number): () => number {
  const memory = Buffer.alloc(bytes, 1);
  return () => memory.indexOf(2);
}

function point({ lines }: Findings, name: string, size: number, times: readonly number[]): void {
  const points = lines.get(name) ?? [];
  lines.set(name, points);
  points.push([size, median(times)]);
}
