import fc from "fast-check";
import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { allowedEdits, bestRepair, deletesOf, editDistance } from "./spelling.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b", "c", "d", "e"), maxLength: 9 });

describe("editDistance", () => {
  it("counts a swap of neighbouring letters as one edit", () => {
    expect(editDistance("recieve", "receive", 2)).toBe(1);
    expect(editDistance("pension", "pension", 2)).toBe(0);
    expect(editDistance("ab", "cdef", 2)).toBe(3);
  });

  it("is symmetric, never above Levenshtein's, and differs from it only by swaps", () => {
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        const ours = editDistance(a, b, 20);
        expect(ours).toBe(editDistance(b, a, 20));
        expect(ours).toBeLessThanOrEqual(distance(a, b));
        expect(distance(a, b)).toBeLessThanOrEqual(2 * ours);
      }),
    );
  });

  it("returns limit + 1 for everything beyond the limit", () => {
    fc.assert(
      fc.property(letters, letters, fc.integer({ min: 0, max: 3 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(editDistance(a, b, 20), limit + 1));
      }),
    );
  });
});

describe("deletesOf", () => {
  it("contains a common string for any two words within two edits", () => {
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        if (editDistance(a, b, 2) > 2) return;
        const others = deletesOf(b, 2);
        expect([...deletesOf(a, 2)].some((one) => others.has(one))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("bestRepair", () => {
  it.each([
    ["pensoin", "pension", { pension: 40, pensions: 3 }],
    ["benefitt", "benefits", { benefit: 5, benefits: 6 }],
    ["disabilty", "disability", { disability: 2, disabled: 900 }],
    ["vla", null, { via: 9 }],
    ["mongolia", null, { montana: 9 }],
  ])("corrects %s to %s, by distance and frequency: %j", (written, repaired, frequencies) => {
    expect(bestRepair(written, new Map(Object.entries(frequencies)))).toBe(repaired);
  });

  it("allows more edits in longer words", () => {
    expect(allowedEdits(3)).toBe(0);
    expect(allowedEdits(6)).toBe(1);
    expect(allowedEdits(7)).toBe(2);
  });
});
