import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { profiles } from "../profiles/index.ts";
import { Lexicon } from "../retrieve/lexicon.ts";
import { fakeEvidence, fakePassage } from "../testing/passages.ts";
import { SMALL_TREES } from "../testing/scorers.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import { decide } from "./decide.ts";
import { wordsUnheld } from "./named-things.ts";
import { judgeSufficiency, measureEvidence, readSufficiencyWeights, SUFFICIENCY_FEATURES, type SufficiencyModel } from "./sufficiency.ts";
import { viewEvidence } from "./sufficiency-view.ts";

const root = mkdtempSync(join(tmpdir(), "sufficiency-"));
afterAll(() => rmSync(root, { recursive: true }));

const lexicon = new Lexicon(SHARED_PARTS.embedded());
const stem = createStemmer();
const KNOWN = new Set(tokenize("the library card costs five dollars and replaces a lost card fee book lend week members", stem));
const index = (also: Readonly<Record<string, string>> = {}) => ({
  idf: (token: string) => (KNOWN.has(token) ? 2 : 4),
  has: (token: string) => KNOWN.has(token),
  alsoHeld: (held: ReadonlySet<string>) => Object.entries(also).flatMap(([of, other]) => (held.has(other) ? [of] : [])),
});
const view = (question: string, texts: readonly string[], also?: Readonly<Record<string, string>>) =>
  viewEvidence(
    { text: question, tokens: tokenize(question, stem) },
    texts.map((text, i) => fakePassage({ document: `d${i}`, title: "Library", pieces: [text] })),
    index(also),
    lexicon,
  );
const value = (name: string, ...args: Parameters<typeof view>) => measureEvidence(view(...args), [name])[0];

describe("features of the evidence", () => {
  it("weigh what is held and what is missing by rarity", () => {
    // card 2, fee 2, zeppelin 4: half of the weight is held; the heaviest missing has the other half.
    const question = "card fee zeppelin";
    const texts = ["A card has a fee."];
    expect(value("held.best", question, texts)).toBeCloseTo(0.5, 6);
    expect(value("missing.heaviest", question, texts)).toBeCloseTo(0.5, 6);
    expect(value("mass.best", question, texts)).toBeCloseTo(Math.log1p(1), 6);
    expect(value("unknown.count", question, texts)).toBe(1);
    expect(value("unknown.weight", question, texts)).toBeCloseTo(0.5, 6);
  });

  it("tell words that every text uses from names and terms, which a document must hold", () => {
    // month 4, per 4, zeppelin 4, card 2: "per" and "month" need not stand in a document.
    const asked = "zeppelin card per month";
    const { terms } = view(asked, ["A card has a fee."]);
    expect(terms.filter(({ known, common }) => !known && !common).map(({ tokens }) => tokens)).toEqual([["zeppelin"]]);
    expect(wordsUnheld(asked, { terms, said: [] }, (text) => [text])).toEqual([]);
  });

  it("tell one passage that holds all from several that hold it together", () => {
    const question = "card fee";
    expect(value("held.best", question, ["A card.", "A fee."])).toBeCloseTo(0.5, 6);
    expect(value("held.all", question, ["A card.", "A fee."])).toBeCloseTo(1, 6);
    expect(value("held.bare-sentence", question, ["A card. A fee."])).toBeCloseTo(0.5, 6);
  });

  it("see words that stand together, and only those", () => {
    expect(value("neighbours", "card fee", ["The card fee is five dollars."])).toBe(1);
    expect(value("neighbours", "card fee", ["A card is lent for a week to members who pay in five dollars, without any fee."])).toBe(0);
  });

  it("count other words for a word of the question as the word", () => {
    expect(value("held.best", "zeppelin", ["A card."])).toBe(0);
    expect(value("held.best", "zeppelin", ["A card."], { [stem("zeppelin")]: "card" })).toBe(1);
  });

  it("look at the sentence that asks apart from the story before it", () => {
    const question = "My zeppelin burned in Omaha. Card fee?";
    expect(value("core.held", question, ["A card has a fee."])).toBe(1);
    expect(value("held.best", question, ["A card has a fee."])).toBeLessThan(0.6);
    expect(value("core.share", question, ["A card."])).toBeLessThan(1);
  });

  it("ask for a value of the kind that the question asks for", () => {
    expect(value("values.sentence", "How much is a card fee?", ["A card has a fee of $5."])).toBeGreaterThan(0);
    expect(value("values.sentence", "How much is a card fee?", ["A card has a fee that members pay."])).toBe(0);
    expect(value("values.sentence", "Tell me about cards", ["A card costs $5."])).toBeNull();
  });

  it.each([
    ["???", ["A card."]],
    ["", []],
    ["card", []],
    ["card", [""]],
    ["🦉 ￼ card", ["🦉"]],
    ["a ".repeat(250), ["the ".repeat(2000)]],
  ])("are finite or null for %j over %j", (question, texts) => {
    for (const [name, measured] of measureEvidence(view(question, texts), Object.keys(SUFFICIENCY_FEATURES)).entries())
      expect(measured === null || Number.isFinite(measured), Object.keys(SUFFICIENCY_FEATURES)[name]).toBe(true);
  });
});

