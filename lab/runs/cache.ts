import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "../../src/engine/engine.ts";
import { makeReport, type TableRow } from "../../src/grading/report.ts";
import { readMatchWeights } from "../../src/memory/match.ts";
import { sharedEncoder } from "../../src/models/embedded-encoder.ts";
import { type Config, embeddedIn } from "../../src/shared/config.ts";
import { progressOf } from "../../src/text/progress.ts";
import { createDecision, type Serve } from "../judges/cache-decision.ts";
import { CACHE_SETS, type CacheSet, readCachePairs } from "../sets/cache-pairs.ts";
import { type Curve, curveMetrics, curveOf, curveTable, scorePairs } from "./cache-curve.ts";
import { createEndToEnd } from "./cache-end-to-end.ts";
import { type GoldenPair, type JudgedPairs, judgePairs, ownAnswers, readGoldenPairs } from "./cache-va.ts";
import { type EvaluateEvent, ingestCorpus } from "./va.ts";

/** Data and settings of a cache evaluation. */
export interface CacheRun {
  /** Folder with `pages/`; a replayed day edits a copy. */
  readonly corpus: string;
  /** Folder with `va-pairs*.jsonl`. */
  readonly golden: string;
  /** Folder of further sets; without it only the golden pairs are evaluated. */
  readonly data?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly domain?: string | undefined;
  readonly profile?: string | undefined;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

export interface CacheOptions extends CacheRun {
  /** Maximum number of questions per further set. */
  readonly questions: number;
}

/** Sets that are reported; `written` is training data. */
const REPORTED = CACHE_SETS.filter((set) => set !== "written");

const NOTES: Readonly<Partial<Record<CacheSet, string>>> = {
  clinc150: "intents: one intent is not one answer",
  banking77: "intents: one intent is not one answer; neighbours look alike",
  "covid-qa": "labelled by people; over the set's articles",
  medquad: "wordings made by rule; over the set's answers",
  headings: "other headings of the pages: none may share",
};

const END_TO_END = "pairs.end_to_end";

/** `eval cache`: measures which questions share an answer, by slots and combined score, compared with cosine alone. */
export async function* evaluateCache(options: CacheOptions): AsyncGenerator<EvaluateEvent, void> {
  const { corpus, golden, data, questions, signal } = options;
  const pairs = readGoldenPairs(golden);
  const encoder = sharedEncoder();
  const weights = readMatchWeights();
  const judged: JudgedPairs[] = [];
  yield { type: "progress", done: 0, total: pairs.length, what: "ingesting" };
  const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-eval-"));
  const open = (enabled: boolean) =>
    createEngine({ ...embeddedIn(options.config, dataDir), cache: { ...options.config.cache, enabled, rewordings: "always" as const } });
  let engine = await open(false);
  const domain = engine.domain(options.domain);
  try {
    await ingestCorpus(engine, options);
    const decision = createDecision(engine, { ...options, encoder, settings: { type: "learned", weights } });
    judged.push(yield* judge(pairs, decision, "pairs"));
    await engine.close();
    engine = await open(true);
    const whole = yield* judge(pairs, createEndToEnd(engine, options), END_TO_END);
    judged.push(whole, ownAnswers(whole, END_TO_END));
  } finally {
    await engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  const curves: { set: CacheSet; curve: Curve }[] = [];
  const table: TableRow[] = judged.flatMap((one) => one.table);
  if (data !== undefined) {
    for (const [done, set] of REPORTED.entries()) {
      yield { type: "progress", done, total: REPORTED.length, what: set };
      signal.throwIfAborted();
      const read = await readCachePairs(set, data, { encoder, part: "held-out", questions, corpus, domain });
      if (read === null) {
        table.push({ name: set, figure: "", note: "not in the folder of sets" });
        continue;
      }
      const rows = scorePairs(read.pairs, read.vocabulary, encoder, weights);
      const threshold = read.pairs.some(({ retrieved }) => retrieved !== null) ? weights.retrieved.threshold : weights.words.threshold;
      const curve = curveOf(rows, threshold);
      curves.push({ set, curve });
      table.push(...curveTable(set, curve, NOTES[set] ?? ""));
    }
  }
  yield {
    type: "report",
    table,
    report: makeReport({
      name: "cache",
      command: options.command,
      n: Object.assign(
        {},
        ...judged.map(({ n }) => n),
        ...curves.map(({ set, curve }) => ({ [`${set}.share`]: curve.share, [`${set}.others`]: curve.others })),
      ),
      metrics: Object.assign({}, ...judged.map(({ metrics }) => metrics), ...curves.map(({ set, curve }) => curveMetrics(set, curve))),
      items: [...judged.flatMap(({ items }) => items), ...curves.map(({ set, curve }) => ({ id: `curve.${set}`, ...curve }))],
    }),
  };
}

/** Judges the pairs in sequence and reports progress. */
async function* judge(pairs: readonly GoldenPair[], serve: Serve, name: string): AsyncGenerator<EvaluateEvent, JudgedPairs> {
  const judging = progressOf<JudgedPairs>((onPair) => judgePairs(pairs, serve, name, (done) => onPair(done, pairs.length)));
  for (;;) {
    const step = await judging.next();
    if (step.done === true) return step.value;
    yield { type: "progress", ...step.value, what: name };
  }
}
