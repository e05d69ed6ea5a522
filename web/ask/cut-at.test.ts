import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAt } from "./answer-text.tsx";

describe("cutAt", () => {
  it("cuts where spans begin and end, counted from where the text begins", () => {
    expect(cutAt("costs $5 now", 10, [{ start: 16, end: 18 }])).toEqual([
      { start: 10, piece: "costs ", isInside: false },
      { start: 16, piece: "$5", isInside: true },
      { start: 18, piece: " now", isInside: false },
    ]);
  });

  it("never loses or doubles a character, whatever the spans", () => {
    const span = fc.record({ start: fc.integer({ min: -5, max: 40 }), end: fc.integer({ min: -5, max: 40 }) });
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.integer({ min: 0, max: 9 }), fc.array(span, { maxLength: 4 }), (text, from, spans) => {
        expect(
          cutAt(text, from, spans)
            .map(({ piece }) => piece)
            .join(""),
        ).toBe(text);
      }),
    );
  });
});
