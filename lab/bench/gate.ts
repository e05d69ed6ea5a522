import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SILENT_LOG } from "../../src/answer/trace.ts";
import { embeddedIn } from "../../src/config.ts";
import { createEngine, loadProcessConfig } from "../../src/index.ts";
import {
  createEmbeddedSupportScorer,
  createFactReader,
  createWordReader,
  decide,
  Lexicon,
  loadEmbeddedEncoder,
  profileNamed,
  quantile,
  RAW_SCALE,
  type Report,
  readRelevanceWeights,
  readSufficiencyWeights,
  retrievePassages,
  type TableRow,
  verify,
  versionsOf,
} from "../../src/internals.ts";
import type { ReadTexts } from "../../src/reader/reader.ts";
import { openSharedReader } from "../../src/reader/shared-reader.ts";
import { readChooserWeights } from "../../src/write/chooser-weights.ts";
import type { Benchmark } from "../commands/bench.ts";
import { admittedIn } from "../sets/refusal-sets.ts";

/** Times that every question is judged; the first round compiles and is left out. */
const ROUNDS = 6;
const TARGET_MS = 3;
const LISTS = ["cold, wall", "cold, processor", "warm, wall", "warm, processor"] as const;

/** What does the whole gate cost, without a model: verdicts, comparison of the passages, sufficiency, decision? */
export const benchmark: Benchmark = {
  description:
    "the whole gate on the passages of a question, passages read for the first time and again (--corpus DIR, --questions FILE.jsonl)",
  async run(args, progress) {
    const { values } = parseArgs({ args: [...args], options: { corpus: { type: "string" }, questions: { type: "string" } } });
    const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    const engine = await createEngine(
      embeddedIn(loadProcessConfig({ data_dir: dataDir, domain: "veterans", "cache.enabled": false }), dataDir),
    );
    try {
      const events = values.corpus === undefined ? engine.ingestDomain("veterans") : engine.ingest(values.corpus);
      for await (const event of events) if (event.type === "document") progress(`${event.counts.done}/${event.counts.total} files`);
      const texts = values.questions === undefined ? engine.domain("veterans").examples : questionsIn(values.questions);
      return await measure(engine, texts, `bench gate ${args.join(" ")}`.trim(), progress);
    } finally {
      await engine.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

async function measure(
  engine: Awaited<ReturnType<typeof createEngine>>,
  texts: readonly string[],
  command: string,
  progress: (text: string) => void,
): Promise<{ report: Report; table: TableRow[] }> {
  const profile = profileNamed("sourcebound");
  const retrieveParts = engine.retrieveParts("veterans");
  const encoder = loadEmbeddedEncoder();
  const lexicon = new Lexicon(encoder);
  const weights = readSufficiencyWeights();
  const relevance = readRelevanceWeights();
  const sufficiency = () => ({ weights, relevance, space: lexicon, encoder: encoder.id });
  const chooserWeights = readChooserWeights();
  const reader = openSharedReader();
  const chooser = () => ({
    weights: chooserWeights,
    embed: (given: readonly string[]) => encoder.embedSync(given),
    read: ((given, stop) => reader.read(given, stop)) satisfies ReadTexts,
  });
  const scope = { domain: "veterans", tenant: null, access: engine.config.access };
  const signal = new AbortController().signal;
  const readWords = createWordReader();
  const asked = [];
  for (const text of texts) {
    const question = admittedIn(text, [], scope);
    const found = await retrievePassages(question, profile.retrieve, retrieveParts, signal);
    // The reranker has read the passages before the gate sees them.
    lexicon.read(found.passages.flatMap(({ document, headingPath, text: body }) => [document.title, headingPath.join("\n"), body]));
    asked.push({ question, found });
  }
  const times: Record<(typeof LISTS)[number], number[]> = {
    "cold, wall": [],
    "cold, processor": [],
    "warm, wall": [],
    "warm, processor": [],
  };
  for (let round = 0; round < ROUNDS; round++) {
    progress(`round ${round + 1} of ${ROUNDS}`);
    for (const { question, found } of asked) {
      const compare = { reader: createFactReader(readWords), precedence: engine.domain("veterans").precedence };
      const parts = {
        ...retrieveParts,
        profile,
        compare,
        agreement: createEmbeddedSupportScorer(encoder),
        sufficiency,
        chooser,
        threshold: { type: "shipped" as const },
        models: null,
        verifier: null,
      };
      for (const state of ["cold", "warm"] as const) {
        const [cpu, wall] = [process.cpuUsage(), performance.now()];
        const ranker = found.ranker?.id ?? null;
        const given = { question, passages: found.passages, scale: RAW_SCALE, ranker };
        const { evidence, view, gate } = await verify(given, parts, SILENT_LOG, signal);
        await decide({ question, evidence, view, gate, ranker, scale: RAW_SCALE }, parts, SILENT_LOG, signal);
        const took = performance.now() - wall;
        const { user, system } = process.cpuUsage(cpu);
        if (round === 0) continue;
        times[`${state}, wall`].push(took);
        times[`${state}, processor`].push((user + system) / 1000);
      }
    }
  }
  const passages =
    quantile(
      asked.map(({ found }) => found.passages.length),
      0.5,
    ) ?? 0;
  const ms = (value: number | null) => `${(value ?? 0).toFixed(2)} ms`;
  const figures = LISTS.map((name) => ({ name, median: quantile(times[name], 0.5), p95: quantile(times[name], 0.95) }));
  return {
    report: {
      name: "gate",
      command,
      versions: versionsOf(),
      seed: 0,
      date: new Date().toISOString(),
      n: { questions: asked.length, rounds: ROUNDS - 1, passages },
      metrics: {},
      timings: Object.fromEntries(
        figures.flatMap(({ name, median, p95 }) => [
          [`${name}, median, ms`, median],
          [`${name}, p95, ms`, p95],
        ]),
      ),
      items: [],
    },
    table: figures.map(({ name, median, p95 }, i) => ({
      name,
      figure: ms(median),
      note: `p95 ${ms(p95)}${i === 0 ? `; target ≤ ${TARGET_MS} ms; ${asked.length} questions, ${passages} passages in the middle, ${ROUNDS - 1} rounds` : ""}`,
    })),
  };
}

function questionsIn(file: string): string[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const row: unknown = JSON.parse(line);
    if (typeof row === "object" && row !== null && "question" in row && typeof row.question === "string") return row.question;
    throw new TypeError(`${file}: a line has no "question": each is a JSON object with one.`);
  });
}
