import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.ts";

describe("cutText", () => {
  it("splits at the ends of ranges, counted from the beginning of the text", () => {
    const ranges = [
      { n: 1, start: 12, end: 14 },
      { n: 2, start: 13, end: 99 },
      { n: 3, start: 3, end: 9 },
    ];
    const pieces = cutText("012345", 10, ranges);
    expect(pieces.map(({ start, text, over }) => [start, text, over.map(({ n }) => n)])).toEqual([
      [10, "01", []],
      [12, "2", [1]],
      [13, "3", [1, 2]],
      [14, "45", [2]],
    ]);
  });

  it("never loses or repeats a character, for any ranges", () => {
    const range = fc.record({ start: fc.integer({ min: -5, max: 40 }), end: fc.integer({ min: -5, max: 40 }) });
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.nat(9), fc.array(range, { maxLength: 4 }), (text, from, ranges) => {
        const pieces = cutText(text, from, ranges).map((piece) => piece.text);
        expect(pieces.join("")).toBe(text);
      }),
    );
  });
});
