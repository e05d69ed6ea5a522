import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { foldMarks } from "./fold-marks.ts";
import { withPartedDigits } from "./raised-digits.ts";
import { createStemmer, tokenize, words } from "./tokens.ts";

describe("tokenize", () => {
  it.each([
    ["a form number whole, and its last part", "VA Form 21-526EZ", ["va", "form", "21-526ez", "526ez"]],
    ["a diagnostic code with and without its prefix", "DC 6260", ["dc6260", "6260"]],
    ["a spelled-out prefix alike", "diagnostic code 6260", ["dc6260", "6260"]],
    ["a phone number whole", "1-800-827-1000", ["1-800-827-1000"]],
    ["a regulation in one spelling", "38 C.F.R. § 4.25", ["cfr4.25"]],
    ["the same regulation", "38 CFR 4.25", ["cfr4.25"]],
    ["a bare section", "§ 4.25", ["cfr4.25"]],
    ["percent in words and as a sign", "70 percent or 70%", ["70%", "70%"]],
    ["an amount without its separators", "$1,200.50", ["1200.50"]],
    ["Post-9/11", "Post-9/11", ["post", "9/11"]],
    ["a fraction apart from its number", "1½, 11", ["1", "1", "2", "11"]],
    ["a power whole, and its base", "10⁶, 10^6, 106", ["10^6", "10", "10^6", "10", "106"]],
    ["a figure with a raised mark apart from it", "40¹ dollars", ["40^1", "40", "dollar"]],
    ["formulas as they are typed", "H₂O, SO₄²⁻ and 101₂", ["h", "2o", "so", "4^2", "4", "101", "2"]],
    ["stems", "ratings rated", ["rate", "rate"]],
    ["no stop words", "what is the", []],
    ["curly apostrophes like straight ones", "veteran’s", ["veteran"]],
  ])("keeps %s", (_what, text, expected) => {
    expect(tokenize(text)).toEqual(expected);
  });

  it("is the same with a remembered stemmer", () => {
    const text = "Veterans rated at 70 percent may file appeals, appealing ratings";
    expect(tokenize(text, createStemmer())).toEqual(tokenize(text));
  });

  it.each(["a", "1", "1-", "§ ", "dc ", "'", "\u0301", "😀", "١"])("takes linear time on %j over and over", (piece) =>
    expectLinearTime(
      100_000,
      (n) => piece.repeat(n),
      (text) => tokenize(text),
    ),
  );
});

describe("words", () => {
  it("leaves no mark on a Latin letter, and those of other scripts where they are", () => {
    const read = (text: string) => words(text).map((word) => word.text);
    expect(read("Café Münster, Łódź, Læsø, Straße, re\u0301sume\u0301")).toEqual(["cafe", "munster", "lodz", "laeso", "strasse", "resume"]);
    expect(read("हिन्दी")).toEqual(["हिन्दी"]);
  });

  it("marks what carries digits as a code", () => {
    expect(words("Form 10182")).toEqual([
      { text: "form", code: false },
      { text: "10182", code: true },
    ]);
  });
});

describe("words", () => {
  it("gives what one pattern over the whole text gives", () => {
    const WORD = new RegExp(
      [
        String.raw`(?<prefixed>\b(?:dc|diagnostic\s{1,3}codes?)\s{0,3}#?\s{0,3}\d{4}\b|\b\d{1,2}\s{0,3}c\.?f\.?r\.?\s{0,3}(?:part\s{1,3}|§{1,2}\s{0,3})?\d{1,4}(?:\.\d{1,5})?[a-z]?\b|§{1,2}\s{0,3}\d{1,4}\.\d{1,5}[a-z]?\b)`,
        String.raw`(?<number>\d{1,40}(?:[-.,/]\d{1,40}){0,12}[a-z]{0,10}(?:%|\s{1,2}percent\b)?)`,
        String.raw`(?<word>[\p{L}\p{M}]{1,64}(?:'[\p{L}\p{M}]{1,20}){0,2})`,
      ].join("|"),
      "gu",
    );
    const expected = (text: string) => {
      const plain = foldMarks(withPartedDigits(text).normalize("NFKC"))
        .replaceAll(/[’‘ʼ]/g, "'")
        .replaceAll(/[‐‑‒–−]/g, "-");
      return [...plain.matchAll(WORD)].flatMap(({ groups = {} }) => {
        const { prefixed, number, word } = groups;
        if (prefixed !== undefined) {
          const digits = /\d{1,4}(?:\.\d{1,5})?[a-z]?$/.exec(prefixed)?.[0] ?? "";
          return [{ text: `${/^(?:dc|diag)/.test(prefixed) ? "dc" : "cfr"}${digits}`, code: true }];
        }
        if (number !== undefined) return [{ text: number, code: true }];
        const plainWord = (word ?? "").replace(/'s?$/, "").replaceAll("'", "");
        return plainWord === "" ? [] : [{ text: plainWord, code: false }];
      });
    };
    const part = fc.oneof(
      fc.constantFrom(
        "dc",
        "DC ",
        "diagnostic code ",
        "diagnostics ",
        "dcx",
        "38 CFR ",
        "§ ",
        "4.25",
        "6260",
        "70",
        "%",
        " percent",
        "21-526EZ",
        "d",
      ),
      fc.constantFrom(
        "a".repeat(70),
        "x".repeat(64),
        "o'clock",
        "veteran's",
        "veteran’s",
        "rock'n'roll",
        "'",
        "-",
        "–",
        " ",
        "\n",
        ".",
        "café",
        "ﬁ",
        "İ",
      ),
      fc.constantFrom("𝒜𝒷", "𐐷𐐷", "😀", "漢字", "e\u0301", "\ud800", "\udc00", "ß", "µ", "½"),
      fc.stringMatching(/^[a-zA-Z]{1,9}$/),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        expect(words(text)).toEqual(expected(text));
      }),
      { numRuns: 3000 },
    );
  });
});
