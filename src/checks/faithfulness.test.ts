import { describe, expect, it } from "vitest";
import type { SupportPair } from "../models/support.ts";
import { VALIDATOR_GUARDS } from "../profiles/guards.ts";
import { checkFaithfulness, type EntailmentCheck, leastFaithfulness } from "./guard-answer.ts";

type Scores = Readonly<Record<string, number | null>>;

const scorer = (scores: Scores, id = "entailment") => ({
  id,
  score: async (pairs: readonly SupportPair[]) =>
    pairs.map(({ claim, evidence }) => {
      const score = scores[`${claim}|${evidence.map(({ text, above }) => [text, ...above].join()).join(";")}`] ?? null;
      return score === null ? null : { score, spans: [], reason: "" };
    }),
});
const by = (support: ReturnType<typeof scorer> | null, entails?: EntailmentCheck) => ({ support, entails, question: "?" });
const HHEM = "hub/vectara/hallucination_evaluation_model/q8/abc";
const settings = { minimum: 0.65, source: { model: "hallucination_evaluation_model", minimum: 0.35 } };

describe("checkFaithfulness", () => {
  it("compares every sentence with all passages and their headings, and takes the lowest score", async () => {
    const scores = { "a|P,Title;Q": 0.9, "b|P,Title;Q": 0.7 };
    const found = await checkFaithfulness(["a", "b"], [["P", "Title"], ["Q"]], by(scorer(scores)), settings);
    expect(found).toMatchObject({ score: 0.7, verdict: "pass" });
  });

  it("fails a sentence with wrong values or names, whatever its score, with the reason", async () => {
    const asked: unknown[] = [];
    const entails: EntailmentCheck = async (claim, texts, question) => {
      asked.push([claim, texts.map(({ text, above }) => [text, above]), question]);
      return { supported: claim === "b" ? false : claim === "c" ? null : true, reason: "7 dollars stands nowhere" };
    };
    const scores = { "a|P,Title": 0.9, "b|P,Title": 0.99, "c|P,Title": 0.8 };
    const found = await checkFaithfulness(["a", "b", "c"], [["P", "Title"]], by(scorer(scores), entails), settings);
    expect(found).toMatchObject({ score: 0, verdict: "warn", reason: expect.stringContaining("7 dollars stands nowhere") });
    expect(asked[0]).toEqual(["a", [["P", ["Title"]]], "?"]);
    const others = await checkFaithfulness(["a", "c"], [["P", "Title"]], by(scorer(scores), entails), settings);
    expect(others).toMatchObject({ score: 0.8, verdict: "pass" });
  });

  it("uses the source's threshold of .35 and mean over passages only with the source's model", async () => {
    const scores = { "a|P": 1, "b|P": 0.6, "a|Q": 0.2, "b|Q": null };
    const passages = [["P", "Title"], ["Q"]] as const;
    const found = await checkFaithfulness(["a", "b"], passages, by(scorer(scores, HHEM)), settings);
    expect(found.score).toBeCloseTo((0.8 + 0.2) / 2, 12);
    expect(found.reason).toContain("at least 0.35");
    const { faithfulness } = VALIDATOR_GUARDS;
    if (faithfulness === null) throw new Error("the profile grades faithfulness");
    expect([HHEM, "entailment", "hub/Xenova/other/q8/abc"].map((id) => leastFaithfulness(faithfulness, id))).toEqual([0.35, 0.55, 0.55]);
  });

  it("is null if nothing can be scored", async () => {
    expect(await checkFaithfulness(["a"], [["P"]], by(null), settings)).toMatchObject({ verdict: "pass", score: null });
    expect(await checkFaithfulness(["x"], [["P"]], by(scorer({})), settings)).toMatchObject({ verdict: "pass", score: null });
    expect(await checkFaithfulness(["a"], [], by(scorer({})), settings)).toMatchObject({ score: null });
    expect(await checkFaithfulness(["a"], [], by(scorer({}, HHEM)), settings)).toMatchObject({ score: null });
  });
});
