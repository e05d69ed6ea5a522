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

const WEIGHTS = { alpha: 0.6, beta: 0.4 };
describe("fuseMinMax", () => {
  const dense = ranking({ a: 0.9, b: 0.5 });
  const bm25 = ranking({ b: 12, c: 2 });

  it("weighs .6 dense and .4 words", () => {
    expect(["a", "b", "c"].map(fuseMinMax(dense, bm25, WEIGHTS))).toEqual([0.6, 0.4, 0]);
  });

  it("uses one ranking alone when the other is empty", () => {
    expect(["a", "b"].map(fuseMinMax(dense, [], WEIGHTS))).toEqual([1, 0]);
    expect(["b", "c"].map(fuseMinMax([], bm25, WEIGHTS))).toEqual([1, 0]);
  });

  it("treats a weight of 0 as 0", () => {
    expect(["a", "b", "c"].map(fuseMinMax(dense, bm25, { alpha: 0, beta: 1 }))).toEqual([0, 1, 0]);
  });

  it("does not change when all scores of a ranking are shifted and scaled", () => {
    const any = fc.uniqueArray(fc.record({ id: fc.nat(20), score: fc.integer({ min: 0, max: 100 }) }), {
      selector: ({ id }) => id,
      maxLength: 10,
    });
    fc.assert(
      fc.property(any, any, (one, two) => {
        const moved = one.map(({ id, score }) => ({ id, score: score * 4 + 8 }));
        const scores = (from: typeof one) => [...one, ...two].map(({ id }) => fuseMinMax(from, two, WEIGHTS)(id).toFixed(9));
        expect(scores(moved)).toEqual(scores(one));
      }),
    );
  });
});

describe("fuseReciprocalRank", () => {
  it("adds 1 / (60 + rank) over the rankings", () => {
    const fused = ["b", "a", "c"].map(fuseReciprocalRank(ranking({ a: 9, b: 8 }), ranking({ b: 100, c: 1 })));
    expect(fused).toEqual([1 / 62 + 1 / 61, 1 / 61, 1 / 62]);
  });
});
