import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  auroc,
  balancedAccuracy,
  clusterBootstrap,
  expectedCalibrationError,
  f1,
  hitAt,
  mean,
  ndcgAt,
  pairedBootstrap,
  precisionAt,
  quantile,
  recallAt,
  reciprocalRank,
  riskCoverageArea,
  wilson,
} from "./metrics.ts";

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

describe("statistics by hand", () => {
  it("Wilson: 8 of 10 is [.490, .943]; 0 of 10 begins at 0; of nothing null", () => {
    const interval = wilson(8, 10);
    expect(interval?.low).toBeCloseTo(0.490162, 5);
    expect(interval?.high).toBeCloseTo(0.943318, 5);
    expect(wilson(0, 10)).toEqual({ low: 0, high: expect.closeTo(0.277533, 5) });
    expect(wilson(0, 0)).toBeNull();
  });
  it("AUROC counts ties half", () => {
    expect(auroc([0.9, 0.5], [0.5, 0.1])).toBe(0.875);
    expect(auroc([1], [])).toBeNull();
  });
  it("quantiles interpolate", () => {
    expect([0, 0.25, 0.5, 1].map((q) => quantile([4, 1, 3, 2], q))).toEqual([1, 1.75, 2.5, 4]);
    expect(quantile([], 0.5)).toBeNull();
    expect(mean([])).toBeNull();
    expect(mean([1, 2, 6])).toBe(3);
  });
});

describe("properties", () => {
  const ids = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
  const ranking = fc.uniqueArray(ids, { maxLength: 7 });
  const gold = fc.uniqueArray(ids, { minLength: 1, maxLength: 7 }).map((some) => new Set(some));

  it("every ranking metric lies in 0–1, and hit and recall never fall with k", () => {
    fc.assert(
      fc.property(ranking, gold, fc.integer({ min: 1, max: 7 }), (list, relevant, k) => {
        for (const value of [
          hitAt(list, relevant, k),
          recallAt(list, relevant, k),
          precisionAt(list, relevant, k),
          ndcgAt(list, relevant, k),
        ]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
        expect(hitAt(list, relevant, k + 1)).toBeGreaterThanOrEqual(hitAt(list, relevant, k));
        expect(recallAt(list, relevant, k + 1) ?? 0).toBeGreaterThanOrEqual(recallAt(list, relevant, k) ?? 0);
        expect(hitAt(list, relevant, k) === 1).toBe(reciprocalRank(list, relevant) >= 1 / k);
      }),
    );
  });

  it("a Wilson interval holds its proportion and narrows with n", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
        const successes = Math.round(share * n);
        const one = wilson(successes, n);
        const ten = wilson(successes * 10, n * 10);
        if (one === null || ten === null) throw new Error("no interval");
        expect(one.low).toBeLessThanOrEqual(successes / n + 1e-12);
        expect(one.high).toBeGreaterThanOrEqual(successes / n - 1e-12);
        expect(ten.high - ten.low).toBeLessThan(one.high - one.low);
      }),
    );
  });
});

describe("riskCoverageArea", () => {
  const items = (...wrong: boolean[]) => wrong.map((one, i) => ({ score: -i, wrong: one }));
  it("is the mean risk over all coverages: (0 + 1/2 + 1/3) / 3", () => {
    expect(riskCoverageArea(items(false, true, false))).toBeCloseTo((0 + 1 / 2 + 1 / 3) / 3, 12);
  });
  it("does not depend on the order in which equal scores come", () => {
    const tied = (wrong: boolean[]) => riskCoverageArea(wrong.map((one) => ({ score: 1, wrong: one })));
    expect(tied([true, false])).toBe(tied([false, true]));
    expect(tied([true, false])).toBeCloseTo(0.5, 12);
  });
  it("is null of nothing, and least when everything right comes first", () => {
    expect(riskCoverageArea([])).toBeNull();
    expect(riskCoverageArea(items(false, false, true, true))).toBeLessThan(riskCoverageArea(items(true, true, false, false)) ?? 0);
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
  it("auroc is the share of pairs won, ties half, for any scores", () => {
    const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        const won = positives.flatMap((p) => negatives.map((n) => (p > n ? 1 : p === n ? 0.5 : 0)));
        expect(auroc(positives, negatives)).toBeCloseTo(mean(won) ?? -1, 12);
      }),
    );
  });
});

describe("expectedCalibrationError", () => {
  it("by hand: (|.92 + .98 − 1| + |.31 + .35 − 1|) / 4; 1 falls into the last bin", () => {
    const items = [
      { score: 0.92, right: true },
      { score: 0.98, right: false },
      { score: 0.31, right: true },
      { score: 0.35, right: false },
    ];
    expect(expectedCalibrationError(items)).toBeCloseTo((0.9 + 0.34) / 4, 12);
    expect(expectedCalibrationError([{ score: 1, right: true }])).toBe(0);
    expect(expectedCalibrationError([])).toBeNull();
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

describe("cluster bootstrap", () => {
  it("draws whole clusters: a figure that is the same in each has no interval", () => {
    const found = clusterBootstrap(["a", "a", "b", "b"], (indexes) => indexes.filter((i) => i % 2 === 0).length / indexes.length);
    expect(found).toEqual({ value: 0.5, low: 0.5, high: 0.5 });
  });

  it("spans the values of the clusters, and leaves out draws without a figure", () => {
    const found = clusterBootstrap(["a", "b"], (indexes) => (new Set(indexes).size === 1 ? null : (indexes[0] ?? 0) + (indexes[1] ?? 0)));
    expect(found).toEqual({ value: 1, low: 1, high: 1 });
    const mean = clusterBootstrap(["a", "b"], (indexes) => indexes.reduce((sum, i) => sum + i, 0) / indexes.length);
    expect(mean).toEqual({ value: 0.5, low: 0, high: 1 });
  });

  it("is null where the whole set has no figure", () => {
    expect(clusterBootstrap(["a"], () => null)).toBeNull();
  });
});
