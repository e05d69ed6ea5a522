import { describe, expect, it } from "vitest";
import type { CountedInteraction, MadeAnswer } from "../store/statistics.ts";
import { sumUp, sumUpMade } from "./statistics.ts";

const base: CountedInteraction = {
  status: "ok",
  reason: null,
  cacheMode: "miss",
  profile: "p",
  privacy: "redacted",
  reviewStatus: "unreviewed",
  confidence: 0.95,
  tokens: 100,
  costUsd: 0.01,
  savedTokens: null,
  savedUsd: null,
  topics: ["cards"],
  latencyMs: 10,
  thumbs: null,
  createdAt: "2026-11-20T10:00:00.000Z",
};

async function* rows(...overs: Partial<CountedInteraction>[]) {
  for (const over of overs) yield { ...base, ...over };
}

describe("sumUp", () => {
  it("reports missing counts instead of counting them as zero", async () => {
    const { spent, confidence, latencyMs } = await sumUp(rows({ tokens: null }, { costUsd: null }, { confidence: null, latencyMs: null }));
    expect(spent).toEqual({ tokens: 200, usd: 0.02, uncounted: 2 });
    expect([confidence.none, confidence.counts.at(-1), confidence.median]).toEqual([1, 2, 0.95]);
    expect(latencyMs).toEqual({ p50: 10, p95: 10, max: 10 });
  });

  it("counts 0 and 1 in the first and the last bin, and sorts topics and reasons by frequency", async () => {
    const refused = { status: "insufficient_context", topics: [], reason: "evidence_too_weak" };
    const sum = await sumUp(
      rows({ confidence: 0, topics: ["a", "b"] }, { confidence: 1, topics: ["b"] }, refused, { ...refused, thumbs: "down" }),
    );
    expect([sum.confidence.counts[0], sum.confidence.counts[9]]).toEqual([1, 3]);
    expect(sum.topics).toEqual([
      { topic: "b", count: 2 },
      { topic: "a", count: 1 },
    ]);
    expect([sum.refusals, sum.feedback]).toEqual([{ evidence_too_weak: 2 }, { up: 0, down: 1 }]);
  });
});

describe("statistics by day", () => {
  it("sum up each day separately, oldest first", async () => {
    const { days } = await sumUp(
      rows(
        { createdAt: "2026-11-21T00:00:00.000Z", status: "insufficient_context", latencyMs: null },
        { cacheMode: "exact", costUsd: 0, tokens: 0 },
        {},
      ),
    );
    expect(days).toEqual([
      { day: "2026-11-20", interactions: 2, refused: 0, failed: 0, hits: 1, usd: 0.01, tokens: 100, p50Ms: 10, p95Ms: 10 },
      { day: "2026-11-21", interactions: 1, refused: 1, failed: 0, hits: 0, usd: 0.01, tokens: 100, p50Ms: null, p95Ms: null },
    ]);
  });
});

describe("sumUpMade", () => {
  const call = { model: "m", inputTokens: 10, outputTokens: 5, costUsd: 0.5 };
  const answer = (retrieve: number, score: number | null) =>
    ({
      createdAt: "2026-11-20T10:00:00.000Z",
      timings: { retrieve },
      metrics: { faithfulness: { passed: score === null ? null : score >= 0.35, score, threshold: 0.35 } },
      calls: [call, { ...call, outputTokens: null }],
      checks: [{ name: "values", verdict: "pass" }],
    }) as unknown as MadeAnswer;

  it("computes percentiles by stage, grades by metric and day, and calls by model", () => {
    const made = sumUpMade([answer(1, 0.5), answer(3, 0.1), answer(2, null)]);
    expect(made.stages).toEqual([{ stage: "retrieve", n: 3, p50: 2, p95: expect.closeTo(2.9), p99: expect.closeTo(2.98) }]);
    expect(made.metrics).toEqual([
      {
        ...{ metric: "faithfulness", passed: 1, failed: 1, unknown: 1, mean: 0.3, threshold: 0.35 },
        days: [{ day: "2026-11-20", passed: 1, graded: 2 }],
      },
    ]);
    expect(made.models).toEqual([{ model: "m", calls: 6, tokens: 45, usd: 3, uncounted: 3 }]);
    expect(made.checks).toEqual([{ name: "values", pass: 3, repaired: 0, warn: 0, fail: 0 }]);
  });
});