const model: SufficiencyModel = {
  features: ["held.best", "dense.best"],
  fill: [0.5, 0.2],
  scale: [0.25, 0.1],
  linear: [2, 3],
  bias: -1,
  trees: SMALL_TREES,
  chance: [1, 0],
  threshold: {
    minimum: 0.5,
    rule: "",
    set: "s",
    answered: 1,
    answerable: 1,
    unanswerable_answered: 0,
    unanswerable: 1,
    risk: 0,
    risk_cross_fitted: 0,
  },
};

describe("weights", () => {
  const write = (content: unknown) => {
    const path = join(root, "weights.json");
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  const file = (changed: unknown) => ({ name: "n", recipe: "r", date: "d", data: "h", models: { vectors: changed, words: model } });

  it("ship with a threshold and its measured risk", () => {
    const { models } = readSufficiencyWeights();
    for (const { threshold } of Object.values(models)) {
      expect(threshold.answered / threshold.answerable).toBeGreaterThanOrEqual(0.9);
      expect(threshold.risk_cross_fitted).toBeGreaterThan(0);
    }
    expect(models.words.features.some((name) => name.startsWith("dense.") || name.startsWith("rerank."))).toBe(false);
  });
  it("are read when they are whole", () => expect(readSufficiencyWeights(write(file(model))).models.vectors).toEqual(model));
  it.each([
    ["no JSON", "{"],
    ["a number too few", file({ ...model, fill: [1] })],
    ["a feature that is not there", file({ ...model, features: ["held.best", "horoscope"] })],
    ["a tree that runs in a circle", file({ ...model, trees: { ...SMALL_TREES, right: [0, -3] } })],
    ["a split on no feature", file({ ...model, trees: { ...SMALL_TREES, feature: [7, 1] } })],
    ["a scale of zero", file({ ...model, scale: [0, 1] })],
  ])("with %s are refused with what to do", (_, content) => {
    expect(() => readSufficiencyWeights(write(content))).toThrowError(/reinstall the package/);
  });
  it("that are absent are refused", () => expect(() => readSufficiencyWeights(join(root, "none.json"))).toThrowError(/cannot be read/));
});

describe("judgeSufficiency", () => {
  const weights = readSufficiencyWeights();
  const judge = (question: string, texts: readonly string[], ranker: string | null = "e") =>
    judgeSufficiency(view(question, texts), { weights, encoder: "e" }, ranker);

  it("gives evidence that holds the question more than evidence that does not", () => {
    const good = judge("What does a lost card cost?", ["A lost card costs five dollars."]);
    const bad = judge("What does a zeppelin cost in Omaha?", ["A lost card costs five dollars."]);
    expect(good?.probability).toBeGreaterThan(bad?.probability ?? 1);
    expect(bad?.reason).toContain("stand in no document");
  });
  it("judges without cosines when another encoder ranked, or none did", () => {
    expect(judge("card", ["A card."])?.model).toBe("vectors");
    expect(judge("card", ["A card."], "other")?.model).toBe("words");
    expect(judge("card", ["A card."], null)?.model).toBe("words");
  });
  it("says nothing of no evidence", () => {
    expect(judge("card", [])).toBeNull();
  });
});

describe("the default gate", () => {
  const gate = profiles.find(({ name }) => name === "sourcebound")?.gate ?? { type: "none" as const };
  const evidence = (...scores: number[]) =>
    scores.map((score, i) =>
      fakeEvidence(fakePassage({ document: `d${i}`, pieces: ["x"] }), {
        score,
        verdict: score >= 0.6 ? "verified" : score >= 0.3 ? "uncertain" : "rejected",
      }),
    );
  const chance = (probability: number) => ({
    probability,
    minimum: 0.4,
    confidence: probability,
    calibrated: false,
    model: "vectors" as const,
    reason: "",
  });

  it("answers from its threshold on, whatever share of the words is held", () => {
    expect(decide(evidence(0.2), gate, chance(0.4))).toMatchObject({ answer: true, confidence: 0.4, calibrated: false });
    expect(decide(evidence(1), gate, chance(0.39))).toMatchObject({ answer: false, confidence: 0.39, reason: "evidence_too_weak" });
    expect(decide(evidence(1), gate, chance(0.09))).toMatchObject({ answer: false, reason: "nothing_relevant" });
  });
  it("uses the passages that hold about as much as the best one", () => {
    const { usable } = decide(evidence(0.25, 0.16, 0.1), gate, chance(0.9));
    expect(usable.map(({ score }) => score)).toEqual([0.25, 0.16]);
  });
  it("asks of a follow-up that a passage holds its own words too where words alone judged it: history cannot satisfy it", () => {
    expect(decide(evidence(0.45), gate, chance(0.99), true)).toMatchObject({ answer: false, reason: "evidence_too_weak", usable: [] });
    expect(decide(evidence(0.5), gate, chance(0.99), true)).toMatchObject({ answer: true });
    const learned = evidence(0.45).map((one) => ({ ...one, held: 0 }));
    expect(decide(learned, gate, chance(0.99), true)).toMatchObject({ answer: true });
  });
  it("refuses where the chance is not known, whatever share of the words is held", () => {
    expect(decide(evidence(1), gate, null)).toMatchObject({ answer: false, confidence: null, reason: "nothing_relevant" });
  });
});
