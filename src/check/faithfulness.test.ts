import { describe, expect, it } from "vitest";
import { checkFaithfulness } from "./faithfulness.ts";

const scorer = (scores: Readonly<Record<string, number | null>>) => ({
  id: "fake",
  score: async (pairs: readonly { claim: string; evidence: readonly string[] }[]) =>
    pairs.map(({ claim, evidence }) => {
      const score = scores[`${claim}|${evidence.join()}`] ?? null;
      return score === null ? null : { score, spans: [], reason: "" };
    }),
});

describe("checkFaithfulness", () => {
  const scores = { "a|P": 1, "b|P": 0.6, "a|Q": 0.2, "b|Q": null };

  it("is the mean over passages of the mean over sentences", async () => {
    expect((await checkFaithfulness(["a", "b"], ["P", "Q"], scorer(scores), 0.35)).score).toBeCloseTo((0.8 + 0.2) / 2);
  });

  it("warns below the minimum and passes at it", async () => {
    expect((await checkFaithfulness(["a"], ["Q"], scorer(scores), 0.2)).verdict).toBe("pass");
    expect((await checkFaithfulness(["a"], ["Q"], scorer(scores), 0.21)).verdict).toBe("warn");
  });

  it("is null where nothing can be scored", async () => {
    expect(await checkFaithfulness(["a"], ["P"], null, 0.35)).toMatchObject({ verdict: "pass", score: null });
    expect(await checkFaithfulness(["x"], ["P"], scorer(scores), 0.35)).toMatchObject({ verdict: "pass", score: null });
    expect(await checkFaithfulness(["a"], [], scorer(scores), 0.35)).toMatchObject({ score: null });
  });
});
