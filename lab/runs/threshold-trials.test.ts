import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/grade/metrics.ts";
import { repeatSplits, simulateChoice } from "./threshold-trials.ts";

describe("simulateChoice", () => {
  it.each([0.05, 0.1, 0.2])("keeps a risk of %d in at least 95 % of 1,000 draws from a known curve", (risk) => {
    const { kept, draws } = simulateChoice(risk);
    expect(draws).toBe(1000);
    expect(kept).toBeGreaterThanOrEqual(950);
  });

  it("chooses a threshold nearly always where the labels are many", () => {
    expect(simulateChoice(0.2).chosen).toBeGreaterThan(950);
    expect(simulateChoice(0.05, { draws: 200, labels: 4000 }).chosen).toBeGreaterThan(190);
  });

  it("is no empty promise: δ is used, the risk is not kept always", () => {
    const { kept, draws } = simulateChoice(0.2);
    expect(kept).toBeLessThan(draws);
  });
});

describe("repeatSplits", () => {
  const random = createRandom(5);
  const labelled = (n: number, chanceWrong: (score: number) => number, perCluster = 1) =>
    Array.from({ length: n }, (_, i) => {
      const score = random();
      return { score, wrong: random() < chanceWrong(score), cluster: `c${Math.floor(i / perCluster)}` };
    });

  it("finds a kept risk kept: hardly any test half is above it by more than noise", () => {
    const trials = repeatSplits(
      labelled(600, (score) => (1 - score) / 2),
      0.2,
    );
    expect(trials.chosen).toBeGreaterThan(150);
    expect(trials.aboveBeyondNoise).toBeLessThanOrEqual(0.05 * trials.chosen);
    expect(trials.meanRisk).toBeLessThan(0.2);
  });

  it("keeps the questions of one source on one side", () => {
    // Every source is wholly wrong or wholly right: halves that shared sources would know each other's.
    const one = labelled(400, () => 0, 400);
    expect(repeatSplits(one, 0.2).chosen).toBe(0);
  });

  it("answers everything where nothing is wrong", () => {
    const honest = labelled(300, () => 0).map((one) => ({ ...one, score: 0.9 }));
    const trials = repeatSplits(honest, 0.1);
    expect(trials).toMatchObject({ chosen: 200, above: 0, aboveByNoise: 0, meanRisk: 0, meanCoverage: 1 });
  });

  it("has nothing to say where no half has enough labels", () => {
    expect(
      repeatSplits(
        labelled(20, () => 0),
        0.02,
      ),
    ).toMatchObject({ chosen: 0, meanRisk: null, meanNoise: null });
  });
});
