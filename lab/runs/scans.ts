import { join } from "node:path";
import { createEngine, type EngineParts } from "../../src/engine/engine.ts";
import type { ChosenFolders } from "../../src/grading/choose-sets.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { makeReport, type TableRow } from "../../src/grading/report.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import type { Config } from "../../src/shared/config.ts";
import type { Conflict } from "../../src/shared/types.ts";
import type { EvaluateEvent } from "./va.ts";

export interface ScansOptions {
  readonly sets: readonly ChosenFolders[];
  /** Number of conflicts printed per set: half are the most certain, the others a random sample. */
  readonly sample: number;
  readonly seed: number;
  readonly config: Config;
  readonly parts?: EngineParts;
  readonly command: string;
  readonly signal: AbortSignal;
}

/** Scans the documents of each set for conflicts, counts them and prints a sample for manual review. */
export async function* evaluateScans(options: ScansOptions): AsyncGenerator<EvaluateEvent, void> {
  const { sets, sample, seed, config, command, parts, signal } = options;
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = {};
  const timings: Record<string, number> = {};
  const table: TableRow[] = [];
  const items: Record<string, unknown>[] = [];
  for (const [done, set] of sets.entries()) {
    yield { type: "progress", done, total: sets.length, what: `${set.name}: reading documents` };
    const opening = { config, domain: set.domain, signal, openEngine: (own: Config) => createEngine(own, parts) };
    const { engine, domain, ingested, close } = await openGoldenSet({ ...set, documents: join(set.corpus, "pages") }, opening);
    try {
      const started = performance.now();
      for await (const event of engine.conflicts({ domain, signal })) {
        if (event.type === "progress")
          yield { type: "progress", done, total: sets.length, what: `${set.name}: ${event.done} of ${event.total} scanned` };
        else {
          timings[`${set.name}.scan_ms`] = performance.now() - started;
          metrics[`${set.name}.found`] = event.conflicts.length;
          n[`${set.name}.documents`] = ingested.documents;
          n[`${set.name}.statements`] = event.statements;
          table.push({
            name: set.name,
            figure: `${event.conflicts.length}`,
            note: `in ${event.documents} documents, ${event.statements} statements`,
          });
          for (const { rank, conflict } of drawn(event.conflicts, sample, seed)) {
            table.push(...rowsOf(rank, conflict));
            items.push(itemOf(set.name, rank, conflict));
          }
        }
      }
    } finally {
      await close();
    }
  }
  const report = makeReport({ name: "scans", command, seed, n, metrics, timings, items });
  yield { type: "report", report, table };
}

function drawn(conflicts: readonly Conflict[], sample: number, seed: number): { rank: number; conflict: Conflict }[] {
  const random = createRandom(seed);
  const ranked = conflicts.map((conflict, i) => ({ rank: i + 1, conflict, order: random() }));
  const certain = ranked.slice(0, Math.ceil(sample / 2));
  const others = ranked
    .slice(certain.length)
    .sort((a, b) => a.order - b.order)
    .slice(0, sample - certain.length);
  return [...certain, ...others.sort((a, b) => a.rank - b.rank)];
}

function rowsOf(rank: number, { kind, about, certainty, sides }: Conflict): TableRow[] {
  return [
    { name: `  ${rank}. ${kind}`, figure: certainty.toFixed(2), note: about },
    ...sides.map(({ title, value, quote }) => ({ name: `     [${value}] ${title}:`, figure: "", note: quote.replaceAll(/\s+/g, " ") })),
  ];
}

function itemOf(set: string, rank: number, { kind, about, certainty, sides }: Conflict): Record<string, unknown> {
  const said = sides.map(({ title, value, quote }) => ({ title, value, quote }));
  return { set, rank, kind, about, certainty: Number(certainty.toFixed(4)), sides: said };
}
