import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { auroc, clusterBootstrap, expectedCalibrationError, mean, quantile, riskCoverageArea, wilson } from "./metrics.ts";

describe("statistics equal hand-worked values", () => {
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

describe("riskCoverageArea", () => {
  const items = (...wrong: boolean[]) => wrong.map((one, i) => ({ score: -i, wrong: one }));
  it("is the mean risk over all coverages: (0 + 1/2 + 1/3) / 3", () => {
    expect(riskCoverageArea(items(false, true, false))).toBeCloseTo((0 + 1 / 2 + 1 / 3) / 3, 12);
  });
  it("does not depend on the order of equal scores", () => {
    const tied = (wrong: boolean[]) => riskCoverageArea(wrong.map((one) => ({ score: 1, wrong: one })));
    expect(tied([true, false])).toBe(tied([false, true]));
    expect(tied([true, false])).toBeCloseTo(0.5, 12);
  });
  it("is null without answers, and lowest when all right answers come first", () => {
    expect(riskCoverageArea([])).toBeNull();
    expect(riskCoverageArea(items(false, false, true, true))).toBeLessThan(riskCoverageArea(items(true, true, false, false)) ?? 0);
  });
});

describe("auroc", () => {
  it("is the share of won pairs, ties half, for any scores", () => {
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
  it("equals a hand-worked value: (|.92 + .98 − 1| + |.31 + .35 − 1|) / 4; 1 falls into the last bin", () => {
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

describe("cluster bootstrap", () => {
  it("draws whole clusters: a figure equal in all clusters has an interval of width 0", () => {
    const found = clusterBootstrap(["a", "a", "b", "b"], (indexes) => indexes.filter((i) => i % 2 === 0).length / indexes.length);
    expect(found).toEqual({ value: 0.5, low: 0.5, high: 0.5 });
  });

  it("spans the values of the clusters, and skips draws without a figure", () => {
    const found = clusterBootstrap(["a", "b"], (indexes) => (new Set(indexes).size === 1 ? null : (indexes[0] ?? 0) + (indexes[1] ?? 0)));
    expect(found).toEqual({ value: 1, low: 1, high: 1 });
    const mean = clusterBootstrap(["a", "b"], (indexes) => indexes.reduce((sum, i) => sum + i, 0) / indexes.length);
    expect(mean).toEqual({ value: 0.5, low: 0, high: 1 });
  });

  it("is null if the whole set has no figure", () => {
    expect(clusterBootstrap(["a"], () => null)).toBeNull();
  });
});
