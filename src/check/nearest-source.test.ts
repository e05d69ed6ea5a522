import { describe, expect, it } from "vitest";
import { findNearestSource } from "./check.ts";

const scorer = (scores: Readonly<Record<string, number | null>>) => ({
  id: "fake",
  similarity: async (_: string, text: string) => scores[text] ?? null,
});
const sources = ["a", "b", "c"].map((text) => [{ text, url: null, exact: true }]);

describe("findNearestSource", () => {
  it("is the nearest of those at or above the minimum, the first of equals", async () => {
    expect(await findNearestSource("x", sources, scorer({ a: 0.61, b: 0.7, c: 0.7 }), 0.6)).toBe(1);
    expect(await findNearestSource("x", sources, scorer({ a: 0.6, b: 0.59, c: 0 }), 0.6)).toBe(0);
  });

  it("is none when none is near enough or nothing could be compared", async () => {
    expect(await findNearestSource("x", sources, scorer({ a: 0.59, b: 0.5 }), 0.6)).toBeNull();
    expect(await findNearestSource("x", sources, scorer({}), 0)).toBeNull();
    expect(await findNearestSource("x", [], scorer({ a: 1 }), 0.6)).toBeNull();
  });
});
