import { describe, expect, it } from "vitest";
import { codesIn } from "./values.ts";

describe("codesIn", () => {
  it.each([
    ["VA Form 21-526EZ", ["21-526ez"]],
    ["the 526EZ form", ["526ez"]],
    ["rating under DC 6260 or diagnostic code 7101", ["dc6260", "dc7101"]],
    ["38 CFR 4.25 and § 3.309", ["cfr4.25", "cfr3.309"]],
    ["form 10182", ["10182"]],
    ["form 21-22 or 21-22a", ["21-22", "21-22a"]],
  ])("finds the codes of %s", (text, codes) => {
    expect(codesIn(text)).toEqual(expect.arrayContaining(codes));
  });

  it.each(["in 1970 I paid $1,200", "70% for 2 years", "1-800-827-1000", "9/11", "600 extra", "aged 21-22"])("finds none in %s", (text) => {
    expect(codesIn(text)).toEqual([]);
  });
});
