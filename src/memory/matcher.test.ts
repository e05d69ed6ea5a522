import { describe, expect, it } from "vitest";
import { openSharedReader } from "../cross-encoder/create-reader.ts";
import { createQuestionFactReader } from "../language/question-facts.ts";
import type { MatchSettings } from "../profiles/profile.ts";
import { spark } from "../profiles/spark.ts";
import { createMatcher, documentOverlap, type MatcherParts, readParaphraseWeights } from "./matcher.ts";

const facts = createQuestionFactReader({ abbreviations: { ERB: ["early retirement bonus"] } });
const weights = { recipe: "by hand", reader: { name: "r", hash: "h" }, from: { measured: 0.9, other: 0.99 } };
const { signal } = new AbortController();
const LEARNED = { type: "learned" } as const;
const passage = (n: number) => ({ chunkId: `c${n}`, document: { id: `d${n}` } });
const retrieved = { documents: ["d0", "d1"], chunks: ["c0", "c1"], cited: ["c0"] };

/** Creates a matcher whose cross-encoder returns log odds that depend on the first question of a pair. Records the pairs. */
function matcherFor(odds: (question: string) => number, over: Partial<MatcherParts> = {}) {
  const pairs: unknown[] = [];
  const read = (async (texts: readonly { question: string }[]) => {
    pairs.push(...texts);
    return texts.map(({ question }) => ({ same: odds(question) }));
  }) as never;
  const matcher = createMatcher({
    facts,
    weights: () => weights,
    isMeasured: true,
    read: () => read,
    carry: (cosine) => cosine - 0.02,
    ...over,
  });
  const compare = async (
    asked: string,
    stored: string,
    { cosine = 0.95, found = [0, 1], settings = LEARNED as MatchSettings, written = asked } = {},
  ) => {
    const of = { question: asked, written, passages: found.map(passage) };
    const [verdict] = await matcher.compare(of, [{ question: stored, cosine, retrieved }], settings, signal);
    return verdict;
  };
  return { matcher, compare, pairs };
}

