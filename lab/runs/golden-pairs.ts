import { join } from "node:path";
import { createEngine, type EngineParts } from "../../src/engine/engine.ts";
import type { ChosenFolders } from "../../src/grading/choose-sets.ts";
import { readGolden } from "../../src/grading/golden.ts";
import { wilson } from "../../src/grading/metrics.ts";
import { countRow, decimal, makeReport, type TableRow } from "../../src/grading/report.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import { createClassifier, nameOf } from "../../src/memory/classify.ts";
import { sharedEncoder } from "../../src/models/embedded-encoder.ts";
import type { Config } from "../../src/shared/config.ts";
import { cosineOf } from "../judges/cosine.ts";
import { type Pair, pairSchema } from "../sets/pair.ts";
import { createEndToEnd, type Served } from "./cache-end-to-end.ts";
import type { EvaluateEvent } from "./va.ts";

export interface PairsOptions {
  /** Sets whose folder has `[prefix-]pairs*.jsonl`. */
  readonly sets: readonly (ChosenFolders & { readonly files: readonly string[] })[];
  readonly config: Config;
  readonly parts?: EngineParts;
  readonly command: string;
  readonly signal: AbortSignal;
}

interface Judged {
  readonly set: string;
  readonly pair: Pair;
  readonly served: Served;
  /** Cosine of the two questions by the shipped encoder. */
  readonly cosine: number;
  /** Whether both share a topic and an entity of the pack, as the graph query of the seven-layer source requires. */
  readonly linked: boolean;
}

/** Thresholds for a cache by cosine alone. Source 000 names none; .92 is that of source 001. */
const COSINES = [0.8, 0.85, 0.92] as const;

/**
 * Evaluates pairs of questions through the whole engine: stores an approved answer for the first, then asks the second. A hit on a pair
 * with different answers is a false hit.
 */
export async function* evaluateGoldenPairs({ sets, command, parts, signal, ...given }: PairsOptions): AsyncGenerator<EvaluateEvent, void> {
  // Always on, because this evaluation decides whether a pack may set `semantic_cache`.
  const config: Config = { ...given.config, cache: { ...given.config.cache, rewordings: "always" } };
  const judged: Judged[] = [];
  const encoder = sharedEncoder();
  const read = sets.map((set) => ({ ...set, pairs: set.files.flatMap((file) => readGolden(set.golden, file, pairSchema)) }));
  const total = read.reduce((sum, { pairs }) => sum + pairs.length, 0);
  for (const { pairs, ...set } of read) {
    yield { type: "progress", done: judged.length, total, what: `${set.name}: reading documents` };
    const opening = { config, domain: set.domain, signal, cache: true, openEngine: (own: Config) => createEngine(own, parts) };
    const { engine, domain, close } = await openGoldenSet({ ...set, documents: join(set.corpus, "pages") }, opening);
    try {
      const serve = createEndToEnd(engine, { domain, signal });
      const classify = createClassifier(engine.domain(domain));
      for (const pair of pairs) {
        const [a, b] = encoder.embedSync([pair.a, pair.b]);
        const [one, other] = [classify(pair.a), classify(pair.b)];
        const linked = share(one.topics, other.topics, ({ slug }) => slug) && share(one.entities, other.entities, nameOf);
        judged.push({ set: set.name, pair, served: await serve(pair.a, pair.b), cosine: cosineOf(a, b), linked });
        yield { type: "progress", done: judged.length, total, what: `${set.name}: ${pair.b}` };
      }
    } finally {
      await close();
    }
  }
  yield { type: "report", ...summarize(judged, command) };
}

function share<T>(one: readonly T[], other: readonly T[], key: (node: T) => string): boolean {
  const known = new Set(one.map(key));
  return other.some((node) => known.has(key(node)));
}

/** Adds false hits of a cache by cosine alone, and with the graph query as a filter, which source 000 claims as the gain of its graph. */
function addGraph(judged: readonly Judged[], table: TableRow[], metrics: Record<string, number | null>): void {
  for (const least of COSINES) {
    const near = judged.filter(({ cosine }) => cosine >= least);
    const shares = (["cosine", "graph"] as const).map((name) => {
      const hits = name === "cosine" ? near : near.filter(({ linked }) => linked);
      const wrong = hits.filter(({ pair }) => !pair.same_answer).length;
      metrics[`${name}.${least}.hits`] = hits.length;
      metrics[`${name}.${least}.wrong`] = hits.length === 0 ? null : wrong / hits.length;
      table.push(
        countRow(`${name === "cosine" ? "cosine alone" : "with topic and entity"} from ${least}: wrong`, wrong, hits.length, "of its hits"),
      );
      return metrics[`${name}.${least}.wrong`] ?? null;
    });
    const [alone, graph] = shares;
    metrics[`graph.${least}.change`] = alone == null || graph == null || alone === 0 ? null : graph / alone - 1;
  }
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
  addGraph(judged, table, metrics);
  const items = judged.map(({ set, pair, served, cosine, linked }) => ({ set, ...pair, ...served, cosine_of_questions: cosine, linked }));
  const n = { pairs: judged.length, same: judged.filter(({ pair }) => pair.same_answer).length };
  return { report: makeReport({ name: "pairs", command, n, metrics, items }), table };
}
