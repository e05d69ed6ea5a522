import { describe, expect, it } from "vitest";
import { assertSelection } from "../answer/admit.ts";

const document = { text: "Ten letters" };
const of = (start: number, end: number) => ({ documentId: "d", start, end });

describe("assertSelection", () => {
  it("takes any part of a document, up to the whole and to its open end", () => {
    for (const [start, end] of [
      [0, 11],
      [0, 1],
      [10, 11],
      [3, 9999],
    ] as const)
      expect(() => assertSelection(of(start, end), document)).not.toThrow();
  });

  it("knows no document that the asker may not see", () => {
    expect(() => assertSelection(of(0, 1), undefined)).toThrow(expect.objectContaining({ code: "unknown_document" }));
  });

  it.each([
    [5, 5, /empty/],
    [9, 2, /empty/],
    [11, 12, /beyond the document, which has 11 characters/],
    [90_000, 90_010, /beyond/],
    [-1, 4, /whole numbers/],
    [0.5, 4, /whole numbers/],
    [0, Number.NaN, /whole numbers/],
  ])("refuses %d to %d and says why", (start, end, message) => {
    expect(() => assertSelection(of(start, end), document)).toThrow(
      expect.objectContaining({ code: "selection_invalid", message: expect.stringMatching(message) }),
    );
  });
});
