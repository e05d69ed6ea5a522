import { describe, expect, it } from "vitest";
import { createRandom } from "../grade/random.ts";
import { applyIsotonic } from "../models/calibration/calibration.ts";
import { fitConfidenceMap } from "./fit-confidence-map.ts";

/** Answers that are right with a chance that depends on what the gate said. */
function answers(n: number, right: (chance: number) => number, seed = 2) {
  const random = createRandom(seed);
  return Array.from({ length: n }, (_, i) => {
    const chance = random();
    return { chance, wrong: random() >= right(chance), cluster: `page ${i % (n / 2)}` };
  });
}

describe("fitConfidenceMap", () => {
  it("learns how often a gate that is too sure is right", () => {
    const { fitted, crossFitted, why } = fitConfidenceMap(answers(1000, (chance) => chance ** 3));
    if (fitted === null) throw new Error(why);
    for (const chance of [0.3, 0.5, 0.7, 0.9]) expect(Math.abs(applyIsotonic(fitted, chance) - chance ** 3)).toBeLessThan(0.12);
    expect(crossFitted).toHaveLength(1000);
  });

  it("leaves a gate alone that is right as often as it says", () => {
    const { fitted, why } = fitConfidenceMap(answers(100, (chance) => chance));
    expect(fitted).toBeNull();
    expect(why).toMatch(/Brier score 0\.\d+ cross-fitted, 0\.\d+ without it/);
  });

  it("is never certain, and rises", () => {
    const { fitted } = fitConfidenceMap(answers(60, (chance) => (chance > 0.7 ? 1 : 0)));
    const probabilities = fitted?.probabilities ?? [];
    expect(Math.max(...probabilities)).toBeLessThan(1);
    expect(Math.max(...probabilities)).toBeGreaterThan(0.9);
    expect(Math.min(...probabilities)).toBeGreaterThan(0);
    expect([...probabilities].sort((a, b) => a - b)).toEqual(probabilities);
  });

  it("is judged on pages that it was not fitted on", () => {
    // One page of many questions that are all right at one chance: only who has seen it knows.
    const seen = Array.from({ length: 40 }, (_, i) => ({ chance: 0.3 + i * 1e-4, wrong: false, cluster: "one page" }));
    const rest = Array.from({ length: 40 }, (_, i) => ({ chance: 0.25 + i * 1e-4, wrong: true, cluster: `page ${i}` }));
    const { crossFitted } = fitConfidenceMap([...seen, ...rest]);
    expect(Math.max(...(crossFitted ?? []).slice(0, 40))).toBeLessThan(0.5);
  });

  it("is not tried with few answers, or with hardly a wrong one", () => {
    expect(fitConfidenceMap(answers(48, (chance) => chance ** 3))).toMatchObject({
      fitted: null,
      why: expect.stringContaining("needs 50 answers"),
    });
    const good = answers(200, () => 1);
    expect(fitConfidenceMap(good)).toMatchObject({
      fitted: null,
      crossFitted: null,
      why: expect.stringContaining("there are 200 right and 0 wrong"),
    });
  });
});
