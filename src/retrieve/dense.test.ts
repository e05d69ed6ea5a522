import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeVector } from "../models/encoder.ts";
import { DenseIndex } from "./dense.ts";

const vector = fc
  .array(fc.integer({ min: -4, max: 4 }), { minLength: 3, maxLength: 3 })
  .map((values) => normalizeVector(Float32Array.from(values)));

describe("DenseIndex", () => {
  it("equals a naive scan, with deletions, filters and any k", () => {
    fc.assert(
      fc.property(
        fc.array(vector, { maxLength: 40 }),
        vector,
        fc.nat(45),
        fc.func(fc.boolean()),
        fc.func(fc.boolean()),
        (vectors, query, k, isDeleted, isAccepted) => {
          const index = new DenseIndex();
          expect(vectors.map((one) => index.add(one))).toEqual(vectors.map((_one, slot) => slot));
          vectors.forEach((_one, slot) => {
            if (isDeleted(slot)) index.delete(slot);
          });
          const naive = vectors
            .map((one, slot) => ({ slot, score: one.reduce((sum, value, i) => sum + value * (query[i] as number), 0) }))
            .filter(({ slot }) => !isDeleted(slot) && isAccepted(slot))
            .sort((a, b) => b.score - a.score || a.slot - b.slot)
            .slice(0, k);
          expect(index.search(query, k, isAccepted)).toEqual(naive);
        },
      ),
    );
  });

  it("ranks equal scores by slot", () => {
    const index = new DenseIndex();
    for (let i = 0; i < 3; i++) index.add(Float32Array.of(1, 0));
    expect(index.search(Float32Array.of(1, 0), 3).map(({ slot }) => slot)).toEqual([0, 1, 2]);
  });

  it("takes no vector of another dimension or with a value that is not finite", () => {
    const index = new DenseIndex();
    expect(index.search(Float32Array.of(1, 0, 0), 3)).toEqual([]);
    index.add(Float32Array.of(1, 0));
    expect(() => index.add(Float32Array.of(1, 0, 0))).toThrow(RangeError);
    expect(() => index.add(Float32Array.of(1, Number.NaN))).toThrow(RangeError);
    expect(() => index.search(Float32Array.of(1), 1)).toThrow(RangeError);
    expect(index.slots).toBe(1);
    index.delete(7);
    expect(index.search(Float32Array.of(1, 0), 1)).toEqual([{ slot: 0, score: 1 }]);
  });
});
