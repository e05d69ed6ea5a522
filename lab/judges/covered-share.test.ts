import { describe, expect, it } from "vitest";
import { coveredShare } from "./covered-share.ts";

describe("coveredShare", () => {
  it.each([
    [[{ start: 0, end: 15 }], 0.5],
    [
      [
        { start: 12, end: 14 },
        { start: 10, end: 15 },
      ],
      0.5,
    ],
    [
      [
        { start: 18, end: 40 },
        { start: 0, end: 11 },
      ],
      0.3,
    ],
    [
      [
        { start: 0, end: 10 },
        { start: 20, end: 30 },
      ],
      0,
    ],
    [[{ start: 5, end: 25 }], 1],
    [[], 0],
  ])("of 10–20 that %j hold is %d", (ranges, share) => expect(coveredShare({ start: 10, end: 20 }, ranges)).toBeCloseTo(share));

  it("is none of an empty range", () => expect(coveredShare({ start: 3, end: 3 }, [{ start: 0, end: 9 }])).toBe(0));
});
