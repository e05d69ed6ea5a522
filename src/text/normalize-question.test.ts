import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeQuestion } from "./normalize-question.ts";

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
});
