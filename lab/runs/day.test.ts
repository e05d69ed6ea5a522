import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { createEngine, type Engine, type EngineParts } from "../../src/engine/engine.ts";
import { type Config, loadConfig } from "../../src/shared/config.ts";
import type { AnswerEvent } from "../../src/shared/events.ts";
import type { Answer } from "../../src/shared/types.ts";
import { fakeMatcher } from "../../src/testing/fake-matcher.ts";
import { firstOf } from "../../test/support/events.ts";
import { copyVeteransPages, folderOfFile, writeIn } from "../../test/support/folders.ts";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { rounds } from "../../test/support/trials.ts";
import { evaluateDay } from "./day.ts";
import type { DayOptions } from "./day-item.ts";

const DOCUMENTS = ["decision-reviews.md", "burial-benefits.md", "tdiu.md", "rating-hearing-loss-and-tinnitus.md"];
const PAIRS = [
  ["How long do I have to ask for a Higher-Level Review?", "How much time is there to request a Higher-Level Review?", true],
  ["What is the burial allowance?", "how much is the allowance for a burial", true],
  ["What ratings do I need for individual unemployability?", "What ratings do I not need for individual unemployability?", false],
  ["What rating does tinnitus get?", "What rating does hearing loss get?", false],
] as const;
const WHOLE_DAY = 160;
const QUESTIONS = rounds({ all: WHOLE_DAY, usually: 80 });

const folder = folderOfFile();
beforeAll(() => {
  copyVeteransPages(folder, DOCUMENTS);
  const rows = PAIRS.map(([a, b, same_answer], i) => ({ id: `p${i}`, a, b, same_answer, kind: "test" }));
  writeIn(folder, "va-pairs-test.jsonl", rows);
});

function start(options: Partial<DayOptions> = {}) {
  const config = loadConfig({ cwd: folder, env: {}, overrides: { answer_from: 0.2 } });
  const signal = new AbortController().signal;
  const fixed = {
    corpus: folder,
    golden: folder,
    questions: QUESTIONS,
    seed: 1,
    scriptedModel: false,
    approved: 0,
    config,
    command: "test",
    signal,
    open: (config: Config, parts: EngineParts) => createEngine(config, { ...SHARED_PARTS, ...parts }),
  };
  return evaluateDay({ ...fixed, ...options });
}
const run = async (options: Partial<DayOptions> = {}) => (await firstOf(start(options), "report")).report;
const pages = () => DOCUMENTS.map((name) => readFileSync(join(folder, "pages", name), "utf8"));

/** Wraps an engine in a cache that is never invalidated. */
function forgetNothing(engine: Engine): Engine {
  const known = new Map<string, Answer>();
  return {
    ...engine,
    async *ask(question, options): AsyncGenerator<AnswerEvent, void> {
      const before = known.get(question);
      if (before !== undefined) {
        yield { type: "answer", answer: { ...before, cacheMode: "exact", cached: { question, storedAt: "" } } };
        return;
      }
      for await (const event of engine.ask(question, options)) {
        if (event.type === "answer" && event.answer.status === "ok") known.set(question, event.answer);
        yield event;
      }
    },
  };
}

describe("evaluateDay", () => {
  it("serves from the graph what a person approved about the same topic and entity, and nothing where nobody approved", async () => {
    const golden = join(folder, "codes");
    const [a, b] = ["What is the VA rating for tinnitus, DC 6260?", "How high is the VA rating for tinnitus (DC 6260)?"];
    writeIn(golden, "va-pairs-codes.jsonl", [{ id: "c", a, b, same_answer: true, kind: "test" }]);
    const served = async (approved: number) =>
      (await run({ golden, domain: "veterans", questions: 30, approved })).metrics["paraphrase.graph"];
    expect(await served(0)).toBe(0);
    expect(await served(1)).toBeGreaterThan(0);
  });

  it("serves repeats and wordings, nothing stale and nothing wrong", async () => {
    const before = pages();
    const report = await run();
    expect(report.n).toMatchObject({ questions: QUESTIONS, edits: rounds({ all: 3, usually: 1 }) });
    expect(report.metrics).toMatchObject({ "faults.any": 0, "faults.stale": 0, "faults.must_not_share": 0, "faults.another_answer": 0 });
    expect(report.metrics["repeat.could.hit_rate"]).toBe(1);
    expect(report.metrics["repeat.exact"]).toBeGreaterThan(5);
    expect(report.metrics["paraphrase.semantic"]).toBeGreaterThan(5);
    expect(report.metrics["repeat.missed.edited"]).toBeGreaterThan(0);
    expect(report.metrics["saved.tokens"]).toBe(0);
    expect(pages()).toEqual(before);
  });

  it("finds the stale answers of a memory that is not invalidated", async () => {
    // Edits affect stored answers only late in the day.
    const questions = WHOLE_DAY;
    const report = await run({
      questions,
      open: async (config, parts) => forgetNothing(await createEngine(config, { ...SHARED_PARTS, ...parts })),
    });
    expect(report.metrics["faults.stale"]).toBeGreaterThan(0);
    expect(report.metrics["faults.another_answer"]).toBeGreaterThan(0);
    expect(report.items.some(({ stale }) => typeof stale === "string" && stale.endsWith("has another version"))).toBe(true);
  });

  it("finds the answers of a memory that takes any question for the same", async () => {
    const matcher = fakeMatcher(() => true);
    const report = await run({
      // In other domains the cross-encoder would make the final decision.
      domain: "veterans",
      open: (config, parts) => createEngine(config, { ...SHARED_PARTS, ...parts, matcher }),
      questions: rounds({ all: 60, usually: 40 }),
    });
    expect(report.metrics["faults.must_not_share"]).toBeGreaterThan(0);
    expect(report.metrics["faults.any"]).toBeGreaterThanOrEqual(report.metrics["faults.must_not_share"] as number);
    expect(report.metrics.other_sources).toBeGreaterThan(0);
  });

  it("counts the tokens and the money of the model calls that were not made", async () => {
    const report = await run({ scriptedModel: true, questions: rounds({ all: 60, usually: 30 }) });
    expect(report.n.hits).toBeGreaterThan(0);
    expect(report.metrics["saved.tokens"]).toBeGreaterThan(100 * (report.n.hits as number));
    expect(report.metrics["saved.usd"]).toBeGreaterThan(0);
    expect(report.metrics["spent.usd"]).toBeGreaterThan(0);
    expect(report.metrics["spent.large_usd"]).toBeGreaterThan(report.metrics["spent.usd"] as number);
    expect(report.metrics["routed.small"]).toBeGreaterThan(0);
    expect(report.metrics["faults.any"]).toBe(0);
  });

  it("stops when it is told to, and leaves nothing behind", async () => {
    const temporary = mkdtempSync(join(folder, "temporary-"));
    vi.stubEnv("TMPDIR", temporary);
    const [abort, seen] = [new AbortController(), new Set<string>()];
    const stopped = async () => {
      for await (const event of start({ signal: abort.signal })) {
        for (const name of readdirSync(temporary)) seen.add(name.replace(/-[^-]*$/, ""));
        if (event.type === "progress" && event.done > 2) abort.abort(new Error("enough"));
      }
    };
    try {
      await expect(stopped()).rejects.toThrow("enough");
      expect([...seen]).toContain("sourcebound-replay");
      expect(readdirSync(temporary)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
