import { describe, expect, it } from "vitest";
import { sevenLayer } from "../profiles/seven-layer.ts";
import { routeModel } from "./route.ts";

describe("routeModel with the numbers of seven-layer", () => {
  const easy = { complexTerms: 0, passages: 5, meanSimilarity: 0.55 };
  it.each([
    [easy, "small"],
    [{ ...easy, complexTerms: 1 }, "large"],
    [{ ...easy, passages: 6 }, "large"],
    [{ ...easy, meanSimilarity: 0.549 }, "large"],
    [{ ...easy, meanSimilarity: null }, "small"],
    [{ ...easy, meanSimilarity: 0 }, "large"],
  ] as const)("%j → %s", (facts, size) => {
    expect(routeModel(sevenLayer.write.route, facts)).toBe(size);
  });

  it("is small without a rule", () => expect(routeModel(null, { complexTerms: 9, passages: 9, meanSimilarity: 0 })).toBe("small"));
});
