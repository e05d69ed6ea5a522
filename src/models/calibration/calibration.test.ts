import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carryThreshold, distributionOf, shareBelow } from "./calibration.ts";

describe("converting thresholds", () => {
  const source = distributionOf([0, 1, 2, 3, 4], 5);
  const target = distributionOf([0, 10, 20, 30, 40], 5);

  it("accepts the same share of pairs: hand-worked", () => {
    expect(carryThreshold(2, source, target)).toBe(20);
    expect(carryThreshold(2.5, source, target)).toBe(25);
    expect(carryThreshold(0.45, distributionOf([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), distributionOf([0, 0.1, 0.2, 0.3, 0.4, 0.5]))).toBeCloseTo(
      0.35,
      6,
    );
  });

  it("keeps the distance if all or no pairs are accepted", () => {
    expect(carryThreshold(4.5, source, target)).toBe(40.5);
    expect(carryThreshold(-1, source, target)).toBe(-1);
  });

  it("takes the middle of equal quantiles", () => {
    expect(shareBelow(1, [0, 1, 1, 1, 2])).toBe(0.5);
  });

  it("is monotonic and invertible", () => {
    const values = fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(values, values, fc.integer({ min: -50, max: 1050 }), fc.integer({ min: -50, max: 1050 }), (a, b, x, y) => {
        const [from, to] = [distributionOf(a, 21), distributionOf(b, 21)];
        if (x <= y) expect(carryThreshold(x, from, to)).toBeLessThanOrEqual(carryThreshold(y, from, to) + 1e-9);
        expect(carryThreshold(carryThreshold(x, from, to), to, from)).toBeCloseTo(x, 5);
      }),
      { seed: 7 },
    );
  });
});
