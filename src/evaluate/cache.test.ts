import { describe, expect, it } from "vitest";
import { curveMetrics, curveOf, curveTable, type ScoredPair } from "./cache-curve.ts";
import type { Served } from "./cache-decision.ts";
import { partOf } from "./cache-pairs.ts";
import { judgePairs } from "./cache-va.ts";

const pair = (id: string, same_answer: boolean) => ({ id, a: `${id} stored`, b: `${id} asked`, same_answer, kind: "made" });
const served = (yes: boolean, rule = "same"): Served => ({ served: yes, rule, detail: "", score: yes ? 1 : 0, cosine: 0.5 });

describe("judgePairs", () => {
  it("counts hits, false hits and the rules of misses, with `a` stored before `b` is asked", async () => {
    const asked: string[] = [];
    const result = await judgePairs([pair("1", true), pair("2", true), pair("3", false), pair("4", false)], async (stored, question) => {
      asked.push(`${stored} > ${question}`);
      return served(question.startsWith("1") || question.startsWith("3"), "values");
    });
    expect(asked[0]).toBe("1 stored > 1 asked");
    expect(result.metrics).toMatchObject({ "pairs.hit_rate": 0.5, "pairs.false_hits": 1, "pairs.missed.values": 1 });
    expect(result.n).toEqual({ "pairs.share": 2, "pairs.others": 2 });
  });

  it("knows no rate of nothing", async () => {
    expect((await judgePairs([], async () => served(true))).metrics).toMatchObject({
      "pairs.hit_rate": null,
      "pairs.false_rate_upper": null,
    });
  });
});

describe("curveOf", () => {
  const row = (share: boolean, cosine: number, score: number | null): ScoredPair => ({
    share,
    cosine,
    score,
    rule: score === null ? "values" : "same",
  });
  const rows = [row(true, 0.7, 0.9), row(true, 0.95, 0.4), row(false, 0.97, null), row(false, 0.6, 0.95)];

  it("serves nothing whose slots differ, at any threshold, and lets cosine alone serve it", () => {
    const curve = curveOf(rows, 0.5);
    expect(curve.ours.find(({ threshold }) => threshold === 0)).toEqual({ threshold: 0, hits: 2, wrong: 1 });
    expect(curve.cosine.find(({ threshold }) => threshold === 0.92)).toEqual({ threshold: 0.92, hits: 1, wrong: 1 });
    expect(curve.chosen).toEqual({ threshold: 0.5, hits: 1, wrong: 1 });
    expect(curve.equalHits).toEqual({ threshold: 0.95, hits: 1, wrong: 1 });
  });

  it("gives rates with their bound, and null of nothing", () => {
    expect(curveMetrics("set", curveOf(rows, 0.96))).toMatchObject({
      "set.hit_rate": 0,
      "set.false_rate": 0,
      "set.cosine_equal_hits.false_rate": null,
    });
    expect(curveMetrics("set", curveOf([], 0.5))).toMatchObject({ "set.hit_rate": null, "set.false_rate_upper": null });
    expect(curveTable("set", curveOf(rows, 0.5), "")[0]?.figure).toBe("1 of 2");
  });
});

describe("partOf", () => {
  it("puts a group always into the same half, and uses both", () => {
    const parts = Array.from({ length: 40 }, (_, i) => partOf("set", `group ${i}`));
    expect(parts).toEqual(Array.from({ length: 40 }, (_, i) => partOf("set", `group ${i}`)));
    expect(new Set(parts)).toEqual(new Set(["tuning", "held-out"]));
  });
});
