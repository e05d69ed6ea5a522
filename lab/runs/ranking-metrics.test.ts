import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { balancedAccuracy, f1, hitAt, ndcgAt, pairedBootstrap, precisionAt, recallAt, reciprocalRank } from "./ranking-metrics.ts";

const relevant = new Set(["b", "d"]);
const ranked = ["a", "b", "c", "d", "e"];

describe("ranking metrics by hand", () => {
  it("hit: 0 at 1, 1 from 2", () => {
    expect([1, 2, 5].map((k) => hitAt(ranked, relevant, k))).toEqual([0, 1, 1]);
  });
  it("recall: 0, 1/2, 1; null when nothing is relevant", () => {
    expect([1, 3, 4].map((k) => recallAt(ranked, relevant, k))).toEqual([0, 0.5, 1]);
    expect(recallAt(ranked, new Set(), 3)).toBeNull();
    expect(recallAt(["b", "b"], relevant, 2)).toBe(0.5);
  });
  it("precision divides by k, also when fewer were ranked", () => {
    expect(precisionAt(ranked, relevant, 4)).toBe(0.5);
    expect(precisionAt(["b"], relevant, 5)).toBe(0.2);
  });
  it("reciprocal rank: 1/2; 0 when nothing relevant was ranked", () => {
    expect(reciprocalRank(ranked, relevant)).toBe(0.5);
    expect(reciprocalRank(["x"], relevant)).toBe(0);
  });
  it("nDCG: (1/log2 3 + 1/log2 5) / (1 + 1/log2 3)", () => {
    expect(ndcgAt(ranked, relevant, 5)).toBeCloseTo((0.6309297536 + 0.4306765581) / (1 + 0.6309297536), 9);
    expect(ndcgAt(["b", "d"], relevant, 10)).toBe(1);
    expect(ndcgAt(["b", "b", "b"], new Set(["b"]), 3)).toBe(1);
    expect(ndcgAt(ranked, new Set(), 5)).toBeNull();
  });
});

describe("decisions", () => {
  const yes = [true, true, false, false, false];
  it("balanced accuracy: half of the right yes, two thirds of the right no", () => {
    expect(balancedAccuracy([true, false, true, false, false], yes)).toBeCloseTo((1 / 2 + 2 / 3) / 2, 12);
    expect(balancedAccuracy([true], [true])).toBeNull();
  });
  it("f1: harmonic mean of precision 1/2 and recall 1/2; null when there is nothing to find and nothing was said", () => {
    expect(f1([true, false, true, false, false], yes)).toBeCloseTo(0.5, 12);
    expect(f1([false, false], [false, false])).toBeNull();
    expect(f1([false, false], [true, false])).toBe(0);
  });
});

const apart = (n: number) => Array.from({ length: n }, (_, i) => String(i));

describe("paired bootstrap", () => {
  it("knows a difference that every pair shares for certain", () => {
    expect(pairedBootstrap([1, 0.75, 0.5], [0.5, 0.25, 0], apart(3))).toEqual({ difference: 0.5, low: 0.5, high: 0.5 });
  });

  it("has the same interval a second time, around the difference, for any pairs", () => {
    const pairs = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(pairs, (list) => {
        const [ours, theirs] = [list.map(([one]) => one), list.map(([, other]) => other)];
        const found = pairedBootstrap(ours, theirs, apart(list.length));
        expect(pairedBootstrap(ours, theirs, apart(list.length))).toEqual(found);
        expect(found?.low).toBeLessThanOrEqual((found?.difference ?? 0) + 1e-9);
        expect(found?.high).toBeGreaterThanOrEqual((found?.difference ?? 0) - 1e-9);
      }),
      { numRuns: 30 },
    );
  });

  it("is close to the normal interval for many independent pairs", () => {
    const ours = Array.from({ length: 400 }, (_, i) => (i % 4 === 0 ? 1 : 0));
    const found = pairedBootstrap(ours, new Array(400).fill(0), apart(400));
    const half = 1.96 * Math.sqrt((0.25 * 0.75) / 400);
    expect(found?.low).toBeCloseTo(0.25 - half, 1.7);
    expect(found?.high).toBeCloseTo(0.25 + half, 1.7);
  });

  it("is wider when pairs of one source stand or fall together", () => {
    const ours = Array.from({ length: 100 }, (_, i) => (i < 50 ? 1 : 0));
    const none = new Array(100).fill(0);
    const width = (clusters: string[]) => {
      const found = pairedBootstrap(ours, none, clusters);
      return (found?.high ?? 0) - (found?.low ?? 0);
    };
    expect(width(Array.from({ length: 100 }, (_, i) => String(Math.floor(i / 10))))).toBeGreaterThan(2 * width(apart(100)));
  });

  it("has nothing to say without pairs", () => {
    expect(pairedBootstrap([], [], [])).toBeNull();
  });
});
