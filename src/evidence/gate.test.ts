import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { loadCalibrations, RAW_SCALE, type ScoreScale, scaleFor } from "../models/calibration/calibration.ts";
import { profileNamed, profiles } from "../profiles/index.ts";
import { fakePassage, fakeWords } from "../testing/passages.ts";
import { NOT_COMPARED, scoreConsistency } from "./compare-passages.ts";
import { createFactReader } from "./facts.ts";
import { carryGate, decideByGate, verifyPassages } from "./gate.ts";

const dense = (...cosines: number[]) =>
  cosines.map((cosine, i) => fakePassage({ document: `d${i}`, segments: ["x"], scores: { dense: cosine } }));
const judged = (gate: Parameters<typeof decideByGate>[1], ...cosines: number[]) => {
  const evidence = verifyPassages(dense(...cosines), gate);
  return { verdicts: evidence.map(({ verdict }) => verdict), decision: decideByGate(evidence, gate) };
};

describe("the gates, at their thresholds", () => {
  it.each([
    ["seven-layer", [0.55, 0.2], ["verified", "rejected"], true, null, []],
    ["seven-layer", [0.44], ["rejected"], false, "evidence_too_weak", []],
    ["seven-layer", [0.46], ["verified"], true, null, ["low_confidence"]],
    ["seven-layer", [0.51], ["verified"], true, null, ["weak_retrieval"]],
    ["book", [0.69], ["verified"], false, "nothing_relevant", []],
    ["book", [0.7], ["verified"], true, null, []],
    ["vg-rag", [0.75, 0.74, 0.4, 0.39], ["verified", "uncertain", "uncertain", "rejected"], true, null, []],
    ["vg-rag", [0.74], ["uncertain"], false, "evidence_too_weak", []],
    ["validator", [0], ["verified"], true, null, []],
  ] as const)("%s with cosines %j", (profile, cosines, verdicts, answers, reason, warnings) => {
    const result = judged(profileNamed(profile).gate, ...cosines);
    expect(result.verdicts).toEqual(verdicts);
    expect(result.decision).toMatchObject({ answer: answers, reason });
    expect(result.decision.warnings.map(({ code }) => code)).toEqual(warnings);
    const verified = cosines.filter((_, i) => verdicts[i] === "verified");
    expect(result.decision.usable.map(({ passage }) => passage.scores.dense)).toEqual(answers ? verified : []);
  });

  it("use weak passages with a warning if no cosine threshold refuses", () => {
    const gate = { type: "similarity", minimum: 0.45, weak: 0.55, veryWeak: null, warn: -1 } as const;
    const few = judged(gate, 0.3, 0.2);
    expect(few.decision).toMatchObject({ answer: true, reason: null, warnings: [{ code: "weak_retrieval" }] });
    expect(few.decision.usable).toHaveLength(2);
    expect(judged(gate, 0.6, 0.2).decision).toMatchObject({ answer: true, warnings: [], usable: [{ score: 0.6 }] });
    expect(carryGate(gate, { threshold: (value) => value + 1 })).toMatchObject({ minimum: 1.45, veryWeak: null });
  });

  it.each([
    [0, 0, "rejected"],
    [0.069, 0.158, "rejected"],
    [0.07, 0.16, "uncertain"],
    [0.17, 0.361, "uncertain"],
    [0.269, 0.56, "uncertain"],
    [0.27, 0.5625, "verified"],
    [1, 1, "verified"],
  ])("vg-rag maps a confidence of %d to a relevance of %d: without faults the passage is %s", (confidence, relevance, verdict) => {
    const passage = fakePassage({ segments: ["x"] });
    const faultless = { ...NOT_COMPARED.of(passage), consistency: { score: 1, reason: "self-contained" } };
    const relevances = new Map([[passage.sid, confidence]]);
    const compared = { ...NOT_COMPARED, of: () => faultless };
    const [found] = verifyPassages([passage], profileNamed("vg-rag").gate, RAW_SCALE, compared, relevances);
    expect(found?.verdict).toBe(verdict);
    expect(found?.relevance).toBeCloseTo(relevance, 3);
    expect(found?.score).toBeCloseTo(Math.sqrt(relevance), 3);
  });

  it("refuse without a confidence when nothing was found, in every profile", () => {
    for (const { gate } of profiles)
      expect(decideByGate([], gate)).toMatchObject({ answer: false, confidence: null, reason: "nothing_relevant" });
  });

  it("pass no rejected passage to the writer, and none at all after a refusal", () => {
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

const score = (segments: string[], over: { headingPath?: string[]; asOf?: string; clashes?: boolean } = {}) => {
  const passage = fakePassage({ segments, ...(over.headingPath === undefined ? {} : { headingPath: over.headingPath }) });
  const dated = { ...passage, document: { ...passage.document, asOf: over.asOf ?? null } };
  const read = createFactReader().segmentsOf(dated, fakeWords());
  return scoreConsistency(
    dated,
    read.map(({ segment }) => segment),
    over.clashes ?? false,
  );
};
const WHOLE = "A library card costs $5 and is valid for one whole year.";

describe("scoreConsistency", () => {
  it("is 1 for a complete sentence", () => expect(score([WHOLE])).toEqual({ score: 1, reason: "self-contained" }));
  it.each([
    [["It also covers loans of maps to visitors from abroad."], {}, 0.75, /begins with a reference/],
    [["It also covers loans of maps to visitors from abroad."], { headingPath: ["Cards"] }, 1, /self-contained/],
    [["Cards"], {}, 0.4, /incomplete statement/],
    // 22 and 26 of 104 characters are links: 1 − .6 · 48 / 104.
    [["Learn more about cards", "Find out how to get a card", WHOLE], {}, 1 - (0.6 * 48) / 104, /incomplete statement/],
    [["A library card currently costs five dollars for each member."], {}, 0.85, /without a date/],
    [["A library card currently costs five dollars for each member."], { asOf: "2025-01-01" }, 1, /self-contained/],
    [[WHOLE], { clashes: true }, 0.6, /two values/],
  ] as const)("%j %j: %s", (segments, over, expected, reason) => {
    const found = score([...segments], over as Parameters<typeof score>[1]);
    expect(found.score).toBeCloseTo(expected, 12);
    expect(found.reason).toMatch(reason);
  });
  it("stays within 0–1", () => {
    const found = score(["It is"], { clashes: true });
    expect(found.score).toBe(0);
    expect(score([]).score).toBeCloseTo(0.4, 12);
  });
});

/** Cosines and cross-encoder scores, on the scale of the models for which the profile's thresholds were chosen. */
type Scores = readonly (readonly [dense: number, cross?: number])[];

const SCALES: Readonly<Record<string, ScoreScale>> = {
  "the source's own encoder": RAW_SCALE,
  "the embedded encoder, carried over": scaleFor("text-embedding-3-small", SHARED_PARTS.embedded(), loadCalibrations()),
};

function judge(profile: string, scale: ScoreScale, scores: Scores) {
  const gate = carryGate(profileNamed(profile).gate, scale);
  const passages = scores.map(([dense, cross = null], i) =>
    fakePassage({ document: `d${i}`, segments: ["x"], scores: { dense: Math.fround(scale.threshold(dense)), cross } }),
  );
  const evidence = verifyPassages(passages, gate, scale);
  const { answer, reason, usable, warnings, confidence } = decideByGate(evidence, gate);
  return { kept: evidence.map(({ verdict }) => verdict === "verified"), answer, reason, usable: usable.length, warnings, confidence };
}

describe.each(Object.entries(SCALES))("on %s", (_, scale) => {
  it.each([
    // .7 · .4 + .3 · 0 = .28
    ["passage", [[0.399, 0]], [false], "nothing_relevant"],
    ["passage", [[0.4, 0]], [true], "evidence_too_weak"],
    ["passage", [[0.401, 0]], [true], "evidence_too_weak"],
    // .7 · .5 + .3 · 0 = .35
    ["mean", [[0.499, 0]], [true], "evidence_too_weak"],
    ["mean", [[0.5, 0]], [true], null],
    ["mean", [[0.501, 0]], [true], null],
    // .7 · .3 + .3 · .5 = .36; without the cross-encoder, .3 alone.
    ["cross score", [[0.3, 0.5]], [true], null],
    ["cross score", [[0.3]], [true], "evidence_too_weak"],
    // (.42 + .28) / 2 = .35; a passage below the passage threshold does not count.
    ["mean", [[0.42], [0.28]], [true, true], null],
    ["mean", [[0.418], [0.28]], [true, true], "evidence_too_weak"],
    ["mean", [[0.36], [0.1]], [true, false], null],
  ] as const)("spark by its %s: %j", (_name, scores, kept, reason) => {
    expect(judge("spark", scale, scores as Scores)).toMatchObject({ kept, answer: reason === null, reason });
  });

  it("spark passes on the best 5, and its confidence is the mean of all passing", () => {
    const judged = judge("spark", scale, [[0.9], [0.8], [0.7], [0.6], [0.5], [0.4], [0.3], [0.2]]);
    expect(judged.kept).toEqual([true, true, true, true, true, true, true, false]);
    expect(judged.usable).toBe(5);
    expect(judged.confidence).toBeCloseTo(0.6, 5);
    // The five best alone would reach .35. The other two pass and count too: (5 · .36 + 2 · .28) / 7 = .337.
    const weak = [...Array.from({ length: 5 }, () => [0.36] as const), [0.28] as const, [0.28] as const];
    expect(judge("spark", scale, weak)).toMatchObject({ answer: false, reason: "evidence_too_weak" });
  });
});

it("a passage without a cosine passes no cosine gate", () => {
  for (const profile of ["seven-layer", "book"]) {
    const { gate } = profileNamed(profile);
    const evidence = verifyPassages([fakePassage({ segments: ["x"], scores: { fused: 1 } })], gate);
    expect(evidence[0]?.relevance).toBeNull();
    expect(decideByGate(evidence, gate).answer).toBe(false);
  }
});
