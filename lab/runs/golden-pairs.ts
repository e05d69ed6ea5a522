import { join } from "node:path";
import { z } from "zod";
import type { Config } from "../../src/config.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { ChosenFolders } from "../../src/grade/choose-golden-sets.ts";
import { wilson } from "../../src/grade/metrics.ts";
import { readLines } from "../../src/grade/read-lines.ts";
import { countRow, decimal, makeReport, type TableRow } from "../../src/grade/report.ts";
import { openGoldenSet } from "../../src/grade/run-golden.ts";
import type { Served } from "../judges/cache-decision.ts";
import { createEndToEnd } from "./cache-end-to-end.ts";
import type { EvaluateEvent } from "./va.ts";

const pairSchema = z.object({ id: z.string(), a: z.string(), b: z.string(), same_answer: z.boolean(), kind: z.string() });
type Pair = z.infer<typeof pairSchema>;

export interface PairsOptions {
  /** Sets whose folder holds `[prefix-]pairs*.jsonl`. */
  readonly sets: readonly (ChosenFolders & { readonly files: readonly string[] })[];
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

interface Judged {
  readonly set: string;
  readonly pair: Pair;
  readonly served: Served;
}

/** Pairs of questions through the whole engine: an approved answer is stored for the first, then the second is asked. Served though not the same is a wrong hit. */
export async function* evaluateGoldenPairs({ sets, config, command, signal }: PairsOptions): AsyncGenerator<EvaluateEvent, void> {
  const judged: Judged[] = [];
  const read = sets.map((set) => ({ ...set, pairs: set.files.flatMap((file) => readLines(set.golden, file, pairSchema)) }));
  const total = read.reduce((sum, { pairs }) => sum + pairs.length, 0);
  for (const { pairs, ...set } of read) {
    yield { type: "progress", done: judged.length, total, what: `${set.name}: reading documents` };
    const opening = { config, domain: set.domain, signal, cache: true, openEngine: createEngine };
    const { engine, domain, close } = await openGoldenSet({ ...set, documents: join(set.corpus, "pages") }, opening);
    try {
      const serve = createEndToEnd(engine, { domain, signal });
      for (const pair of pairs) {
        judged.push({ set: set.name, pair, served: await serve(pair.a, pair.b) });
        yield { type: "progress", done: judged.length, total, what: `${set.name}: ${pair.b}` };
      }
    } finally {
      await close();
    }
  }
  yield { type: "report", ...summarize(judged, command) };
}

function summarize(judged: readonly Judged[], command: string) {
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const names = [...new Set(judged.map(({ set }) => set))];
  for (const [prefix, some] of [
    ...names.map((name) => [`${name}.`, judged.filter(({ set }) => set === name)] as const),
    ["", judged] as const,
  ]) {
    const same = some.filter(({ pair }) => pair.same_answer);
    const hits = some.filter(({ served }) => served.served);
    const right = hits.filter(({ pair }) => pair.same_answer).length;
    const wrong = hits.length - right;
    const stored = same.filter(({ served }) => served.storedAs === "own").length;
    metrics[`${prefix}pairs.hit_rate`] = same.length === 0 ? null : right / same.length;
    metrics[`${prefix}pairs.false_hits`] = wrong;
    metrics[`${prefix}pairs.precision`] = hits.length === 0 ? null : right / hits.length;
    table.push(
      countRow(
        `${prefix}pairs.hit_rate`,
        right,
        same.length,
        `of those that ask for the same; ${stored} of their first questions were answered`,
      ),
      countRow(
        `${prefix}pairs.false_hits`,
        wrong,
        hits.length,
        `of all hits; among ${some.length - same.length} pairs that do not ask for the same`,
      ),
    );
    const bound = wilson(wrong, hits.length);
    if (prefix === "")
      table.push({ name: "bound of a wrong hit", figure: decimal(bound?.high ?? null), note: "upper end of the 95 % interval, per hit" });
  }
  const items = judged.map(({ set, pair, served }) => ({ set, ...pair, ...served }));
  const n = { pairs: judged.length, same: judged.filter(({ pair }) => pair.same_answer).length };
  return { report: makeReport({ name: "pairs", command, n, metrics, items }), table };
}
