import { describe, expect, it } from "vitest";
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

  it("survives hostile text in linear time", () => {
    const started = performance.now();
    for (const piece of ["a", "1", "1-", "§ ", "dc ", "'", "\u0301", "😀", "١"]) tokenize(piece.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe("words", () => {
  it("marks what carries digits as a code", () => {
    expect(words("Form 10182")).toEqual([
      { text: "form", code: false },
      { text: "10182", code: true },
    ]);
  });
});
