import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainView } from "./plain-view.ts";

describe("plainView", () => {
  it.each([
    ["full-width digits and sign", "ａ＠ｂ．ｃｏｍ １２３", "a@b.com 123"],
    ["Arabic-Indic and Devanagari digits", "١٢٣ १२", "123 12"],
    ["dashes and blanks", "123‑45–6789\u00a0x", "123-45-6789 x"],
    ["characters without width", "e\u200bvil\u00ad.com", "evil.com"],
  ])("folds %s", (_what, text, plain) => {
    expect(plainView(text).plain).toBe(plain);
  });

  it("leads every place back to the character that it came from", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const { plain, at } = plainView(text);
        expect(at(plain.length)).toBe(text.length);
        for (let i = 0; i < plain.length; i++) {
          expect(at(i)).toBeLessThanOrEqual(at(i + 1));
          if ((plain[i] as string) > "\u007f" || text[at(i)] === plain[i]) continue;
          expect(plainView(text.slice(at(i), at(i) + 2)).plain).toContain(plain[i]);
        }
      }),
    );
  });
});
