import { describe, expect, it } from "vitest";
import type { CountedInteraction } from "../store/statistics.ts";
import { sumUp } from "./statistics.ts";

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
};

async function* rows(...overs: Partial<CountedInteraction>[]) {
  for (const over of overs) yield { ...base, ...over };
}

describe("sumUp", () => {
  it("counts hits by level, what was spent and what hits saved", async () => {
    const hit = { tokens: 0, costUsd: 0, savedTokens: 100, savedUsd: 0.01 };
    const sum = await sumUp(
      rows(
        {},
        { ...hit, cacheMode: "exact" },
        { ...hit, cacheMode: "curated", savedTokens: 0, savedUsd: 0 },
        { ...hit, cacheMode: "exact", savedTokens: null },
      ),
    );
    expect(sum).toMatchObject({ interactions: 4, levels: { exact: 2, miss: 1, curated: 1 }, hitRate: 0.75 });
    expect(sum.spent).toEqual({ tokens: 100, usd: 0.01, uncounted: 0 });
    expect(sum.saved).toEqual({ tokens: 100, usd: 0.02, uncounted: 1 });
  });

  it("says what could not be counted instead of counting it as nothing", async () => {
    const { spent, confidence, latencyMs } = await sumUp(rows({ tokens: null }, { costUsd: null }, { confidence: null, latencyMs: null }));
    expect(spent).toEqual({ tokens: 200, usd: 0.02, uncounted: 2 });
    expect([confidence.none, confidence.counts.at(-1), confidence.median]).toEqual([1, 2, 0.95]);
    expect(latencyMs).toEqual({ p50: 10, p95: 10, max: 10 });
  });

  it("puts 0 and 1 into the first and the last part, and lists topics and reasons, most first", async () => {
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

  it("of nothing is nothing, not zero", async () => {
    expect(await sumUp(rows())).toMatchObject({ interactions: 0, hitRate: null, confidence: { median: null }, latencyMs: { p50: null } });
  });
});
