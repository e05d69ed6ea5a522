import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StringColumn, stringSections } from "./dense-layout.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";

describe("StringColumn", () => {
  it("gives back every string and every part of it, whatever its letters", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constantFrom("", "é", "𝒜𝒷", "\ud800x", "a".repeat(300)));
    const part = fc.tuple(fc.nat(40), fc.nat(40));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), fc.array(part, { maxLength: 8 }), (texts, parts) => {
        const column = new StringColumn(readSnapshot("corpus", writeSnapshot("corpus", {}, stringSections("texts", texts))), "texts");
        texts.forEach((one, i) => {
          expect(column.get(i)).toBe(one);
          for (const [from, length] of parts) expect(column.slice(i, from, from + length)).toBe(one.slice(from, from + length));
        });
      }),
    );
  });
});