describe("createMatcher", () => {
  it("accepts at a threshold for the mean of both orders", async () => {
    const [asked, stored] = ["When is it paid?", "How soon is it paid?"];
    const { compare, pairs } = matcherFor((question) => (question === stored ? 4 : 2));
    expect(await compare(asked, stored)).toMatchObject({
      accepted: true,
      rule: "same",
      score: expect.closeTo(1 / (1 + Math.exp(-3)), 9),
      reason: "the cross-encoder gives a probability of 0.95 that both questions ask the same; at least 0.90 is required",
    });
    expect(pairs).toEqual([
      { question: stored, text: asked },
      { question: asked, text: stored },
    ]);
    const { compare: doubt } = matcherFor((question) => (question === stored ? 4 : 0));
    expect(await doubt(asked, stored)).toMatchObject({ accepted: false, rule: "read" });
    const { compare: strict } = matcherFor((question) => (question === stored ? 4 : 2), { isMeasured: false });
    expect(await strict(asked, stored)).toMatchObject({ accepted: false, reason: expect.stringContaining("at least 0.99") });
  });

  it("passes both questions to the cross-encoder with the same phrase of the pack", async () => {
    const { compare, pairs } = matcherFor(() => 5);
    await compare("When is the early retirement bonus paid?", "How soon is the ERB paid?");
    expect(pairs[0]).toEqual({ question: "How soon is the ERB paid?", text: "When is the ERB paid?" });
  });

  it.each([
    ["values", "Who pays at 60%?", "Who pays at 70%?"],
    ["polarity", "Which fees aren't refunded?", "Which fees are refunded?"],
    ["names", "When is the ERB paid?", "When is it paid?"],
  ])("never scores a pair that differs in exact facts: %s", async (rule, asked, stored) => {
    for (const settings of [LEARNED, { ...spark.match, cosine: 0, entities: 0, documents: 0 } as MatchSettings]) {
      const { compare, pairs } = matcherFor(() => 9);
      expect(await compare(asked, stored, { cosine: 1, settings })).toMatchObject({ accepted: false, rule });
      expect(pairs).toEqual([]);
    }
  });

  it("rejects an answer whose cited passages the new question does not find", async () => {
    const { compare } = matcherFor(() => 9);
    expect(await compare("When is it paid?", "How soon is it paid?", { found: [1, 2] })).toMatchObject({ accepted: false, rule: "cited" });
    expect(await compare("When is it paid?", "How soon is it paid?", { found: [] })).toMatchObject({ accepted: false, rule: "cited" });
  });

  it("compares corrected words, but rejects a correction that creates an exact fact", async () => {
    const { compare } = matcherFor(() => 9);
    const corrected = { written: "When is the bonnus paid?" };
    expect(await compare("When is the bonus paid?", "How soon is the bonus paid?", corrected)).toMatchObject({ accepted: true });
    for (const [asked, written] of [
      ["Who pays at seventy percent?", "Who pays at sevnty percent?"],
      ["Who never pays?", "Who nevver pays?"],
    ] as const)
      expect(await compare(asked, asked, { written })).toMatchObject({ accepted: false, rule: "repaired" });
  });

  it("applies each threshold of spark, with its converted cosine, and then the cross-encoder's", async () => {
    const [asked, stored] = ["When is the ERB paid?", "How soon is the ERB paid?"];
    const settings = spark.match;
    const { compare } = matcherFor(() => 9);
    expect(await compare(asked, stored, { settings, cosine: 0.9 })).toMatchObject({ accepted: true, documents: 1, entities: 1 });
    expect(await compare(asked, stored, { settings, cosine: 0.89 })).toMatchObject({ accepted: false, rule: "cosine" });
    expect(await compare(asked, stored, { settings, found: [0] })).toMatchObject({ accepted: false, rule: "documents", documents: 0.5 });
    expect(await compare(asked, stored, { settings, found: [] })).toMatchObject({ accepted: false, rule: "documents", documents: null });
    const strict = { ...spark.match, entities: 1.1 } as MatchSettings;
    expect(await compare(asked, stored, { settings: strict })).toMatchObject({ rule: "entities" });
    const { compare: doubt } = matcherFor(() => 0);
    expect(await doubt(asked, stored, { settings })).toMatchObject({ accepted: false, rule: "read", score: expect.closeTo(0.975, 9) });
  });

  it("rejects everything without the cross-encoder, and questions that it would truncate", async () => {
    const same = ["When is it paid?", "How soon is it paid?"] as const;
    for (const read of [() => null, () => (async () => null) as never])
      expect(await matcherFor(() => 9, { read }).compare(...same)).toMatchObject({ accepted: false, rule: "unread" });
    const { compare, pairs } = matcherFor(() => 9);
    const long = `When is it paid ${"or taken back ".repeat(16)}again?`;
    expect(await compare(long, same[1])).toMatchObject({ accepted: false, rule: "unread" });
    expect(await compare(same[0], long)).toMatchObject({ accepted: false, rule: "unread" });
    expect(pairs).toEqual([]);
  });

  it("gives each stored question its own verdict, in any batch", async () => {
    const long = `How soon is it paid ${"or taken back ".repeat(16)}again?`;
    const { matcher } = matcherFor((question) => (question.includes("far") ? -9 : 9));
    const stored = [long, "How far is it?", "Who pays 7 dollars?", "How soon is it paid?"].map((question) => ({
      question,
      cosine: 0.5,
      retrieved,
    }));
    const verdicts = await matcher.compare({ question: "When?", written: "When?", passages: [passage(0)] }, stored, LEARNED, signal);
    expect(verdicts.map(({ rule }) => rule)).toEqual(["unread", "read", "values", "same"]);
    expect(await matcher.compare({ question: "When?", written: "When?", passages: [] }, [], LEARNED, signal)).toEqual([]);
  });

  it("expands abbreviations before embedding, except for the thresholds of a source", () => {
    const { matcher } = matcherFor(() => 0);
    expect(matcher.textFor("When is the ERB paid?", LEARNED)).toBe("When is the early retirement bonus paid?");
    expect(matcher.textFor("When is the ERB paid?", spark.match)).toBe("When is the ERB paid?");
  });
});

describe("documentOverlap", () => {
  it("is the share of documents that both found", () => {
    expect(documentOverlap(["a", "b"], ["b", "c"])).toBeCloseTo(1 / 3, 9);
    expect(documentOverlap(["a", "a"], ["a"])).toBe(1);
    expect(documentOverlap([], ["a"])).toBeNull();
  });
});

describe("the bundled threshold", () => {
  it("was chosen with the bundled adapter", async () => {
    const { reader, from } = readParaphraseWeights();
    const opened = openSharedReader("questions");
    expect(opened.weights).toEqual(reader);
    await opened.close();
    expect(from.measured).toBeGreaterThan(0.5);
    expect(from.other).toBeGreaterThanOrEqual(from.measured);
  });
});
