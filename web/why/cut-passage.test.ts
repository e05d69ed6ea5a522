import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutPassage } from "./passages.tsx";

const TEXT = "0123456789abcdefghij";

describe("a passage that was read", () => {
  it("is cut where quotes and its best stretch begin and end", () => {
    const pieces = cutPassage(TEXT, { start: 2, end: 16, window: { start: 2, end: 10 } }, [
      { n: 1, start: 4, end: 6 },
      { n: 2, start: 5, end: 12 },
      { n: 3, start: 17, end: 19 },
    ]);
    expect(pieces.map(({ text, cites, fits }) => [text, cites, fits])).toEqual([
      ["23", [], true],
      ["4", [1], true],
      ["5", [1, 2], true],
      ["6789", [2], true],
      ["ab", [2], false],
      ["cdef", [], false],
    ]);
  });

  it("loses and doubles nothing, wherever quotes lie", () => {
    const range = fc.tuple(fc.nat(20), fc.nat(20)).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
    fc.assert(
      fc.property(range, range, fc.array(range), (passage, window, ranges) => {
        const quotes = ranges.map((one, i) => ({ ...one, n: i + 1 }));
        const pieces = cutPassage(TEXT, { ...passage, window }, quotes);
        expect(pieces.map(({ text }) => text).join("")).toBe(TEXT.slice(passage.start, passage.end));
      }),
    );
  });
});
