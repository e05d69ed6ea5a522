import { describe, expect, it } from "vitest";
import { accuracyAt, chooseOnHalves, leastWithShare, type ScoredCase } from "./halves.ts";

const cases = (set: string, positives: readonly (number | null)[], negatives: readonly number[]): ScoredCase[] => [
  ...positives.map((score) => ({ set, positive: true, score })),
  ...negatives.map((score) => ({ set, positive: false, score })),
];

describe("chooseOnHalves", () => {
  it("chooses on every other set and reports on the rest, both ways", () => {
    const all = [...cases("a", [0.8, 0.9], [0.1, 0.2]), ...cases("b", [0.5, 0.6], [0.4, 0.85])];
    const { metrics, table } = chooseOnHalves(all);
    // On a: .8 splits all; on b it lets one of the negatives through and no positive: (0 + 1/2) / 2.
    expect(metrics["half.0.threshold"]).toBe(0.8);
    expect(metrics["half.0.balanced_accuracy"]).toBe(1);
    expect(metrics["half.0.balanced_accuracy.other"]).toBe(0.25);
    expect(metrics["half.1.threshold"]).toBe(0.5);
    expect(metrics["half.1.balanced_accuracy"]).toBe(0.75);
    expect(metrics["half.1.balanced_accuracy.other"]).toBe(1);
    expect(table.map(({ name }) => name)).toEqual(["chosen on a", "chosen on b"]);
  });

  it("leaves out what has no score", () => {
    expect(accuracyAt(cases("a", [0.9, null], [0.1]), 0.5)).toBe(1);
  });
});

describe("leastWithShare", () => {
  it("is the least score from which so many are positive, also where fewer are further up", () => {
    // From .9: 1 of 1; from .8: 1 of 2; from .7: 2 of 3; from .6: 3 of 4; from .1: 3 of 5.
    const all = cases("a", [0.9, 0.7, 0.6, null], [0.8, 0.1]);
    expect(leastWithShare(all, 0.75)).toBe(0.6);
    expect(leastWithShare(all, 0.9)).toBe(0.9);
    expect(leastWithShare(all, 0.5)).toBe(0.1);
  });
  it("counts equal scores together, and lies above all where no score has the share", () => {
    expect(leastWithShare(cases("a", [0.5], [0.5]), 0.6)).toBeGreaterThan(0.5);
  });
});
