import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createEngine, loadProcessConfig } from "../../src/index.ts";
import { makeReport, quantile } from "../../src/internals.ts";
import { embeddedIn } from "../../src/shared/config.ts";
import type { Benchmark } from "../commands/bench.ts";

/** Measures the duration of ingest and of questions through all stages. */
export const benchmark: Benchmark = {
  description: "ingest of a folder, and warm questions through every stage, in one process (--corpus DIR, --questions N)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: { corpus: { type: "string" }, questions: { type: "string", default: "200" } },
    });
    const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    const engine = await createEngine(
      embeddedIn(loadProcessConfig({ data_dir: dataDir, domain: "veterans", "cache.enabled": false }), dataDir),
    );
    try {
      const events = values.corpus === undefined ? engine.ingestDomain("veterans") : engine.ingest(values.corpus);
      let documents = 0;
      let ingestMs = 0;
      for await (const event of events) {
        if (event.type === "document") progress(`${event.counts.done}/${event.counts.total} files`);
        if (event.type === "ingest-end") {
          documents = event.counts.added;
          ingestMs = event.ms;
        }
      }
      const examples = engine.domain("veterans").examples;
      for (const question of examples) await engine.answer(question);
      const times: number[] = [];
      const stages: Record<string, number[]> = {};
      const n = Number(values.questions);
      for (let i = 0; i < n; i++) {
        const { latencyMs, timings } = await engine.answer(examples[i % examples.length] as string);
        times.push(latencyMs);
        for (const [stage, ms] of Object.entries(timings)) {
          const list = stages[stage] ?? [];
          stages[stage] = list;
          list.push(ms);
        }
        if (i % 50 === 0) progress(`${i}/${n} questions`);
      }
      const ms = (value: number | null) => `${(value ?? 0).toFixed(2)} ms`;
      const timings = { ingest_ms: ingestMs, ask_ms_median: quantile(times, 0.5), ask_ms_p95: quantile(times, 0.95) };
      return {
        report: makeReport({
          name: "path",
          command: `bench path ${args.join(" ")}`.trim(),
          n: { documents, questions: n },
          timings,
        }),
        table: [
          { name: "ingest", figure: ms(ingestMs), note: `${documents} documents` },
          { name: "ask, warm, median", figure: ms(timings.ask_ms_median), note: `n = ${n}, p95 ${ms(timings.ask_ms_p95)}` },
          ...Object.entries(stages).map(([stage, list]) => ({ name: `  ${stage}`, figure: ms(quantile(list, 0.5)) })),
        ],
      };
    } finally {
      await engine.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};
