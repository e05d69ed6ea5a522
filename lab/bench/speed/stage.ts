import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, type Engine, loadProcessConfig } from "../../../src/index.ts";
import { PACKAGE_ROOT, profileNamed, quantile, type RetrievePart, retrievePassages, type TimePart } from "../../../src/internals.ts";
import { embeddedIn } from "../../../src/shared/config.ts";
import { createDocuments } from "./documents.ts";
import { type Findings, grownSince, median, megabytes, memoryNow, ms, type Progress } from "./findings.ts";

const PROFILE = "sourcebound";
/** Provides abbreviations and synonyms; its documents are not used. */
const DOMAIN = "veterans";
/** Warm-up questions, which do not count and do not recur: they trigger compilation and one-time loading. */
const WARM_UP = 200;
/** Average number of chunks of a generated page. */
const CHUNKS_PER_PAGE = 4.5;
const PARTS = ["sync", "understand", "embed", "words", "vectors", "fuse", "rerank", "load", "deduplicate", "rest"] as const;
type Part = (typeof PARTS)[number];

/**
 * Measures the whole retrieval stage, including reranking and the merging of near-duplicates, with the store, index and settings of the
 * default profile. Asks every question once.
 */
export async function measureStage(findings: Findings, chunks: number, questions: number, seed: number, progress: Progress): Promise<void> {
  if (chunks <= 0) return;
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
  const documents = createDocuments(seed);
  const pages = Math.ceil(chunks / CHUNKS_PER_PAGE);
  try {
    mkdirSync(join(folder, "pages"));
    for (let i = 0; i < pages; i++) writeFileSync(join(folder, "pages", `${i}.md`), documents.page());
    progress(`reading ${pages} pages`);
    const dataDir = join(folder, "data");
    await ingestApart(join(folder, "pages"), dataDir);
    const before = memoryNow();
    const engine = await createEngine(embeddedIn(loadProcessConfig({ data_dir: dataDir, domain: "veterans" }), dataDir));
    try {
      await engine.corpus(DOMAIN).sync();
      const opened = grownSince(before);
      progress(`asking ${WARM_UP} + ${questions} questions`);
      const { times, cpuMs } = await askAll(engine, documents.question, questions);
      await report(findings, engine, times, { cpuMs, opened, asked: grownSince(before) });
    } finally {
      await engine.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ingests in a separate process, so that memory left over from ingest does not count as the index's. */
async function ingestApart(pages: string, dataDir: string): Promise<void> {
  const program = join(PACKAGE_ROOT, "dist", "src", "cli", "main.js");
  const env = { ...process.env, SOURCEBOUND_DATA_DIR: dataDir };
  const child = spawn(process.execPath, [program, "ingest", pages, "--domain", DOMAIN, "--json"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(`The generated pages could not be ingested: exit code ${code}.`);
}

/** Returns the milliseconds of every question by part, and the mean processor time, which other load affects less. */
async function askAll(
  engine: Engine,
  next: () => string,
  questions: number,
): Promise<{ times: Record<Part | "all", number>[]; cpuMs: number }> {
  const settings = profileNamed(PROFILE).retrieve;
  const context = await engine.pipelineContext(DOMAIN, PROFILE);
  const { signal } = new AbortController();
  const times: Record<Part | "all", number>[] = [];
  let begun = process.cpuUsage();
  for (let i = 0; i < WARM_UP + questions; i++) {
    if (i === WARM_UP) begun = process.cpuUsage();
    const { time, spent } = stopwatch();
    const question = questionOf(engine, next());
    const started = performance.now();
    await retrievePassages(question, settings, { ...context, time }, signal);
    const total = performance.now() - started;
    if (i < WARM_UP) continue;
    const of = (part: RetrievePart) => spent.get(part) ?? 0;
    const alone = ["sync", "understand", "embed", "words", "vectors", "rerank", "load", "deduplicate"] as const;
    const parts = Object.fromEntries(alone.map((part) => [part, of(part)])) as Record<(typeof alone)[number], number>;
    const fuse = of("search") - of("words") - of("vectors");
    const rest = total - fuse - alone.reduce((sum, part) => sum + of(part), 0);
    times.push({ ...parts, fuse, rest, all: total });
  }
  const { user, system } = process.cpuUsage(begun);
  return { times, cpuMs: (user + system) / 1000 / times.length };
}

/** Sums the time of each part; an asynchronous part ends when its promise settles. */
function stopwatch(): { time: TimePart; spent: Map<RetrievePart, number> } {
  const spent = new Map<RetrievePart, number>();
  const time: TimePart = (part, run) => {
    const started = performance.now();
    const stop = () => void spent.set(part, (spent.get(part) ?? 0) + performance.now() - started);
    const made = run();
    if (made instanceof Promise) made.then(stop, stop);
    else stop();
    return made;
  };
  return { time, spent };
}

function questionOf(engine: Engine, text: string): Parameters<typeof retrievePassages>[0] {
  return {
    text,
    resolved: text,
    scope: { domain: DOMAIN, tenant: null, access: engine.config.access },
    profile: PROFILE,
    detail: "normal",
    sessionId: null,
    selection: null,
    history: [],
    injectionSignals: [],
  };
}

async function report(
  { table, timings, metrics, n }: Findings,
  engine: Engine,
  times: readonly Record<Part | "all", number>[],
  { cpuMs, ...memory }: { readonly cpuMs: number; readonly opened: number; readonly asked: number },
): Promise<void> {
  const corpus = engine.corpus(DOMAIN);
  const { bytes } = await corpus.engine.coverage(corpus.encoder?.id ?? null);
  const { documents, chunks } = await engine.counts({ domain: DOMAIN, tenant: null, access: engine.config.access });
  const all = times.map((one) => one.all);
  const at = (share: number) => quantile(all, share) ?? 0;
  n["stage.chunks"] = chunks;
  n["stage.windows"] = corpus.windows;
  n["stage.questions"] = times.length;
  timings["stage.median.ms"] = at(0.5);
  timings["stage.p95.ms"] = at(0.95);
  timings["stage.p99.ms"] = at(0.99);
  timings["stage.cpu.ms"] = cpuMs;
  metrics["stage.words_bytes"] = bytes.words;
  metrics["stage.vectors_bytes"] = bytes.vectors;
  timings["stage.opened_bytes"] = memory.opened;
  timings["stage.asked_bytes"] = memory.asked;
  const size = `${chunks.toLocaleString("en")} chunks, ${corpus.windows.toLocaleString("en")} windows, ${documents.toLocaleString("en")} pages`;
  table.push(
    {
      name: `retrieval stage, profile ${PROFILE}, p95`,
      figure: `${at(0.95).toFixed(2)} ms`,
      note: `median ${at(0.5).toFixed(2)}, p99 ${at(0.99).toFixed(2)}, processor ${cpuMs.toFixed(2)} each, n = ${times.length} different questions after ${WARM_UP} others; ${size}`,
    },
    {
      name: "  memory",
      figure: megabytes(memory.asked),
      note: `process after the questions; ${megabytes(memory.opened)} before them, of these arrays of words ${megabytes(bytes.words)}, of vectors ${megabytes(bytes.vectors)}`,
    },
  );
  const sum = all.reduce((total, one) => total + one, 0);
  for (const part of PARTS) {
    const list = times.map((one) => one[part]);
    const share = list.reduce((total, one) => total + one, 0) / sum;
    timings[`stage.${part}.ms`] = median(list);
    table.push({
      name: `  ${part}`,
      figure: ms(list),
      note: `p95 ${(quantile(list, 0.95) ?? 0).toFixed(3)}, ${(share * 100).toFixed(0)} % of all time`,
    });
  }
}
