import { describe, expect, it } from "vitest";
import { VALIDATOR_GUARDS } from "../profiles/guards.ts";
import { checkFaithfulness, leastFaithfulness } from "./faithfulness.ts";

interface Scores {
  readonly [pair: string]: number | readonly [support: number, wording: number] | null;
}

const scorer = (scores: Scores, id = "embedded") => ({
  id,
  score: async (pairs: readonly { claim: string; evidence: readonly string[] }[]) =>
    pairs.map(({ claim, evidence }) => {
      const found = scores[`${claim}|${evidence.join()}`] ?? null;
      if (found === null) return null;
      const [score, wording] = typeof found === "number" ? [found] : found;
      const rest = { spans: [], reason: "" };
      return { score, ...rest, ...(wording === undefined ? {} : { wording: { score: wording, ...rest } }) };
    }),
});
const HHEM = "hub/vectara/hallucination_evaluation_model/q8/abc";
const settings = { minimum: 0.65, source: { model: "hallucination_evaluation_model", minimum: 0.35 } };

describe("checkFaithfulness", () => {
  it("reads every sentence beside all passages and what stands above them, and the least sentence decides", async () => {
    const scores = { "a|P,Title,Q": 0.9, "b|P,Title,Q": 0.7 };
    const found = await checkFaithfulness(["a", "b"], [["P", "Title"], ["Q"]], scorer(scores), settings);
    expect(found).toMatchObject({ score: 0.7, verdict: "pass" });
  });

  it("fails a sentence that the passages nearly say, with a word exchanged", async () => {
    const scores = { "a|P": [0.99, 0.1] as const };
    expect(await checkFaithfulness(["a"], [["P"]], scorer(scores), settings)).toMatchObject({ score: 0.1, verdict: "warn" });
  });

  it("warns below the minimum and passes at it", async () => {
    const verdict = async (score: number) => (await checkFaithfulness(["a"], [["P"]], scorer({ "a|P": score }), settings)).verdict;
    expect([await verdict(0.65), await verdict(0.649)]).toEqual(["pass", "warn"]);
  });

  it("takes the source's .35 and a mean over passages with the source's model alone", async () => {
    const scores = { "a|P": 1, "b|P": 0.6, "a|Q": 0.2, "b|Q": null };
    const passages = [["P", "Title"], ["Q"]] as const;
    const found = await checkFaithfulness(["a", "b"], passages, scorer(scores, HHEM), settings);
    expect(found.score).toBeCloseTo((0.8 + 0.2) / 2, 12);
    expect(found.reason).toContain("at least 0.35");
    const { faithfulness } = VALIDATOR_GUARDS;
    if (faithfulness === null) throw new Error("the profile grades faithfulness");
    expect([HHEM, "embedded", "hub/Xenova/other/q8/abc"].map((id) => leastFaithfulness(faithfulness, id))).toEqual([0.35, 0.65, 0.65]);
  });

  it("is null where nothing can be scored", async () => {
    expect(await checkFaithfulness(["a"], [["P"]], null, settings)).toMatchObject({ verdict: "pass", score: null });
    expect(await checkFaithfulness(["x"], [["P"]], scorer({}), settings)).toMatchObject({ verdict: "pass", score: null });
    expect(await checkFaithfulness(["a"], [], scorer({}), settings)).toMatchObject({ score: null });
    expect(await checkFaithfulness(["a"], [], scorer({}, HHEM), settings)).toMatchObject({ score: null });
  });
});
