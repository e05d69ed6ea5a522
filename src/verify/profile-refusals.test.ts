import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { loadCalibrations, RAW_SCALE, type ScoreScale, scaleFor } from "../models/calibration/calibration.ts";
import { profileNamed } from "../profiles/index.ts";
import { fakePassage, fakeQuestion, fakeWords } from "../testing/passages.ts";
import { carryGate, decide } from "./decide.ts";
import { verifyPassages } from "./verify.ts";

/** Cosines and cross scores, as the source's own model would have given them. */
type Scores = readonly (readonly [dense: number, cross?: number])[];

const SCALES: Readonly<Record<string, ScoreScale>> = {
  "the source's own encoder": RAW_SCALE,
  "the embedded encoder, carried over": scaleFor("text-embedding-3-small", SHARED_PARTS.embedded(), loadCalibrations()),
};

function judge(profile: string, scale: ScoreScale, scores: Scores) {
  const gate = carryGate(profileNamed(profile).gate, scale);
  const passages = scores.map(([dense, cross = null], i) =>
    fakePassage({ document: `d${i}`, pieces: ["x"], scores: { dense: Math.fround(scale.threshold(dense)), cross } }),
  );
  const evidence = verifyPassages(fakeQuestion("x"), passages, gate, fakeWords(), scale);
  const { answer, reason, usable, warnings, confidence } = decide(evidence, gate);
  return { kept: evidence.map(({ verdict }) => verdict === "verified"), answer, reason, usable: usable.length, warnings, confidence };
}

describe.each(Object.entries(SCALES))("on %s", (_, scale) => {
  it("seven-layer keeps every passage from .45 on, whatever the best one is", () => {
    expect(judge("seven-layer", scale, [[0.9], [0.451], [0.45], [0.449]])).toMatchObject({ kept: [true, true, true, false], usable: 3 });
  });

  it.each([
    // .7 · .4 + .3 · 0 = .28
    ["passage", [[0.399, 0]], [false], "nothing_relevant"],
    ["passage", [[0.4, 0]], [true], "evidence_too_weak"],
    ["passage", [[0.401, 0]], [true], "evidence_too_weak"],
    // .7 · .5 + .3 · 0 = .35
    ["mean", [[0.499, 0]], [true], "evidence_too_weak"],
    ["mean", [[0.5, 0]], [true], null],
    ["mean", [[0.501, 0]], [true], null],
    // .7 · .3 + .3 · .5 = .36; without the cross-encoder .3 alone.
    ["cross score", [[0.3, 0.5]], [true], null],
    ["cross score", [[0.3]], [true], "evidence_too_weak"],
    // (.42 + .28) / 2 = .35; one that does not pass takes no part.
    ["mean", [[0.42], [0.28]], [true, true], null],
    ["mean", [[0.418], [0.28]], [true, true], "evidence_too_weak"],
    ["mean", [[0.36], [0.1]], [true, false], null],
  ] as const)("spark by its %s: %j", (_name, scores, kept, reason) => {
    expect(judge("spark", scale, scores as Scores)).toMatchObject({ kept, answer: reason === null, reason });
  });

  it("spark hands on the best 5 of those that pass, and its confidence is the mean of all of them", () => {
    const judged = judge("spark", scale, [[0.9], [0.8], [0.7], [0.6], [0.5], [0.4], [0.3], [0.2]]);
    expect(judged.kept).toEqual([true, true, true, true, true, true, true, false]);
    expect(judged.usable).toBe(5);
    expect(judged.confidence).toBeCloseTo(0.6, 5);
    // The five best alone would reach .35; the two behind them pass and weigh too: (5 · .36 + 2 · .28) / 7 = .337.
    const weak = [...Array.from({ length: 5 }, () => [0.36] as const), [0.28] as const, [0.28] as const];
    expect(judge("spark", scale, weak)).toMatchObject({ answer: false, reason: "evidence_too_weak" });
  });
});

it("a passage without a cosine opens no gate of cosines", () => {
  for (const profile of ["seven-layer", "book"]) {
    const { gate } = profileNamed(profile);
    const evidence = verifyPassages(fakeQuestion("x"), [fakePassage({ pieces: ["x"], scores: { fused: 1 } })], gate, fakeWords());
    expect(evidence[0]?.relevance).toBeNull();
    expect(decide(evidence, gate).answer).toBe(false);
  }
});
