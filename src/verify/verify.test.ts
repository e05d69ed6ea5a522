import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profiles } from "../profiles/index.ts";
import { fakePassage, fakeQuestion, fakeWords } from "../testing/passages.ts";
import type { Passage } from "../types.ts";
import { carryGate, decide } from "./decide.ts";
import { BY_WORDS, type PassageJudge, readRelevanceWeights } from "./relevance.ts";
import { guardScore, verifyPassages, weightedCoverage } from "./verify.ts";

const gateOf = (name: string) => {
  const found = profiles.find((profile) => profile.name === name);
  if (found === undefined) throw new Error(name);
  return found.gate;
};
const dense = (...cosines: number[]) =>
  cosines.map((cosine, i) => fakePassage({ document: `d${i}`, pieces: ["x"], scores: { dense: cosine } }));
const judged = (gate: ReturnType<typeof gateOf>, ...cosines: number[]) => {
  const evidence = verifyPassages(fakeQuestion("x"), dense(...cosines), gate, fakeWords());
  return { verdicts: evidence.map(({ verdict }) => verdict), decision: decide(evidence, gate) };
};

describe("weightedCoverage", () => {
  const idf = (token: string) => ({ card: 2, cost: 1, penguin: 5 })[token] ?? 0;
  it("weighs words: (2 + 1) / (2 + 1 + 5)", () => {
    expect(weightedCoverage(["card", "cost", "penguin"], new Set(["card", "cost"]), idf)).toBe(0.375);
  });
  it("counts a repeated word once, and is null without words", () => {
    expect(weightedCoverage(["card", "card", "cost"], new Set(["card"]), idf)).toBeCloseTo(2 / 3, 12);
    expect(weightedCoverage([], new Set(["card"]), idf)).toBeNull();
  });
  it("lies in 0–1 and never falls when a text holds more", () => {
    const word = fc.constantFrom("card", "cost", "penguin", "zoo");
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.array(word), word, (asked, held, more) => {
        const value = weightedCoverage(asked, new Set(held), () => 1) ?? Number.NaN;
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(weightedCoverage(asked, new Set([...held, more]), () => 1)).toBeGreaterThanOrEqual(value);
      }),
    );
  });
});

describe("guardScore", () => {
  const weights = { relevanceWeight: 0.7, crossWeight: 0.3 };
  it(".7 · .5 + .3 · .9 = .62", () => expect(guardScore(0.5, 0.9, weights)).toBeCloseTo(0.62, 12));
  it("renormalises over what is there, and is null of nothing", () => {
    expect(guardScore(0.5, null, weights)).toBe(0.5);
    expect(guardScore(null, 0.9, weights)).toBeCloseTo(0.9, 12);
    expect(guardScore(null, null, weights)).toBeNull();
  });
});

describe("the guard of spark without a cross-encoder", () => {
  const gate = gateOf("spark");
  const chances = (...probabilities: number[]): PassageJudge => ({
    type: "learned",
    weights: readRelevanceWeights(),
    relevance: probabilities.map((probability) => ({ probability, reason: `relevance ${probability}` })),
  });
  const guarded = (by: typeof gate, judge: PassageJudge, scores: Partial<Passage["scores"]>) =>
    verifyPassages(fakeQuestion("x"), [fakePassage({ pieces: ["x"], scores })], by, fakeWords(), undefined, undefined, judge)[0];

  it("goes by the learned chance and its own thresholds: .7 · .8 + .3 · .9 = .83, .7 · .8 + .3 · .1 = .59", () => {
    const learned = carryGate(gate, { threshold: (value) => value }, true);
    expect(learned).toMatchObject({ by: "chance", ...(gate.type === "guard" ? gate.learned : {}) });
    expect(guarded(learned, chances(0.9), { dense: 0.8, rerank: 0.2 })).toMatchObject({
      verdict: "verified",
      passage: { scores: { cross: 0.9 } },
    });
    const low = guarded(learned, chances(0.1), { dense: 0.8, rerank: 0.99 });
    expect([low?.verdict, low?.score.toFixed(2)]).toEqual(["rejected", "0.59"]);
  });
  it("goes by the cross-encoder where one read the passage, at .28", () => {
    const own = carryGate(gate, { threshold: (value) => value });
    expect(own).toBe(gate);
    const low = guarded(own, BY_WORDS, { dense: 0.2, cross: 0.5 });
    expect([low?.verdict, low?.score.toFixed(2)]).toEqual(["verified", "0.29"]);
  });
});

describe("the gates, at their thresholds", () => {
  it.each([
    ["seven-layer", [0.44], ["rejected"], false, "evidence_too_weak", []],
    ["seven-layer", [0.45], ["verified"], true, null, ["low_confidence"]],
    ["seven-layer", [0.5], ["verified"], true, null, ["weak_retrieval"]],
    ["seven-layer", [0.55, 0.2], ["verified", "rejected"], true, null, []],
    ["spark", [0.34, 0.28], ["verified", "verified"], false, "evidence_too_weak", []],
    ["spark", [0.42, 0.28], ["verified", "verified"], true, null, []],
    ["spark", [0.27], ["rejected"], false, "nothing_relevant", []],
    ["vg-rag", [0.75, 0.74, 0.39], ["verified", "uncertain", "rejected"], true, null, []],
    ["vg-rag", [0.74], ["uncertain"], false, "evidence_too_weak", []],
    ["book", [0.69], ["verified"], false, "nothing_relevant", []],
    ["book", [0.7], ["verified"], true, null, []],
    ["validator", [0], ["verified"], true, null, []],
  ] as const)("%s with cosines %j", (profile, cosines, verdicts, answers, reason, warnings) => {
    const result = judged(gateOf(profile), ...cosines);
    expect(result.verdicts).toEqual(verdicts);
    expect(result.decision).toMatchObject({ answer: answers, reason });
    expect(result.decision.warnings.map(({ code }) => code)).toEqual(warnings);
  });

  it("use what is weak, and flag it, where no cosine refuses", () => {
    const gate = { type: "similarity", minimum: 0.45, weak: 0.55, veryWeak: null, warn: -1 } as const;
    const few = judged(gate, 0.3, 0.2);
    expect(few.decision).toMatchObject({ answer: true, reason: null, warnings: [{ code: "weak_retrieval" }] });
    expect(few.decision.usable).toHaveLength(2);
    expect(judged(gate, 0.6, 0.2).decision).toMatchObject({ answer: true, warnings: [], usable: [{ score: 0.6 }] });
    expect(carryGate(gate, { threshold: (value) => value + 1 })).toMatchObject({ minimum: 1.45, veryWeak: null });
  });

  it("refuse when nothing was found, in every profile, without a confidence", () => {
    for (const { gate } of profiles)
      expect(decide([], gate)).toMatchObject({ answer: false, confidence: null, reason: "nothing_relevant" });
  });

  it("hand nothing rejected to the writer, and nothing at all after a refusal", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...profiles),
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }),
        ({ gate }, cosines) => {
          const { decision } = judged(gate, ...cosines);
          expect(decision.usable.filter(({ verdict }) => verdict === "rejected")).toEqual([]);
          if (!decision.answer) expect(decision.usable).toEqual([]);
          if (decision.confidence !== null) expect(decision.confidence >= 0 && decision.confidence <= 1).toBe(true);
        },
      ),
    );
  });
});
