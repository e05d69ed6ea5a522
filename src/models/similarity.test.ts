import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { loadCalibrations } from "./calibration/calibration.ts";
import { createSimilarity } from "./similarity.ts";

const encoder = (vectors: Readonly<Record<string, number[]>>) => ({
  id: "fake",
  embed: (texts: readonly string[]) => Promise.resolve(texts.map((text) => Float32Array.from(vectors[text] ?? [0, 0]))),
});

describe("createSimilarity", () => {
  it("is the cosine of unit vectors, and null for a text without content", async () => {
    const { similarity } = createSimilarity(encoder({ a: [1, 0], b: [0.6, 0.8] }), null, []);
    expect(await similarity("a", "b")).toBeCloseTo(0.6, 6);
    expect(await similarity("a", "")).toBeNull();
  });

  it("converts cosines of the embedded encoder to the scale of the threshold", async () => {
    const ours = SHARED_PARTS.embedded();
    const calibrations = loadCalibrations();
    const raw = createSimilarity(ours, null, calibrations);
    const carried = createSimilarity(ours, "all-MiniLM-L6-v2", calibrations);
    const question = "How long do I have to appeal a decision?";
    const near = "You have one year to appeal a decision.";
    const far = "Tinnitus is rated at 10 percent.";
    expect(carried.id).toContain("all-MiniLM-L6-v2");
    for (const { similarity } of [raw, carried])
      expect(await similarity(question, near)).toBeGreaterThan((await similarity(question, far)) ?? 1);
    expect(await carried.similarity(question, near)).not.toBe(await raw.similarity(question, near));
    expect(await carried.similarity(question, near)).toBeGreaterThan(0.45);
    expect(await carried.similarity(question, far)).toBeLessThan(0.45);
  });
});
