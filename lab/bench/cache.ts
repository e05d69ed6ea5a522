import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SILENT_LOG } from "../../src/answer/trace.ts";
import { embeddedIn } from "../../src/config.ts";
import { type AskRequest, createEngine, type Engine, loadProcessConfig } from "../../src/index.ts";
import {
  admit,
  createRandom,
  exactCacheKey,
  lookup,
  PACKAGE_ROOT,
  quantile,
  recall,
  retrieve,
  scopeKey,
  versionsOf,
} from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";

const SEED = 1;
const PROFILE = "sourcebound";

type Parts = Awaited<ReturnType<Engine["answerParts"]>>;
type Times = Record<string, Span[]>;

/** What does a hit cost, and a miss, when the cache is full? */
export const benchmark: Benchmark = {
  description: "exact and semantic hits and misses at 10,000 entries, re-verification included (--entries N, --rounds N)",
  async run(args, progress) {
    const options = { entries: { type: "string", default: "10000" }, rounds: { type: "string", default: "20" } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const [entries, rounds] = [Number(values.entries), Number(values.rounds)];
    const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    const engine = await createEngine(
      embeddedIn(loadProcessConfig({ data_dir: dataDir, domain: "veterans", "cache.entries": entries }), dataDir),
    );
    try {
      for await (const event of engine.ingestDomain("veterans")) if (event.type === "embed") progress("ingest");
      const asked = demoQuestions();
      for (const question of asked) await engine.answer(question, { profile: PROFILE });
      const parts = await engine.answerParts("veterans", PROFILE);
      const real = (await engine.store.cache.vectorsAfter(0)).length;
      const stored = await storedQuestions(asked, engine, parts);
      await fill(entries - real, stored, engine, parts, progress);
      const times: Times = {};
      const hits = { exact: 0, semantic: 0, misses: 0, lookups: 0 };
      for (let round = 0; round < rounds; round++) {
        progress(`round ${round + 1} of ${rounds}`);
        for (const question of stored) await measure(question, parts, round > 0 ? times : {}, hits);
      }
      const count = await engine.store.cache.count();
      const rows = Object.entries(times).map(([name, spans]) => {
        const of = (kind: keyof Span, p: number) =>
          quantile(
            spans.map((span) => span[kind]),
            p,
          );
        return {
          name,
          n: spans.length,
          median: of("wall", 0.5),
          p95: of("wall", 0.95),
          cpuMedian: of("cpu", 0.5),
          cpuP95: of("cpu", 0.95),
        };
      });
      const ms = (value: number | null) => `${(value ?? 0).toFixed(3)} ms`;
      const target: Record<string, string> = { "exact hit": "target p95 ≤ 1 ms", "semantic hit, without retrieval": "target p95 ≤ 3 ms" };
      return {
        report: {
          name: "cache",
          command: `bench cache ${args.join(" ")}`.trim(),
          versions: { ...versionsOf(), encoder: (await parts.questions.embed?.(""))?.model ?? "none" },
          seed: SEED,
          date: new Date().toISOString(),
          n: { entries: count, questions: stored.length, rounds: rounds - 1 },
          metrics: { exact_hits: hits.exact, semantic_hits: hits.semantic, misses: hits.misses },
          timings: Object.fromEntries(
            rows.flatMap(({ name, n: _, ...times }) => Object.entries(times).map(([figure, value]) => [`${name}, ${figure} ms`, value])),
          ),
          items: [],
        },
        table: [
          {
            name: "entries",
            figure: String(count),
            note: `${stored.length} questions with real answers, ${rounds - 1} rounds after one of warming up`,
          },
          ...rows.map(({ name, n, median, p95, cpuMedian, cpuP95 }) => ({
            name,
            figure: `p95 ${ms(p95)}`,
            note: `median ${ms(median)}; processor's time p95 ${ms(cpuP95)}, median ${ms(cpuMedian)}; n = ${n}${target[name] === undefined ? "" : `; ${target[name]}`}`,
          })),
        ],
      };
    } finally {
      await engine.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

/** The demo's own questions. */
function demoQuestions(): string[] {
  const lines = readFileSync(join(PACKAGE_ROOT, "domains", "veterans", "golden", "demo-answerable.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => (JSON.parse(line) as { question: string }).question);
}

function requestOf(question: string): AskRequest {
  const scope = { domain: "veterans", tenant: null, access: ["public"] };
  return { question, scope, profile: PROFILE, detail: "normal", sessionId: null, selection: null, filters: null };
}

/** Those whose answers are in the cache. */
async function storedQuestions(asked: readonly string[], engine: Engine, parts: Parts): Promise<string[]> {
  const stored: string[] = [];
  for (const text of asked) {
    const question = await admit(requestOf(text), parts, SILENT_LOG);
    if ((await engine.store.cache.get(exactCacheKey(question, parts.cache))) !== null) stored.push(text);
  }
  return stored;
}

/** Fills the cache with the same answers under other questions: words of all of them, in seeded order. */
async function fill(
  missing: number,
  stored: readonly string[],
  engine: Engine,
  parts: Parts,
  progress: (text: string) => void,
): Promise<void> {
  const random = createRandom(SEED);
  const words = [
    ...new Set(
      stored
        .join(" ")
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    ),
  ];
  const place = { domain: "veterans", tenant: null, access: ["public"], profile: PROFILE, language: parts.cache.language };
  for (let n = 0; n < missing; n++) {
    if (n % 500 === 0) progress(`${n} of ${missing} entries`);
    const template = await admit(requestOf(stored[n % stored.length] as string), parts, SILENT_LOG);
    const entry = await engine.store.cache.get(exactCacheKey(template, parts.cache));
    if (entry === null) throw new Error("the answer to be copied is gone");
    const length = 6 + Math.floor(random() * 8);
    const text = `${Array.from({ length }, () => words[Math.floor(random() * words.length)]).join(" ")} ${n}?`;
    const vector = await parts.questions.embed?.(parts.questions.matcher.textFor(text, parts.profile.match));
    if (vector === undefined) throw new Error("there is no encoder");
    const question = { ...template, text, resolved: text };
    await engine.store.cache.put({
      key: exactCacheKey(question, parts.cache),
      scope: scopeKey(question, parts.cache),
      place: { ...place, detail: "normal", encoder: parts.cache.encoder, configHash: parts.cache.configHash },
      answer: entry.answer,
      interactionId: null,
      documents: entry.documents,
      sources: [],
      retrieved: { documents: entry.documents.map(({ id }) => id), chunks: [], cited: [] },
      question: text,
      shared: { ...parts.questions.classify(text), slots: parts.questions.matcher.describe(text, []), vector },
      hours: 1,
      capacity: Number.MAX_SAFE_INTEGER,
    });
  }
}

/** One question as stored, one said politely, one that nobody asked. */
async function measure(
  text: string,
  parts: Parts,
  times: Times,
  hits: { exact: number; semantic: number; misses: number; lookups: number },
): Promise<void> {
  const note = (name: string, ...spans: Span[]) => {
    const list = times[name] ?? [];
    times[name] = list;
    const sum = (of: "wall" | "cpu") => spans.reduce((total, span) => total + span[of], 0);
    list.push({ wall: sum("wall"), cpu: sum("cpu") });
  };
  const exact = await admit(requestOf(text), parts, SILENT_LOG);
  const same = await timed(() => lookup(exact, parts, SILENT_LOG));
  if (same.result.hit?.level === "exact") {
    note("exact hit", same.span);
    hits.exact++;
  }
  const polite = await admit(requestOf(`Please tell me: ${text}`), parts, SILENT_LOG);
  const { signal } = new AbortController();
  const known = await timed(() => lookup(polite, parts, SILENT_LOG));
  const found = await timed(() => retrieve(polite, parts, SILENT_LOG, signal));
  const { result, span } = await timed(() =>
    recall({ question: polite, known: known.result, found: found.result }, parts, SILENT_LOG, signal),
  );
  const outcome = result.hit === null ? "semantic miss" : "semantic hit";
  hits[result.hit === null ? "misses" : "semantic"]++;
  note(`${outcome}, without retrieval`, known.span, span);
  note(`${outcome}, nearest questions`, known.span);
  note(`${outcome}, comparing and checking again`, span);
  note(`${outcome}, with retrieval`, known.span, found.span, span);
}

/** Milliseconds on the clock, and of this process's own work: what other programs take does not count. */
interface Span {
  readonly wall: number;
  readonly cpu: number;
}

async function timed<T>(run: () => Promise<T>): Promise<{ result: T; span: Span }> {
  const [begun, usage] = [performance.now(), process.cpuUsage()];
  const result = await run();
  const { user, system } = process.cpuUsage(usage);
  return { result, span: { wall: performance.now() - begun, cpu: (user + system) / 1000 } };
}
