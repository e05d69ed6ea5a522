import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../../test/support/shared-parts.ts";
import {
  applyIsotonic,
  calibrationOf,
  carryThreshold,
  distributionOf,
  fitIsotonic,
  loadCalibrations,
  relevanceOf,
  scaleFor,
  shareBelow,
} from "./calibration.ts";

const labelled = (text: string) => [...text].map((letter, i) => ({ score: i + 1, relevant: letter === "1" }));

describe("isotonic regression", () => {
  it("pools adjacent violators: hand-worked", () => {
    // 0 1 0 1 1: the 1 at 2 and the 0 at 3 violate and become 1/2.
    expect(fitIsotonic(labelled("01011"))).toEqual({ scores: [1, 2, 3, 4, 5], probabilities: [0, 0.5, 0.5, 1, 1] });
    // 1 0 0 1: the first three become 1/3.
    expect(fitIsotonic(labelled("1001"))).toEqual({ scores: [1, 3, 4], probabilities: [1 / 3, 1 / 3, 1] });
    // Falling all the way: one block.
    expect(fitIsotonic(labelled("110"))).toEqual({ scores: [1, 3], probabilities: [2 / 3, 2 / 3] });
  });

  it("takes equal scores as one, in any order", () => {
    const pairs = [
      { score: 2, relevant: true },
      { score: 1, relevant: false },
      { score: 2, relevant: false },
    ];
    expect(fitIsotonic(pairs)).toEqual({ scores: [1, 2], probabilities: [0, 0.5] });
    expect(fitIsotonic([...pairs].reverse())).toEqual(fitIsotonic(pairs));
  });

  it("draws straight lines between points and stays constant outside", () => {
    const map = { scores: [0.2, 0.4], probabilities: [0.1, 0.5] };
    expect(applyIsotonic(map, 0.3)).toBeCloseTo(0.3, 12);
    expect([applyIsotonic(map, -1), applyIsotonic(map, 0.2), applyIsotonic(map, 0.4), applyIsotonic(map, 2)]).toEqual([0.1, 0.1, 0.5, 0.5]);
  });

  it("refuses nothing and what is no number", () => {
    expect(() => fitIsotonic([])).toThrow(RangeError);
    expect(() => fitIsotonic([{ score: Number.NaN, relevant: true }])).toThrow(RangeError);
  });

  const pairsOf = fc.array(fc.record({ score: fc.integer({ min: 0, max: 20 }), relevant: fc.boolean() }), { minLength: 1, maxLength: 40 });

  it("rises, keeps the share of relevant pairs, and has no more error than any constant or step", () => {
    fc.assert(
      fc.property(
        pairsOf,
        fc.integer({ min: 0, max: 20 }),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        fc.double({ min: 0.5, max: 1, noNaN: true }),
        (pairs, cut, low, high) => {
          const map = fitIsotonic(pairs);
          const error = (of: (score: number) => number) =>
            pairs.reduce((sum, { score, relevant }) => sum + (of(score) - (relevant ? 1 : 0)) ** 2, 0);
          expect(map.probabilities).toEqual([...map.probabilities].sort((a, b) => a - b));
          const mean = pairs.reduce((sum, { score }) => sum + applyIsotonic(map, score), 0) / pairs.length;
          expect(mean).toBeCloseTo(pairs.filter(({ relevant }) => relevant).length / pairs.length, 9);
          expect(error((score) => applyIsotonic(map, score))).toBeLessThanOrEqual(error((score) => (score < cut ? low : high)) + 1e-9);
        },
      ),
      { seed: 7 },
    );
  });
});

describe("carrying thresholds over", () => {
  const source = distributionOf([0, 1, 2, 3, 4], 5);
  const target = distributionOf([0, 10, 20, 30, 40], 5);

  it("lets the same share of pairs pass: hand-worked", () => {
    expect(carryThreshold(2, source, target)).toBe(20);
    expect(carryThreshold(2.5, source, target)).toBe(25);
    expect(carryThreshold(0.45, distributionOf([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), distributionOf([0, 0.1, 0.2, 0.3, 0.4, 0.5]))).toBeCloseTo(
      0.35,
      6,
    );
  });

  it("keeps the distance where all or none pass", () => {
    expect(carryThreshold(4.5, source, target)).toBe(40.5);
    expect(carryThreshold(-1, source, target)).toBe(-1);
  });

  it("takes the middle of a run of equal quantiles", () => {
    expect(shareBelow(1, [0, 1, 1, 1, 2])).toBe(0.5);
  });

  it("rises, and comes back", () => {
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

describe("the calibrations that ship", () => {
  const calibrations = loadCalibrations();
  const encoder = SHARED_PARTS.embedded();

  it("hold the shipped encoder: new weights need a new one (lab/train/calibration)", () => {
    expect(calibrationOf(encoder, calibrations)?.model).toBe(encoder.id);
  });

  it("rise from unlikely to likely", () => {
    for (const calibration of calibrations) {
      expect(relevanceOf(-1, calibration)).toBeLessThan(0.1);
      expect(relevanceOf(1, calibration)).toBeGreaterThan(0.5);
    }
  });

  it("leave raw what was measured on the same model, and what is no cosine", () => {
    expect(scaleFor("text-embedding-3-small", { id: "api/x", model: "text-embedding-3-small" }, calibrations).type).toBe("raw");
    expect(scaleFor(null, encoder, calibrations).type).toBe("raw");
  });

  it("carry to the embedded encoder, and say what is assumed", () => {
    const measured = scaleFor("all-MiniLM-L6-v2", encoder, calibrations);
    expect(measured.type).toBe("carried");
    expect(measured.note).not.toContain("assumption");
    const assumed = scaleFor("text-embedding-3-small", encoder, calibrations);
    expect(assumed.note).toContain("assumption");
    expect(assumed.score(assumed.threshold(0.45))).toBeCloseTo(0.45, 6);
  });

  it("say so when there is nothing to carry by", () => {
    const scale = scaleFor("text-embedding-3-small", { id: "unknown" }, calibrations);
    expect(scale.type).toBe("uncarried");
    expect(scale.threshold(0.45)).toBe(0.45);
    expect(scale.note).toContain("unknown has no calibration");
  });
});
