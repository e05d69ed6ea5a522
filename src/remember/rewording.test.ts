import { describe, expect, it } from "vitest";
import { openSharedReader } from "../reader/shared-reader.ts";
import { sampleAnswer, sampleCitation } from "../testing/answers.ts";
import { fakeReader } from "../testing/fake-reader.ts";
import { createRewordingJudge, readRewordingWeights } from "./match.ts";

const signal = new AbortController().signal;
const QUOTE = "A lost card costs three euros.";
const passage = { title: "Library", url: null, asOf: null, headingPath: ["Cards", "Fees"], path: "fees.md", context: QUOTE };
const answer = sampleAnswer({ question: "fee", citations: [sampleCitation(1, passage, QUOTE)] });
const pair = {
  asked: "What must I pay for a new card?",
  stored: "What is the fee for a card that I lost?",
  cosine: 0.7,
  answer,
  soft: true,
};
const scorer = { features: ["cosine", "same", "answer", "soft"], linear: [1, 0.5, 0.5, -1], bias: -0.7 };
const weights = { recipe: "by hand", reader: { name: "r", hash: "h" }, scorer, from: { agreed: 0.5, soft: 0.9 } };

describe("createRewordingJudge", () => {
  it("reads the asked question beside the stored one, and the quote below its headings beside the asked one", async () => {
    const reader = fakeReader({ nameOf: (text) => (/card/.test(text) ? "card" : text) });
    const judge = createRewordingJudge(weights, (texts, stop) => reader.read(texts, stop));
    // 1 * .7 + .5 * 4 + .5 * 4 - 1 - .7 = 3: a chance of .95.
    expect(await judge(pair, signal)).toEqual({ same: true, reason: "read as the same question with a chance of 0.95 of 0.90" });
    expect(reader.calls).toEqual([
      [
        { question: pair.stored, text: pair.asked },
        { question: pair.asked, text: `Library › Cards › Fees\n${QUOTE}` },
      ],
    ]);
  });

  it("asks for more where a soft rule speaks against it", async () => {
    const reader = fakeReader({ nameOf: () => "all" });
    const judge = createRewordingJudge({ ...weights, from: { agreed: 0.5, soft: 0.96 } }, (texts, stop) => reader.read(texts, stop));
    expect((await judge(pair, signal))?.same).toBe(false);
    expect((await judge({ ...pair, soft: false }, signal))?.same).toBe(true);
  });

  it("says nothing where nothing can be read", async () => {
    expect(await createRewordingJudge(weights, null)(pair, signal)).toBeNull();
    expect(await createRewordingJudge(weights, async () => null)(pair, signal)).toBeNull();
  });

  it("reads nothing of questions longer than the reader takes in, and none without a quote", async () => {
    const reader = fakeReader({ nameOf: () => "all" });
    const judge = createRewordingJudge(weights, (texts, stop) => reader.read(texts, stop));
    const long = `What must I pay for a new card ${"or for one that I lost ".repeat(8)}and found again?`;
    for (const one of [
      { ...pair, asked: long },
      { ...pair, stored: long },
      { ...pair, answer: { ...answer, citations: [] } },
    ])
      expect(await judge(one, signal)).toBeNull();
    expect(reader.calls).toEqual([]);
  });

  it("was learned with the reader that ships, and counts nothing read against a pair", async () => {
    const { reader, scorer: shipped, from } = readRewordingWeights();
    const opened = openSharedReader();
    expect(opened.weights).toEqual(reader);
    await opened.close();
    expect(shipped.features.map((name, i) => [name, Math.sign(shipped.linear?.[i] as number)])).toEqual([
      ["cosine", 1],
      ["same", 1],
      ["answer", 1],
      ["soft", -1],
    ]);
    expect(from.soft).toBeGreaterThan(from.agreed);
  });
});
