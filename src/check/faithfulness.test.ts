import { describe, expect, it } from "vitest";
import { VALIDATOR_GUARDS } from "../profiles/guards.ts";
import { type BearsOut, checkFaithfulness, leastFaithfulness } from "./guard-answer.ts";

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
const by = (support: ReturnType<typeof scorer> | null, bearsOut?: BearsOut) => ({ support, bearsOut, question: "?" });
const HHEM = "hub/vectara/hallucination_evaluation_model/q8/abc";
const settings = { minimum: 0.65, source: { model: "hallucination_evaluation_model", minimum: 0.35 } };

describe("checkFaithfulness", () => {
  it("reads every sentence beside all passages and what stands above them, and the least sentence decides", async () => {
    const scores = { "a|P,Title,Q": 0.9, "b|P,Title,Q": 0.7 };
    const found = await checkFaithfulness(["a", "b"], [["P", "Title"], ["Q"]], by(scorer(scores)), settings);
    expect(found).toMatchObject({ score: 0.7, verdict: "pass" });
  });

  it("fails a sentence that the passages nearly say, with a word exchanged", async () => {
    const scores = { "a|P": [0.99, 0.1] as const };
    expect(await checkFaithfulness(["a"], [["P"]], by(scorer(scores)), settings)).toMatchObject({ score: 0.1, verdict: "warn" });
  });

  it("fails a sentence whose values or names disagree, whatever its score, and says why", async () => {
    const asked: unknown[] = [];
    const bearsOut: BearsOut = async (claim, texts, question) => {
      asked.push([claim, texts.map(({ text, above }) => [text, above]), question]);
      return { supported: claim === "b" ? false : claim === "c" ? null : true, reason: "7 dollars stands nowhere" };
    };
    const scores = { "a|P,Title": 0.9, "b|P,Title": 0.99, "c|P,Title": 0.8 };
    const found = await checkFaithfulness(["a", "b", "c"], [["P", "Title"]], by(scorer(scores), bearsOut), settings);
    expect(found).toMatchObject({ score: 0, verdict: "warn", reason: expect.stringContaining("7 dollars stands nowhere") });
    expect(asked[0]).toEqual(["a", [["P", ["Title"]]], "?"]);
    const others = await checkFaithfulness(["a", "c"], [["P", "Title"]], by(scorer(scores), bearsOut), settings);
    expect(others).toMatchObject({ score: 0.8, verdict: "pass" });
  });

  it("warns below the minimum and passes at it", async () => {
    const verdict = async (score: number) => (await checkFaithfulness(["a"], [["P"]], by(scorer({ "a|P": score })), settings)).verdict;
    expect([await verdict(0.65), await verdict(0.649)]).toEqual(["pass", "warn"]);
  });

  it("takes the source's .35 and a mean over passages with the source's model alone", async () => {
    const scores = { "a|P": 1, "b|P": 0.6, "a|Q": 0.2, "b|Q": null };
    const passages = [["P", "Title"], ["Q"]] as const;
    const found = await checkFaithfulness(["a", "b"], passages, by(scorer(scores, HHEM)), settings);
    expect(found.score).toBeCloseTo((0.8 + 0.2) / 2, 12);
    expect(found.reason).toContain("at least 0.35");
    const { faithfulness } = VALIDATOR_GUARDS;
    if (faithfulness === null) throw new Error("the profile grades faithfulness");
    expect([HHEM, "embedded", "hub/Xenova/other/q8/abc"].map((id) => leastFaithfulness(faithfulness, id))).toEqual([0.35, 0.65, 0.65]);
  });

  it("is null where nothing can be scored", async () => {
    expect(await checkFaithfulness(["a"], [["P"]], by(null), settings)).toMatchObject({ verdict: "pass", score: null });
    expect(await checkFaithfulness(["x"], [["P"]], by(scorer({})), settings)).toMatchObject({ verdict: "pass", score: null });
    expect(await checkFaithfulness(["a"], [], by(scorer({})), settings)).toMatchObject({ score: null });
    expect(await checkFaithfulness(["a"], [], by(scorer({}, HHEM)), settings)).toMatchObject({ score: null });
  });
});
