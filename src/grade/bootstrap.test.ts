import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clusterBootstrap, pairedBootstrap } from "./metrics.ts";

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
