import { describe, expect, it } from "vitest";
import { book } from "../profiles/book.ts";
import type { CheckSettings } from "../profiles/profile.ts";
import { sevenLayer } from "../profiles/seven-layer.ts";
import { sourcebound } from "../profiles/sourcebound.ts";
import { validator } from "../profiles/validator.ts";
import type { Claim } from "../types.ts";
import { checkAnswer, checkSentence, verificationScore } from "./check.ts";
import type { CitedQuote } from "./finding.ts";

const quote: CitedQuote = {
  text: "Tinnitus is rated at 10 percent. Call 1-800-827-1000.",
  url: "https://www.va.gov/tinnitus/",
  exact: true,
};
const check = (text: string, cited: readonly CitedQuote[], settings: CheckSettings = sourcebound.check, missing: readonly number[] = []) =>
  checkSentence(text, cited, { settings, hosts: ["va.gov"], homePage: "https://www.va.gov/" }, missing);
const verdicts = (checked: ReturnType<typeof check>) => Object.fromEntries(checked.results.map(({ name, verdict }) => [name, verdict]));

describe("checkSentence", () => {
  it("takes an exact quote as supported, and nothing else of it", () => {
    expect(check(quote.text, [quote])).toMatchObject({ kept: true, status: "supported", text: quote.text });
    expect(check(quote.text, [{ ...quote, exact: false }])).toMatchObject({ kept: false, status: "unsupported" });
  });

  it("says of other wording that it was not scored", () => {
    expect(check("For tinnitus you get 10 %.", [quote])).toMatchObject({ kept: true, status: "unchecked" });
  });

  it.each([
    ["a number", "Tinnitus is rated at 70 percent."],
    ["a decimal that ends like the right number", "Tinnitus is rated at 3.10 percent."],
    ["a code", "Tinnitus is diagnostic code 6260."],
    ["a form", "File VA Form 21-526EZ."],
    ["a phone number", "Call 1-800-827-9999."],
    ["an amount", "Tinnitus pays $10."],
  ])("finds %s that no cited quote has", (_what, text) => {
    expect(check(text, [quote])).toMatchObject({ kept: false, status: "unsupported" });
    const warned = check(text, [quote], sevenLayer.check);
    expect(warned).toMatchObject({ kept: true, status: "unsupported" });
    expect(verdicts(warned).values).toBe("warn");
  });

  it("does not take a quote that is no longer in its document as a source", () => {
    expect(verdicts(check("Tinnitus is rated at 10 percent today.", [{ ...quote, exact: false }])).citations).toBe("fail");
  });

  it("removes, or lets pass, what cites nothing, as the profile says", () => {
    expect(check("Tinnitus is common.", []).kept).toBe(false);
    expect(check("Tinnitus is common.", [], book.check).kept).toBe(false);
    expect(check("Tinnitus is common.", [], sevenLayer.check)).toMatchObject({ kept: true, status: "unsupported", reason: "no citation" });
    expect(check("Tinnitus is common.", [], { ...sourcebound.check, uncited: "warn" }).kept).toBe(true);
  });

  it("looks at the values of a sentence without citation too", () => {
    expect(verdicts(check("It pays 70 percent.", [], sevenLayer.check)).values).toBe("warn");
    expect(verdicts(check("It pays 70 percent.", [], validator.check)).values).toBe("warn");
  });

  it("names citations that lead nowhere", () => {
    const result = (cited: readonly CitedQuote[], settings: CheckSettings) =>
      check("Tinnitus is rated at 10 percent now.", cited, settings, [9]).results.find(({ name }) => name === "citations");
    expect(result([quote], sourcebound.check)).toMatchObject({ verdict: "repaired", score: 0.5, reason: "names [9], which no source has" });
    expect(result([], sourcebound.check)).toMatchObject({ verdict: "fail", score: 0 });
    expect(result([], sevenLayer.check)).toMatchObject({ verdict: "warn", score: 0 });
  });

  it("takes out addresses, and a sentence of which nothing is left", () => {
    expect(check("See https://evil.example/a for 10 percent.", [quote])).toMatchObject({ kept: true, text: "See for 10 percent." });
    expect(check("https://evil.example/a.", [quote]).kept).toBe(false);
    expect(check("See https://va.gov/tinnitus for 10 percent.", [quote]).text).toBe("See https://va.gov/tinnitus for 10 percent.");
    expect(check("See https://evil.example/a for 10 percent.", [quote], validator.check).text).toContain("evil");
  });

  it("never keeps a sentence without a letter or digit", () => {
    for (const settings of [sourcebound.check, sevenLayer.check]) expect(check("– …", [quote], settings).kept).toBe(false);
  });
});

describe("verificationScore", () => {
  const claim = (status: Claim["status"], citations: readonly number[]): Claim => ({
    sentence: 0,
    text: "",
    status,
    citations,
    reason: "",
  });

  it("is the share of citations whose sentence was not found unsupported", () => {
    expect(verificationScore([claim("supported", [1, 2]), claim("unchecked", [1]), claim("unsupported", [3])])).toBe(0.75);
    expect(verificationScore([claim("contradicted", [1])])).toBe(0);
  });

  it("is null without citations", () => {
    expect(verificationScore([])).toBeNull();
    expect(verificationScore([claim("unsupported", [])])).toBeNull();
  });

  it("flags an answer below .7", () => {
    const sentences = [{ text: "a", citations: [1] }];
    const score = (claims: readonly Claim[]) =>
      checkAnswer(sentences, claims, sevenLayer.check).find(({ name }) => name === "verification-score");
    const seven = Array.from({ length: 7 }, () => claim("unchecked", [1]));
    const bad = (n: number) => Array.from({ length: n }, () => claim("unsupported", [1]));
    expect(score([...seven, ...bad(3)])).toMatchObject({ verdict: "pass", score: 0.7 });
    expect(score([...seven, ...bad(4)])).toMatchObject({ verdict: "warn" });
    expect(checkAnswer(sentences, [], validator.check)).toEqual([]);
  });

  it("fails an answer of which no sentence stood", () => {
    expect(checkAnswer([], [], validator.check)).toMatchObject([{ name: "complete", verdict: "fail" }]);
  });
});
