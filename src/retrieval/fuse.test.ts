import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuseMinMax, fuseReciprocalRank, normalizeMinMax } from "./top-k.ts";

const ranking = (scores: Readonly<Record<string, number>>) => Object.entries(scores).map(([id, score]) => ({ id, score }));

describe("normalizeMinMax", () => {
  it("subtracts the minimum and divides by the range", () => {
    expect([...normalizeMinMax(ranking({ a: 6, b: 4, c: 2 })).values()]).toEqual([1, 0.5, 0]);
  });

  it("returns 1 for all members of a constant ranking, also of zeros", () => {
    expect([...normalizeMinMax(ranking({ a: 0, b: 0 })).values()]).toEqual([1, 1]);
  });
});

describe("fuseMinMax", () => {
  const dense = ranking({ a: 0.9, b: 0.5 });
  const bm25 = ranking({ b: 12, c: 2 });

  it("weighs .6 dense and .4 words", () => {
    expect(fuseMinMax(dense, bm25).map(({ id, fused }) => [id, fused])).toEqual([
      ["a", 0.6],
      ["b", 0.4],
      ["c", 0],
    ]);
  });

  it("keeps raw scores, null if a ranking lacks the id", () => {
    expect(fuseMinMax(dense, bm25).find(({ id }) => id === "c")).toEqual({ id: "c", fused: 0, dense: null, bm25: 2 });
  });

  it("uses one ranking alone when the other is empty", () => {
    expect(fuseMinMax(dense, []).map(({ fused }) => fused)).toEqual([1, 0]);
    expect(fuseMinMax([], bm25).map(({ fused }) => fused)).toEqual([1, 0]);
    expect(fuseMinMax([], [])).toEqual([]);
  });

  it("treats a weight of 0 as 0", () => {
    expect(fuseMinMax(dense, bm25, { alpha: 0, beta: 1 })[0]?.id).toBe("b");
  });

  it("does not change when all scores of a ranking are shifted and scaled", () => {
    const any = fc.uniqueArray(fc.record({ id: fc.nat(20), score: fc.integer({ min: 0, max: 100 }) }), {
      selector: ({ id }) => id,
      maxLength: 10,
    });
    fc.assert(
      fc.property(any, any, (one, two) => {
        const moved = one.map(({ id, score }) => ({ id, score: score * 4 + 8 }));
        const scores = (from: typeof one) => fuseMinMax(from, two).map(({ id, fused }) => [id, fused.toFixed(9)]);
        expect(scores(moved)).toEqual(scores(one));
      }),
    );
  });
});

describe("fuseReciprocalRank", () => {
  it("adds 1 / (60 + rank) over the rankings", () => {
    expect(fuseReciprocalRank(ranking({ a: 9, b: 8 }), ranking({ b: 100, c: 1 }))).toEqual([
      { id: "b", fused: 1 / 62 + 1 / 61, dense: 8, bm25: 100 },
      { id: "a", fused: 1 / 61, dense: 9, bm25: null },
      { id: "c", fused: 1 / 62, dense: null, bm25: 1 },
    ]);
  });
});
