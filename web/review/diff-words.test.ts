import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffWords } from "./diff-words.ts";

const words = fc.array(fc.constantFrom("a", "b", "card", " ", "\n", "5", "[1]"), { maxLength: 30 }).map((parts) => parts.join(" "));

describe("a diff of words", () => {
  it("holds the one text without what was added, and the other without what was removed", () => {
    fc.assert(
      fc.property(words, words, (before, after) => {
        const changes = diffWords(before, after);
        const of = (...types: string[]) =>
          changes
            .filter(({ type }) => types.includes(type))
            .map(({ text }) => text)
            .join("");
        expect([of("same", "removed"), of("same", "added")]).toEqual([before, after]);
      }),
    );
  });

  it("keeps what both hold, and shows long texts as replaced", () => {
    expect(diffWords("A card costs 5 dollars.", "A card costs 8 dollars.")).toEqual([
      { type: "same", text: "A card costs " },
      { type: "removed", text: "5" },
      { type: "added", text: "8" },
      { type: "same", text: " dollars." },
    ]);
    const long = "x ".repeat(5_000);
    expect(diffWords(long, `${long}y`).map(({ type }) => type)).toEqual(["removed", "added"]);
    expect(diffWords("", "")).toEqual([]);
  });
});
