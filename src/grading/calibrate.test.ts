import { describe, expect, it } from "vitest";
import { binomialTail } from "../evidence/calibration.ts";
import { chooseThreshold, leastLabels } from "./calibrate.ts";
import { createRandom } from "./metrics.ts";

describe("binomialTail", () => {
  it("equals a hand-worked value: at most 1 of 3 at 1/4 is 27/64 + 27/64", () => {
    expect(binomialTail(1, 3, 0.25)).toBeCloseTo(54 / 64, 12);
    expect(binomialTail(0, 149, 0.02)).toBeCloseTo(0.98 ** 149, 12);
    expect(binomialTail(3, 3, 0.25)).toBeCloseTo(1, 12);
  });
});

describe("chooseThreshold", () => {
  const clean = (n: number, score = 0.95) => Array.from({ length: n }, () => ({ score, wrong: false }));

  it("needs 149 answers without an error for 2 % at 95 %, and says how many are missing", () => {
    expect(leastLabels(0.02)).toBe(149);
    expect(chooseThreshold(clean(148), 0.02)).toEqual({ type: "too-few", needed: 149, missing: 1, least: 149 });
    expect(chooseThreshold(clean(149), 0.02)).toMatchObject({ type: "chosen", wrong: 0, answered: 149 });
    expect(chooseThreshold([], 0.02)).toEqual({ type: "too-few", needed: 149, missing: 149, least: 149 });
  });

  it("reports the exact number of missing answers despite errors", () => {
    const random = createRandom(3);
    for (let draw = 0; draw < 50; draw++) {
      const labelled = Array.from({ length: 60 }, () => ({ score: random(), wrong: random() < 0.3 }));
      const chosen = chooseThreshold(labelled, 0.1);
      if (chosen.type === "chosen") continue;
      expect(chooseThreshold([...labelled, ...clean(chosen.missing, 1)], 0.1).type).toBe("chosen");
      for (let fewer = 1; fewer < chosen.missing; fewer += 7)
        expect(chooseThreshold([...labelled, ...clean(chosen.missing - fewer, 1)], 0.1).type).toBe("too-few");
    }
  });

  it("stops at the first threshold that fails, even if a lower one would hold", () => {
    const bad = Array.from({ length: 20 }, () => ({ score: 0.7, wrong: true }));
    const chosen = chooseThreshold([...clean(60), ...bad, ...clean(220, 0.2)], 0.1);
    expect(chosen).toMatchObject({ type: "chosen", threshold: 0.71, answered: 60, wrong: 0 });
  });

  it.each([0, 1, -0.1, Number.NaN])("refuses a risk of %d", (risk) => {
    expect(() => chooseThreshold(clean(10), risk)).toThrow(RangeError);
  });

  it.each([
    [100, 0.1],
    [300, 0.1],
    [300, 0.2],
  ])("chooses a threshold for at most δ of the sets (of %d labels) whose risk is just above %d everywhere", (labels, risk) => {
    const random = createRandom(7);
    let chosen = 0;
    for (let draw = 0; draw < 2000; draw++) {
      const drawn = Array.from({ length: labels }, () => ({ score: random(), wrong: random() < risk * 1.0001 }));
      if (chooseThreshold(drawn, risk).type === "chosen") chosen++;
    }
    expect(chosen).toBeGreaterThan(20);
    expect(chosen).toBeLessThanOrEqual(0.05 * 2000 + 20);
  });

  it("starts where a fifth is answered, so that one error among the most confident does not exclude all thresholds", () => {
    const first = [{ score: 0.999, wrong: true }];
    expect(chooseThreshold([...first, ...clean(199)], 0.05)).toMatchObject({ type: "chosen", answered: 200, wrong: 1 });
  });
});
