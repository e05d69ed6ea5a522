import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "../../src/engine/engine.ts";
import { makeReport } from "../../src/grading/report.ts";
import { type Config, embeddedIn } from "../../src/shared/config.ts";
import { progressOf } from "../../src/text/progress.ts";
import { createEndToEnd, type Serve } from "./cache-end-to-end.ts";
import { type GoldenPair, type JudgedPairs, judgePairs, ownAnswers, readGoldenPairs } from "./cache-va.ts";
import { type EvaluateEvent, ingestCorpus } from "./va.ts";

/** Data and settings of a cache evaluation. */
export interface CacheRun {
  /** Folder with `pages/`; a replayed day edits a copy. */
  readonly corpus: string;
  /** Folder with `va-pairs*.jsonl`. */
  readonly golden: string;
  /** Folder of further sets, for a replayed day. */
  readonly data?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly domain?: string | undefined;
  readonly profile?: string | undefined;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

const END_TO_END = "pairs.end_to_end";

/** `eval cache`: measures which questions share an answer through the whole engine, by cache level. */
export async function* evaluateCache(options: CacheRun): AsyncGenerator<EvaluateEvent, void> {
  const pairs = readGoldenPairs(options.golden);
  yield { type: "progress", done: 0, total: pairs.length, what: "ingesting" };
  const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-eval-"));
  const cache = { ...options.config.cache, enabled: true, rewordings: "always" as const };
  const engine = await createEngine({ ...embeddedIn(options.config, dataDir), cache });
  try {
    await ingestCorpus(engine, options);
    const whole = yield* judge(pairs, createEndToEnd(engine, options), END_TO_END);
    const own = ownAnswers(whole, END_TO_END);
    const { command } = options;
    const [n, metrics] = [
      { ...whole.n, ...own.n },
      { ...whole.metrics, ...own.metrics },
    ];
    const report = makeReport({ name: "cache", command, n, metrics, items: [...whole.items, ...own.items] });
    yield { type: "report", table: [...whole.table, ...own.table], report };
  } finally {
    await engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
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
