import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { embeddedIn } from "../../src/config.ts";
import { type ChatModel, type ChatPrompt, createEngine, loadProcessConfig } from "../../src/index.ts";
import { quantile, versionsOf } from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";

/** What the scripted model writes: a row of the demo documents in a sentence, and another that follows. */
const PIECES = [
  "You must ",
  "ask for a Higher-Level ",
  "Review within 1 year ",
  "from the date of ",
  "the decision letter [N]",
  ".",
  " A",
  " senior",
  " reviewer decides [N]",
  ".",
];
/** The row, as the prompt gives it. */
const ROW = /^\[(\d+)\] .*1 year from the date of the decision letter/m;
/** The piece with which the first sentence is settled: the beginning of the next one's second word. */
const SETTLED = 7;
const QUESTION = "How long do I have to ask for a Higher-Level Review?";

/** How long after a model has sent its first sentence does the reader see it checked? */
export const benchmark: Benchmark = {
  description: "first checked sentence of a stream over the model's own time (--questions N, --delay MS between pieces)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: { questions: { type: "string", default: "200" }, delay: { type: "string", default: "5" } },
    });
    const n = Number(values.questions);
    const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    const model = timedModel(Number(values.delay));
    const engine = await createEngine(
      embeddedIn(loadProcessConfig({ data_dir: dataDir, domain: "veterans", "cache.enabled": false }), dataDir),
      {
        models: { small: model, large: model },
      },
    );
    try {
      for await (const _event of engine.ingestDomain("veterans"));
      const added: number[] = [];
      const first: number[] = [];
      let missed = 0;
      for (let i = -10; i < n; i++) {
        let shownAt: number | null = null;
        for await (const event of engine.ask(QUESTION)) {
          if (event.type === "sentence") shownAt ??= performance.now();
          if (event.type === "answer" && i >= 0) first.push(event.answer.timings.first_sentence ?? Number.NaN);
        }
        if (i < 0) continue;
        if (shownAt === null || model.settledAt === 0) missed++;
        else added.push(shownAt - model.settledAt);
        if (i % 50 === 0) progress(`${i}/${n} questions`);
      }
      const timings = {
        added_ms_median: quantile(added, 0.5),
        added_ms_p95: quantile(added, 0.95),
        first_sentence_ms_median: quantile(first, 0.5),
      };
      const ms = (value: number | null) => (value === null ? "none" : `${value.toFixed(3)} ms`);
      return {
        report: {
          name: "stream",
          command: `bench stream ${args.join(" ")}`.trim(),
          versions: versionsOf(),
          seed: 0,
          date: new Date().toISOString(),
          n: { questions: n, shown: added.length, missed },
          metrics: {},
          timings,
          items: [],
        },
        table: [
          {
            name: "added to the model's own time, median",
            figure: ms(timings.added_ms_median),
            note: `n = ${added.length}, p95 ${ms(timings.added_ms_p95)}; aim ≤ 5 ms`,
          },
          {
            name: "question to first checked sentence, median",
            figure: ms(timings.first_sentence_ms_median),
            note: `${values.delay} ms between pieces`,
          },
        ],
      };
    } finally {
      await engine.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

/** A model that says when it sent what settles its first sentence. */
function timedModel(delayMs: number): ChatModel & { settledAt: number } {
  const model = {
    id: "scripted",
    settledAt: 0,
    async *stream({ user }: ChatPrompt) {
      model.settledAt = 0;
      const number = ROW.exec(user)?.[1] ?? "1";
      for (const [i, text] of PIECES.entries()) {
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        if (i === SETTLED) model.settledAt = performance.now();
        yield { type: "text" as const, text: text.replace("N", number) };
      }
      yield { type: "end" as const, inputTokens: null, outputTokens: null };
    },
  };
  return model;
}
