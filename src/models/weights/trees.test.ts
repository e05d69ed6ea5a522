import { describe, expect, it } from "vitest";
import { faultOfTrees, scoreTrees, type Trees } from "./scorer.ts";

describe("scoreTrees", () => {
  const trees: Trees = {
    roots: [0, -4],
    feature: [0, 1],
    threshold: [1.5, 0],
    left: [-1, -2],
    right: [1, -3],
    missing: [0, 1],
    leaves: [1, 20, 300, 4000],
  };

  it("sends what is missing to the side that training chose", () => {
    expect(scoreTrees(trees, [null, null])).toBe(4020);
  });

  it("is not asked to walk nodes that lead nowhere or in circles", () => {
    expect(faultOfTrees(trees, 2)).toBeNull();
    expect(faultOfTrees(trees, 1)).toMatch(/feature/);
    expect(faultOfTrees({ ...trees, right: [0, -3] }, 2)).toMatch(/child/);
    expect(faultOfTrees({ ...trees, left: [-9, -2] }, 2)).toMatch(/child/);
    expect(faultOfTrees({ ...trees, left: [-1, -2.5] }, 2)).toMatch(/child/);
    expect(faultOfTrees({ ...trees, roots: [7] }, 2)).toContain("root");
    expect(faultOfTrees({ ...trees, missing: [] }, 2)).toMatch(/length/);
  });
});
