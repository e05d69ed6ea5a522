import { describe, expect, it } from "vitest";
import { openSharedReader } from "../cross-encoder/shared-reader.ts";
import { createSlotVocabulary } from "../language/slot-vocabulary.ts";
import { readSlots } from "../language/slots.ts";
import { sampleAnswer, sampleCitation } from "../testing/answers.ts";
import { fakeReader } from "../testing/fake-reader.ts";
import {
  type Closeness,
  createRewordingJudge,
  documentOverlap,
  EACH_SAYS_MORE,
  entityJaccard,
  judgeMatch,
  type MatchSettings,
  matchScore,
  readMatchWeights,
  readRewordingWeights,
  SPARK_MATCH,
} from "./match.ts";

const vocabulary = createSlotVocabulary({ abbreviations: { ERB: ["early retirement bonus"] }, title: "Pension fund" });
const read = (question: string) => readSlots(question, vocabulary);
const near = (asked: string, stored: string, more: Partial<Closeness> = {}): Closeness => ({
  cosine: 0.95,
  entityJaccard: entityJaccard(read(asked), read(stored)),
  documentOverlap: 1,
  citedRank: 0,
  ...more,
});
const learned: MatchSettings = { type: "learned", weights: readMatchWeights() };
const judge = (asked: string, stored: string, more: Partial<Closeness> = {}, settings: MatchSettings = learned) =>
  judgeMatch(read(asked), read(stored), near(asked, stored, more), settings);

describe("judgeMatch", () => {
  it.each([
    { type: "learned", weights: readMatchWeights(), threshold: 0 } as const,
    { ...SPARK_MATCH, cosine: 0, entityJaccard: 0, documentOverlap: 0 },
  ])("serves nothing whose slots differ, however near: $type", (settings) => {
    const more = { cosine: 1, entityJaccard: 1, documentOverlap: 1 };
    expect(judge("Who pays at 60%?", "Who pays at 70%?", more, settings)).toMatchObject({ accept: false, score: 0, rule: "values" });
    expect(judge("Which fees aren't refunded?", "Which fees are refunded?", more, settings)).toMatchObject({
      accept: false,
      rule: "polarity",
    });
  });

  it("serves nothing that is far away, and says which words it could not explain", () => {
    const verdict = judge("Is the ERB mine?", "Could somebody inherit the ERB that belonged to one of my colleagues?", {
      cosine: 0.1,
      documentOverlap: 0,
      citedRank: -1,
    });
    expect(verdict.accept).toBe(false);
    expect(verdict.rule).toBe("unknown");
    expect(verdict.detail).toContain("inherit");
  });

  it("serves nothing that rests on passages which the asked question does not find, however near", () => {
    const ask = (citedRank: number | null, settings?: MatchSettings) =>
      judge("When is the ERB paid?", "How soon is the early retirement bonus paid?", { cosine: 1, citedRank }, settings);
    expect(ask(-1)).toMatchObject({ accept: false, rule: "cited" });
    expect(ask(7).accept).toBe(true);
    expect(ask(null).accept).toBe(true);
    expect(ask(-1, SPARK_MATCH).rule).not.toBe("cited");
  });

  it("asks for a higher score where each question says more than the other, also of what both answers speak of", () => {
    const there = new Set(["tax", "heir", "inherit"].map((word) => vocabulary.stem(word)));
    const both = { cosine: 0.75, entityJaccard: 0.5, about: there, found: there };
    const one = judge("Does an heir get the ERB?", "Can the ERB be had?", both);
    const each = judge("Does an heir get the ERB?", "Is there tax on the ERB?", both);
    expect(one.score).toBeLessThan(EACH_SAYS_MORE);
    expect(one.accept).toBe(true);
    expect(each.score).toBeGreaterThan(readMatchWeights().retrieved.threshold);
    expect(each).toMatchObject({ accept: false, rule: "unknown", detail: expect.stringContaining("minimum 0.50") });
  });

  it("leaves to a reading what only soft rules or the score speak against, if the asked question finds what is cited", () => {
    const [asked, stored] = ["Does my pension end if I marry?", "Is the money gone after a wedding?"];
    expect(judge(asked, stored)).toMatchObject({ accept: false, soft: true });
    expect(judge("When is the ERB paid?", "How soon is the early retirement bonus paid?", { cosine: 0 })).toMatchObject({ soft: true });
    expect(judge("When is the ERB paid?", "How soon is the early retirement bonus paid?").soft).toBe(false);
    expect(judge(asked, stored, { citedRank: -1 }).soft).toBe(false);
    expect(judge(asked, stored, { cosine: null }).soft).toBe(false);
    expect(judge(asked, stored, {}, SPARK_MATCH).soft).toBe(false);
    expect(judge("Who pays at 60%?", "Who pays at 70%?").soft).toBe(false);
  });

  it("asks of spark's thresholds each, and unknown overlap is a miss", () => {
    const ask = (more: Partial<Closeness>) => judge("When is the ERB paid?", "How soon is the ERB paid?", more, SPARK_MATCH);
    expect(ask({}).accept).toBe(true);
    expect(ask({ cosine: 0.919 })).toMatchObject({ accept: false, rule: "cosine" });
    expect(ask({ entityJaccard: 0.59 })).toMatchObject({ accept: false, rule: "entities" });
    expect(ask({ documentOverlap: 0.59 })).toMatchObject({ accept: false, rule: "documents" });
    expect(ask({ documentOverlap: null })).toMatchObject({ accept: false, rule: "documents" });
  });
});

describe("entityJaccard", () => {
  it.each([
    ["rules of the house", "rules of the game", 1],
    ["ERB at 60%", "ERB at 60%", 1],
    ["ERB at 60%", "ERB at 70%", 1 / 3],
    ["ERB in Norway", "ERB overseas", 1],
    ["ERB in Norway", "ERB in Japan", 1 / 3],
    ["ERB for a widow", "ERB for a child", 1 / 3],
  ] as const)("%s, %s: %f", (one, other, expected) => {
    expect(entityJaccard(read(one), read(other))).toBeCloseTo(expected, 9);
  });
});

describe("documentOverlap", () => {
  it("is the share of documents that both found", () => {
    expect(documentOverlap(["a", "b"], ["b", "c"])).toBeCloseTo(1 / 3, 9);
    expect(documentOverlap(["a", "a"], ["a"])).toBe(1);
    expect(documentOverlap([], ["a"])).toBeNull();
  });
});

describe("the shipped weights", () => {
  it("have one weight per feature, none of which counts nearness against a pair", () => {
    const weights = readMatchWeights();
    for (const { features, linear: each = [], threshold } of [weights.retrieved, weights.words]) {
      expect(each).toHaveLength(features.length);
      expect(each.every((weight) => weight >= 0)).toBe(true);
      expect(threshold).toBeGreaterThan(0);
    }
  });

  it("score as a logistic function by hand", () => {
    expect(matchScore({ one: 2 }, { features: ["one", "two"], linear: [1, 5], bias: -2 })).toBe(0.5);
  });
});

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
    // 1 * .7 + .5 * 4 + .5 * 4 - 1 - .7 = 3: a probability of .95.
    expect(await judge(pair, signal)).toEqual({
      same: true,
      reason: "the cross-encoder rates the questions as equivalent with 0.95, minimum 0.90",
    });
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
