import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { TableRow } from "../../src/grading/report.ts";
import { makeReport } from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";
import { type EmbeddedFigures, GENERATED } from "./speed/embedded-figures.ts";
import { expandSnapshot } from "./speed/expand-snapshot.ts";

interface Measured {
  readonly chunks: number;
  readonly started: EmbeddedFigures;
  readonly snapshotBytes: number;
}

/** Fills the embedded engine with generated chunks of four windows, stores it, copies it, and starts each size in another process. */
export const benchmark: Benchmark = {
  description:
    "the embedded engine: start, search, snapshot and memory by number of chunks (--chunks 10000,100000,1000000, multiples of the first, which alone is ingested; --dimensions 384; --folder FOLDER for snapshots)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        chunks: { type: "string", default: "10000,100000" },
        dimensions: { type: "string", default: "384" },
        folder: { type: "string", default: tmpdir() },
      },
    });
    const folder = mkdtempSync(join(values.folder, "sourcebound-bench-"));
    const [base, snapshot] = [join(folder, "base.snapshot"), join(folder, "bench.snapshot")];
    const sizes = values.chunks.split(",").map(Number);
    const run = (phase: "build" | "start", chunks: number): EmbeddedFigures => {
      const given = [PROCESS, phase, folder, String(chunks), values.dimensions];
      return JSON.parse(execFileSync(process.execPath, given, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
    };
    const rows: Measured[] = [];
    try {
      run("build", sizes[0] as number);
      renameSync(snapshot, base);
      for (const chunks of sizes) {
        expandSnapshot(base, snapshot, { ...GENERATED, dimensions: Number(values.dimensions), copies: chunks / (sizes[0] as number) });
        const snapshotBytes = statSync(snapshot).size;
        rows.push({ chunks, started: run("start", chunks), snapshotBytes });
        progress(JSON.stringify(rows.at(-1)));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    const timings = rows.flatMap(({ chunks, started }) => [
      [`${chunks} start ms`, started.readyMs],
      [`${chunks} p50 ms`, started.p50Ms],
      [`${chunks} p95 ms`, started.p95Ms],
    ]);
    const metrics = Object.fromEntries(rows.map(({ chunks, started }) => [`${chunks} bytes`, started.bytes]));
    const command = `./run bench embedded ${args.join(" ")}`;
    const report = makeReport({ name: "embedded", command, seed: 0, n: {}, metrics, timings: Object.fromEntries(timings) });
    return { report, table: rows.map(toRow) };
  },
};

const PROCESS = fileURLToPath(new URL("./speed/embedded-process.js", import.meta.url));

function toRow({ chunks, started, snapshotBytes }: Measured): TableRow {
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(2);
  return {
    name: `${chunks} chunks, ${started.windows} windows`,
    figure: `p50 ${started.p50Ms.toFixed(1)} ms, p95 ${started.p95Ms.toFixed(1)} ms (processor ${started.searchProcessorMs.toFixed(1)})`,
    note: `start ${(started.readyMs / 1000).toFixed(1)} s (processor ${(started.processorMs / 1000).toFixed(1)}), memory ${gigabytes(started.bytes)} GB (${(started.bytes / chunks).toFixed(0)} B a chunk; words ${gigabytes(started.words)}, vectors ${gigabytes(started.vectors)}), snapshot of ${gigabytes(snapshotBytes)} GB${started.writtenMs === null ? "" : ` written in ${(started.writtenMs / 1000).toFixed(0)} s`}, peak ${gigabytes(started.peak)} GB`,
  };
}
