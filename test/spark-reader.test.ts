import { describe, expect, it } from "vitest";
import type { ReadTexts } from "../src/cross-encoder/reader.ts";
import type { PipelineContext } from "../src/pipeline/context.ts";
import { SILENT_LOG, type StageLog } from "../src/pipeline/context.ts";
import { retrieve } from "../src/pipeline/retrieve.ts";
import { verify } from "../src/pipeline/verify.ts";
import { fakeReader, fakeReadTexts } from "../src/testing/fake-reader.ts";
import { fakeQuestion } from "../src/testing/passages.ts";
import { libraryForAll } from "./support/engine.ts";

const QUESTION = "What do overdue books cost?";
const { signal } = new AbortController();
/** Returns log odds of 2 for texts with `20 cents`, −2 for others. */
const vector = Float32Array.of(1);
const readTexts = fakeReadTexts((one) =>
  typeof one === "string" ? { vector } : { vector, answer: one.text.includes("20 cents") ? 2 : -2 },
);

describe("the guard of spark without the Hub's cross-encoder", () => {
  const library = libraryForAll();

  async function judged(read: ReadTexts | null, { profile = "spark", cross = null as number | null, stop = signal } = {}) {
    const { engine } = library;
    const own = await engine.pipelineContext(engine.config.domain, profile);
    const parts: PipelineContext = { ...own, ranking: () => ({ ...own.ranking(), read }) };
    const question = fakeQuestion(QUESTION, { scope: engine.scope({}), profile });
    const found = await retrieve(question, parts, SILENT_LOG, signal);
    const passages = found.passages.map((one) => ({ ...one, scores: { ...one.scores, cross } }));
    const facts: Record<string, unknown> = {};
    const notices: string[] = [];
    const log: StageLog = {
      fact: (name, value) => {
        facts[name] = value;
      },
      detail: () => undefined,
      notice: (code) => {
        notices.push(code);
      },
    };
    const { evidence, gate } = await verify({ ...found, question, passages }, parts, log, stop);
    return { evidence, gate, facts, notices, crosses: evidence.map(({ passage }) => passage.scores.cross as number) };
  }

  it("uses the confidence of the answer, shared by the best candidates, as cross score: .7 of the sum", async () => {
    const { evidence, notices } = await judged(readTexts);
    expect(notices).toEqual([]);
    expect(evidence.length).toBeGreaterThan(1);
    const holds = (text: string) => text.includes("20 cents");
    expect(new Set(evidence.map(({ passage }) => holds(passage.text)))).toEqual(new Set([true, false]));
    const least = Math.min(...evidence.filter(({ passage }) => holds(passage.text)).map(({ passage }) => passage.scores.cross as number));
    for (const { passage, relevance, score, reason } of evidence) {
      const cross = passage.scores.cross as number;
      expect(score).toBeCloseTo(0.3 * (relevance as number) + 0.7 * cross, 6);
      expect(reason).toContain(`row answers the question is ${cross.toFixed(2)}`);
      if (!holds(passage.text)) expect(cross).toBeLessThan(least);
    }
  });

  it("uses the first-stage score without a cross-encoder, with a notice", async () => {
    for (const read of [null, async () => null]) {
      const { evidence, notices } = await judged(read);
      expect(notices).toEqual(["reader_missing"]);
      for (const { passage } of evidence) expect(passage.scores.cross).not.toBeNull();
    }
  });

  it("runs no cross-encoder if the Hub's one has run", async () => {
    const reader = fakeReader();
    const read: ReadTexts = (texts, stop) => reader.read(texts, stop);
    const hub = await judged(read, { cross: 0.5 });
    expect(hub.gate).toMatchObject({ perPassage: 0.28, aggregate: 0.35 });
    expect(hub.crosses).toEqual(hub.crosses.map(() => 0.5));
    expect(reader.calls).toEqual([]);
    expect(hub.notices).toEqual([]);
  });

  it("rethrows a cancellation", async () => {
    const reason = new Error("nobody waits");
    await expect(judged(readTexts, { stop: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
