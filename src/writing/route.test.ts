import { describe, expect, it } from "vitest";
import { COMPLEXITY_CATEGORIES, loadDomain } from "../engine/domain.ts";
import { findComplexTerms, routeModel } from "../pipeline/compress.ts";
import { sevenLayer } from "../profiles/seven-layer.ts";

describe("routeModel with the numbers of seven-layer", () => {
  const easy = { complexTerms: [], passages: 5, meanSimilarity: 0.55 };
  it.each([
    [easy, "small", "no complex term, 5 passages"],
    [{ ...easy, complexTerms: ["financial: back pay"] }, "large", "complex (financial: back pay)"],
    [{ ...easy, passages: 6 }, "large", "6 passages > 5"],
    [{ ...easy, meanSimilarity: 0.549 }, "large", "mean similarity 0.549 < 0.55"],
    [{ ...easy, meanSimilarity: null }, "small", "no complex term, 5 passages, similarity unknown"],
    [{ ...easy, passages: 7, meanSimilarity: 0 }, "large", "7 passages > 5; mean similarity 0.000 < 0.55"],
  ] as const)("%j → %s", (facts, size, because) => {
    expect(routeModel(sevenLayer.write.route, facts)).toEqual({ size, because });
  });

  it.each(["small", "large"] as const)("is %s if the profile says so", (size) =>
    expect(routeModel(size, { complexTerms: ["a: b"], passages: 9, meanSimilarity: 0 }).size).toBe(size),
  );
});

describe("complex terms of the veterans pack", () => {
  const { complexity } = loadDomain("veterans");

  // The complex terms of the published `seven-layer` design (docs/profiles.md), verbatim.
  const TABLE_5 = {
    comparison: ["compare", "versus", "difference between"],
    legal_appeals: ["appeal", "higher level review", "board"],
    medical: ["secondary condition", "aggravation", "nexus"],
    benefits: ["TDIU", "individual unemployability", "combined rating"],
    presumptive: ["agent orange", "burn pit", "presumptive"],
    financial: ["effective date", "back pay", "retro"],
  };

  it("equal the source's table, in its six categories", () => {
    expect(complexity).toEqual(TABLE_5);
    expect(Object.keys(complexity).sort()).toEqual([...COMPLEXITY_CATEGORIES].sort());
  });

  it.each([
    ["What's the difference between 10 and 30 percent?", ["comparison: difference between"]],
    ["How do I file a Higher-Level Review?", ["legal_appeals: higher level review"]],
    ["tdiu or schedular?", ["benefits: TDIU"]],
    ["Is it retroactive, with back pay?", ["financial: back pay", "financial: retro"]],
    ["What rating does tinnitus get?", []],
  ])("%s → %j", (question, found) => expect(findComplexTerms(question, complexity)).toEqual(found));

  it("are none without a pack, and an empty term matches no question", () => {
    expect(findComplexTerms("Compare!", {})).toEqual([]);
    expect(findComplexTerms("Compare!", { comparison: ["-", ""] })).toEqual([]);
  });
});
