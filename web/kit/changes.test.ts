import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Change, changesOf, shortened } from "./changes.tsx";

const words = fc.array(fc.constantFrom("a", "b", "card", " ", "\n", "5", "[1]"), { maxLength: 30 }).map((parts) => parts.join(" "));
const joined = (changes: readonly Change[], ...types: string[]) =>
  changes
    .filter(({ type }) => types.includes(type))
    .map(({ text }) => text)
    .join("");

describe("changesOf", () => {
  it.each(["words", "lines"] as const)("contains both texts, without what was added or removed: %s", (unit) => {
    fc.assert(
      fc.property(words, words, (before, after) => {
        const changes = changesOf(before, after, unit);
        expect([joined(changes, "same", "removed"), joined(changes, "same", "added")]).toEqual([before, after]);
        expect(new Set(changes.map(({ at }) => at)).size).toBe(changes.length);
      }),
    );
  });

  it("names replaced words", () => {
    expect(changesOf("A card costs 5 dollars.", "A card costs 8 dollars.", "words").map(({ type, text }) => `${type} ${text}`)).toEqual([
      "same A card costs ",
      "removed 5",
      "added 8",
      "same  dollars.",
    ]);
  });
});

describe("shortened", () => {
  it("keeps every change and the lines next to it", () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const after = [...lines.slice(0, 20), "new", ...lines.slice(20)];
    const short = shortened(changesOf(`${lines.join("\n")}\n`, `${after.join("\n")}\n`, "lines"));
    expect(joined(short, "added")).toBe("new\n");
    expect(joined(short, "same")).toBe("line 18\nline 19\nline 20\nline 21\n");
    expect(short.filter(({ text }) => text === "")).toHaveLength(2);
  });
});
