import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markQuote } from "./source-list.tsx";

describe("markQuote", () => {
  it("cuts the passage at the place that the citation names, not at the first likeness", () => {
    expect(markQuote({ context: "a b a b", quote: "a b", quote_start: 4 })).toEqual({ before: "a b ", quote: "a b", after: "" });
  });

  it.each([
    ["another place", { context: "abc", quote: "bc", quote_start: 0 }],
    ["a place below zero", { context: "abc", quote: "c", quote_start: -1 }],
    ["a place beyond the end", { context: "abc", quote: "c", quote_start: 9 }],
    ["an empty quote", { context: "abc", quote: "", quote_start: 1 }],
  ])("marks nothing at %s", (_name, citation) => expect(markQuote(citation)).toBeNull());

  it("gives back the whole passage in three pieces", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary", minLength: 1 }),
        fc.string({ unit: "binary" }),
        (before, quote, after) => {
          expect(markQuote({ context: before + quote + after, quote, quote_start: before.length })).toEqual({ before, quote, after });
        },
      ),
    );
  });
});
