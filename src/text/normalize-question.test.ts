import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeQuestion, repeatsQuestion } from "./normalize-question.ts";

describe("normalizeQuestion", () => {
  it("normalises once, and never mixes up letters or digits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
        const normal = normalizeQuestion(text);
        expect(normalizeQuestion(normal)).toBe(normal);
        expect(normal.replaceAll(/[^\p{L}\p{N}]/gu, "")).toBe(
          text
            .normalize("NFKC")
            .toLowerCase()
            .replaceAll(/[^\p{L}\p{N}]/gu, ""),
        );
      }),
    );
  });

  it("keeps a power apart from the figure that it raises", () => {
    expect(normalizeQuestion("Are 10⁶ cells too many?")).not.toBe(normalizeQuestion("Are 106 cells too many?"));
  });
});

describe("repeatsQuestion", () => {
  it.each([
    ["How do I renew my permit?", true],
    ["how do I  renew my permit ?", true],
    ["How do I renew my permit", false],
    ["How do I renew my permit? Visit counter 5.", false],
    ["How do I lose my permit?", false],
  ])("%s: %s", (text, repeats) => {
    expect(repeatsQuestion(text, "How do I renew my permit?")).toBe(repeats);
  });
});
