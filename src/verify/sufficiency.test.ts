import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { profiles } from "../profiles/index.ts";
import { Lexicon } from "../retrieve/lexicon.ts";
import { fakeEvidence, fakePassage } from "../testing/passages.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import { decide } from "./decide.ts";
import { judgeSufficiency, measureEvidence, readSufficiencyWeights, SUFFICIENCY_FEATURES } from "./sufficiency.ts";
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

describe("features of the evidence", () => {
  it.each([
    ["???", ["A card."]],
    ["", []],
    ["card", []],
    ["🦉 ￼ card", ["🦉"]],
    ["a ".repeat(250), ["the ".repeat(2000)]],
  ])("are finite or null for %j over %j", (question, texts) => {
    for (const [name, measured] of measureEvidence(view(question, texts), Object.keys(SUFFICIENCY_FEATURES)).entries())
      expect(measured === null || Number.isFinite(measured), Object.keys(SUFFICIENCY_FEATURES)[name]).toBe(true);
  });
});

describe("weights", () => {
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
