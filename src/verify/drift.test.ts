import { describe, expect, it } from "vitest";
import { createRandom } from "../grade/random.ts";
import { chanceOfDistance, DRIFT_LEAST, DRIFT_LEVEL, largestDistance, measureDrift } from "./watch-drift.ts";

describe("largestDistance", () => {
  it("by hand", () => {
    expect(largestDistance([1, 2, 3], [4, 5, 6])).toBe(1);
    expect(largestDistance([1, 2, 3, 4], [2.5, 3.5])).toBe(0.5);
    expect(largestDistance([1, 2], [1, 2])).toBe(0);
  });
});

describe("chanceOfDistance", () => {
  /** Every way in which the values of one sample can lie among those of the other. */
  function byCounting(distance: number, m: number, n: number): number {
    let [reached, all] = [0, 0];
    const walk = (i: number, j: number, most: number) => {
      const here = Math.max(most, Math.abs(i / m - j / n));
      if (i === m && j === n) {
        all++;
        if (here >= distance - 1e-9) reached++;
        return;
      }
      if (i < m) walk(i + 1, j, here);
      if (j < n) walk(i, j + 1, here);
    };
    walk(0, 0, 0);
    return reached / all;
  }

  it.each([
    [3, 3],
    [4, 6],
    [5, 8],
    [7, 7],
  ])("equals the count of all orders of %d and %d values", (m, n) => {
    for (let k = 1; k <= m * n; k++) expect(chanceOfDistance(k / (m * n), m, n)).toBeCloseTo(byCounting(k / (m * n), m, n), 9);
  });
});

describe("measureDrift", () => {
  /** A confidence as the gate gives them: many low, many high. */
  const confidence = (random: () => number, share: number) => (random() < share ? 1 - 0.6 * random() ** 2 : 0.5 * random() ** 2);
  const sample = (n: number, random: () => number, share: number) => Array.from({ length: n }, () => confidence(random, share));
  const rate = (share: number, level: number) => {
    const random = createRandom(11);
    const trials = 1000;
    let alarms = 0;
    for (let trial = 0; trial < trials; trial++) {
      const drift = measureDrift(sample(100, random, 0.6), sample(200, random, share));
      if ((drift?.chance ?? 1) < level) alarms++;
    }
    return alarms / trials;
  };

  it("raises an alarm at the nominal rate where nothing has changed", () => {
    expect(rate(0.6, DRIFT_LEVEL)).toBeLessThanOrEqual(0.02);
    const at20 = rate(0.6, 0.2);
    expect(at20).toBeGreaterThan(0.15);
    expect(at20).toBeLessThan(0.25);
  });

  it("raises it nearly always where half of the confident questions are gone", () => {
    expect(rate(0.3, DRIFT_LEVEL)).toBeGreaterThan(0.9);
  });

  it("says nothing of too few questions", () => {
    const few = Array.from({ length: DRIFT_LEAST - 1 }, () => 0);
    expect(measureDrift([0.9, 0.95], few)).toBeNull();
    expect(measureDrift([], [...few, 0])).toBeNull();
    expect(
      measureDrift(
        Array.from({ length: 100 }, () => 1),
        [...few, 0],
      ),
    ).toMatchObject({ distance: 1, drifted: true });
  });
});
