import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { createEngine, loadProcessConfig } from "../../src/index.ts";
import { makeReport } from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";

const MB = 1_000_000;

/** Measures the throughput and memory of ingest, with and without embeddings. */
export const benchmark: Benchmark = {
  description:
    "files to stored chunks: MB/s and chunks/s, without vectors and with (--corpus DIR, --mb N of them, copied where there are fewer)",
  async run(args, progress) {
    const { values } = parseArgs({ args: [...args], options: { corpus: { type: "string" }, mb: { type: "string", default: "20" } } });
    if (values.corpus === undefined) throw new Error("bench ingest needs --corpus DIR: a folder of documents");
    const folder = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    try {
      const copied = copyCorpus(values.corpus, join(folder, "documents"), Number(values.mb) * MB);
      const runs = [];
      for (const embeddings of ["none", "embedded"] as const) {
        progress(`${copied.files} files, embeddings ${embeddings}`);
        runs.push(await ingestOnce(join(folder, "documents"), join(folder, embeddings), embeddings));
      }
      const [plain, dense] = runs as [Ingested, Ingested];
      const timings = {
        mb_per_s: copied.bytes / MB / plain.seconds,
        mb_per_processor_s: copied.bytes / MB / plain.processorSeconds,
        chunks_per_s: plain.chunks / plain.seconds,
        dense_chunks_per_s: dense.chunks / dense.seconds,
        rss_mb: plain.rssMb,
        dense_rss_mb: dense.rssMb,
      };
      return {
        report: makeReport({
          name: "ingest",
          command: `bench ingest ${args.join(" ")}`.trim(),
          n: { files: copied.files, bytes: copied.bytes, chunks: plain.chunks },
          timings,
        }),
        table: Object.entries(timings).map(([name, value]) => ({ name, figure: value.toFixed(2) })),
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Ingested {
  readonly chunks: number;
  readonly seconds: number;
  readonly processorSeconds: number;
  /** Peak resident memory in MB. */
  readonly rssMb: number;
}

async function ingestOnce(documents: string, dataDir: string, embeddings: "none" | "embedded"): Promise<Ingested> {
  const engine = await createEngine(loadProcessConfig({ data_dir: dataDir, embeddings }));
  let rss = 0;
  const watching = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 50);
  try {
    const begun = performance.now();
    const processor = process.cpuUsage();
    let chunks = 0;
    for await (const event of engine.ingest(documents)) if (event.type === "ingest-end") chunks = event.chunks;
    const { user, system } = process.cpuUsage(processor);
    return { chunks, seconds: (performance.now() - begun) / 1_000, processorSeconds: (user + system) / 1e6, rssMb: rss / MB };
  } finally {
    clearInterval(watching);
    await engine.close();
  }
}

/** Copies documents until `bytes` are reached. Repeated copies get a different last line, so that they do not count as renamed. */
function copyCorpus(from: string, to: string, bytes: number): { readonly files: number; readonly bytes: number } {
  const paths = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (paths.length === 0) throw new Error(`${from} holds no files`);
  let [files, written] = [0, 0];
  for (let round = 0; written < bytes; round++) {
    for (const path of paths) {
      if (written >= bytes) break;
      const target = join(to, String(round), path.slice(from.length));
      const content = readFileSync(path);
      const isText = /\.(?:md|txt|html?)$/.test(path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, isText && round > 0 ? `${content.toString("utf8")}\n\nCopy ${round}.\n` : content);
      files++;
      written += content.length;
    }
  }
  return { files, bytes: written };
}
