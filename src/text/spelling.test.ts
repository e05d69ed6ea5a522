import fc from "fast-check";
import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { allowedEdits, bestRepair, deletesOf, editDistance } from "./spelling.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b", "c", "d", "e"), maxLength: 9 });

describe("editDistance", () => {
  it("counts a swap of neighbours as one edit", () => {
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

  it("says limit + 1 for everything beyond the limit", () => {
    fc.assert(
      fc.property(letters, letters, fc.integer({ min: 0, max: 3 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(editDistance(a, b, 20), limit + 1));
      }),
    );
  });
});

describe("deletesOf", () => {
  it("shares a delete with every word within two edits", () => {
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
  it("prefers the frequent word at equal distance and needs much frequency for a second edit", () => {
    expect(
      bestRepair(
        "pensoin",
        new Map([
          ["pension", 40],
          ["pensions", 3],
        ]),
      ),
    ).toBe("pension");
    expect(
      bestRepair(
        "benefitt",
        new Map([
          ["benefit", 5],
          ["benefits", 6],
        ]),
      ),
    ).toBe("benefits");
    expect(
      bestRepair(
        "disabilty",
        new Map([
          ["disability", 2],
          ["disabled", 900],
        ]),
      ),
    ).toBe("disability");
  });

  it("leaves short words and far words alone", () => {
    expect(bestRepair("vla", new Map([["via", 9]]))).toBeNull();
    expect(bestRepair("mongolia", new Map([["montana", 9]]))).toBeNull();
    expect(allowedEdits(3)).toBe(0);
    expect(allowedEdits(6)).toBe(1);
    expect(allowedEdits(7)).toBe(2);
  });
});
