import { describe, expect, it } from "vitest";
import { profileNamed } from "../profiles/index.ts";
import type { Passage } from "../shared/types.ts";
import { fakePassage, fakeWords } from "../testing/passages.ts";
import { comparePassages } from "./compare-passages.ts";
import { conflictWarning, type Precedence } from "./conflicts.ts";
import { createFactReader } from "./facts.ts";
import { verifyPassages, vScore } from "./gate.ts";

const words = fakeWords();
const QUESTION = "What does a library card cost?";
const said = (...texts: string[]): Passage[] =>
  texts.map((text, i) => {
    const passage = fakePassage({ document: `d${i}`, title: "Cards", segments: [text], scores: { dense: 0.9 } });
    return { ...passage, sid: `S${i + 1}` };
  });
const titled = (texts: readonly string[], titles: readonly string[]): Passage[] =>
  said(...texts).map((passage, i) => ({ ...passage, document: { ...passage.document, title: titles[i] ?? "" } }));
const compare = (passages: Passage[], precedence: Precedence = [], question = QUESTION) =>
  comparePassages(words.tokens(question), passages, { words, reader: createFactReader(), precedence });
const sides = (passages: Passage[], question = QUESTION) =>
  compare(passages, [], question).conflicts.map((one) => one.sides.map(({ value, title }) => `${value} ${title}`));
const FIVE = "A library card costs $5 per year.";
const EIGHT = "A library card costs $8 per year.";

describe("comparePassages", () => {
  it("quotes both sides exactly, with values, dates and versions", () => {
    const [a, b] = said(`Hours are long. ${FIVE}`, EIGHT) as [Passage, Passage];
    const dated = { ...b, document: { ...b.document, asOf: "2025-10-01" } };
    const units = [
      { ...(a.units[0] as Passage["units"][number]), end: 15 },
      { ...(a.units[0] as Passage["units"][number]), start: 16 },
    ];
    const { conflicts } = compare([{ ...a, units }, dated]);
    const [five, eight] = [
      { value: "$5", asOf: null, documentVersion: "v1", quote: FIVE },
      { value: "$8", asOf: "2025-10-01", documentVersion: "v1", quote: EIGHT },
    ];
    expect(conflicts).toMatchObject([{ about: "library card costs year", resolvedBy: null, sides: [five, eight] }]);
    const [side] = conflicts[0]?.sides ?? [];
    expect(a.text.slice(side?.start, side?.end)).toBe(FIVE);
  });

  it("scores agreement by passages about the same thing, and is null without any", () => {
    const agreement = (passages: Passage[]) => passages.map((passage) => compare(passages).of(passage).agreement.score);
    expect(agreement(said(FIVE))).toEqual([null]);
    expect(agreement(said(FIVE, "The roof of the museum was repaired within 8 days."))).toEqual([null, null]);
    expect(agreement(said(FIVE, "The library card costs $5 per year."))).toEqual([1, 1]);
    expect(agreement(said(FIVE, "The library card costs $5 per year.", EIGHT))).toEqual([0.5, 0.5, 0]);
  });

  it("finds no conflict in copies, or about something that was not asked", () => {
    expect(compare(said(FIVE, FIVE)).conflicts).toEqual([]);
    const other = titled(["The museum roof weighs 20 kg in total.", "The museum roof weighs 30 kg in total."], ["Roof", "Roof"]);
    expect(compare(other).conflicts).toEqual([]);
  });

  it("compares editions of one document, the later first, but no other titles with years", () => {
    const editions = ["Cards 2024", "Cards 2025"];
    expect(sides(titled([FIVE, EIGHT], editions))).toEqual([["$8 Cards 2025", "$5 Cards 2024"]]);
    expect(sides(titled([FIVE, FIVE], editions))).toEqual([]);
    // The question selects a year.
    expect(sides(titled([FIVE, EIGHT], editions), "What does a library card cost in 2025?")).toEqual([]);
    expect(sides(titled([FIVE, EIGHT], ["Cards 2024", "Rooms 2025"]))).toEqual([]);
    expect(sides(titled([FIVE, EIGHT], ["Gold Cards 2024", "Silver Cards 2025"]))).toEqual([]);
  });

  it("compares an undated document with a dated edition, unless the question names the year", () => {
    const passages = titled([FIVE, EIGHT], ["Cards", "Cards 2019"]);
    // It is unknown which is later, so they keep the order of the passages.
    expect(sides(passages)).toEqual([["$5 Cards", "$8 Cards 2019"]]);
    expect(sides(passages, "What did a library card cost in 2019?")).toEqual([]);
  });
});

describe("a declared rule", () => {
  const dated = (a: Partial<Passage["document"]>, b: Partial<Passage["document"]>) => {
    const [one, other] = said(FIVE, EIGHT) as [Passage, Passage];
    return [
      { ...one, document: { ...one.document, ...a } },
      { ...other, document: { ...other.document, ...b } },
    ];
  };
  it.each([
    [["newer"], { asOf: "2024-01-01" }, { asOf: "2025-01-01" }, { rule: "newer", holds: "S2" }],
    [["newer"], { asOf: "2024-01-01" }, { asOf: null }, null],
    [["newer"], { asOf: "2024-01-01" }, { asOf: "2024-01-01" }, null],
    [["regulation"], { authority: "regulation" }, { authority: "summary" }, { rule: "regulation", holds: "S1" }],
    [["regulation"], { authority: "regulation" }, { authority: null }, null],
    [["newer", "agency"], { authority: "summary" }, { authority: "agency" }, { rule: "agency", holds: "S2" }],
    [[], { asOf: "2024-01-01" }, { asOf: "2025-01-01" }, null],
  ] as const)("%j decides between %j and %j: %j", (precedence, a, b, expected) => {
    const { conflicts, of } = compare(dated(a, b), precedence);
    expect(conflicts[0]?.resolvedBy).toEqual(expected);
    const lost = dated(a, b).map((passage) => of(passage).contradicted);
    expect(lost).toEqual(expected === null ? [true, true] : ["S1", "S2"].map((sid) => sid !== expected.holds));
  });

  it.each([
    ["the newer side first", { asOf: "2024-01-01" }, { asOf: "2025-01-01" }, ["$8", "$5"]],
    ["the sides in the order found if the first is newer", { asOf: "2025-01-01" }, { asOf: "2024-01-01" }, ["$5", "$8"]],
  ])("names %s", (_, first, second, values) => {
    expect(compare(dated(first, second)).conflicts[0]?.sides.map(({ value }) => value)).toEqual(values);
  });

  it("is named in the warning; without one, both values and dates are", () => {
    const resolved = compare(dated({ asOf: "2024-01-01" }, { asOf: "2025-01-01" }), ["newer"]).conflicts[0];
    const open = compare(dated({ asOf: "2024-01-01" }, {})).conflicts[0];
    if (resolved === undefined || open === undefined) throw new Error("no conflict");
    expect(conflictWarning(resolved)).toEqual({
      code: "conflict_resolved",
      message:
        'Sources differ: "$8" (Cards, as of 2025-01-01) takes precedence over "$5" (Cards, as of 2024-01-01) by the declared rule "the newer source".',
    });
    expect(conflictWarning(open)).toEqual({
      code: "conflict",
      message: 'Sources disagree: "$5" (Cards, as of 2024-01-01) versus "$8" (Cards, no date stated). Check both.',
    });
  });
});

describe("the gate with compared passages", () => {
  const verdicts = (name: string, passages: Passage[], cosine = 0.9) => {
    const scored = passages.map((passage) => ({ ...passage, scores: { ...passage.scores, dense: cosine } }));
    const relevance = new Map(scored.map(({ sid }) => [sid, cosine]));
    return verifyPassages(scored, profileNamed(name).gate, undefined, compare(scored), name === "sourcebound" ? relevance : null);
  };

  it("lowers contradicted passages to uncertain in the default, and explains each score in one line", () => {
    const evidence = verdicts("sourcebound", said(FIVE, EIGHT, EIGHT.replace("A library", "The library")));
    expect(evidence.map(({ verdict }) => verdict)).toEqual(["uncertain", "uncertain", "uncertain"]);
    expect(evidence[0]?.agreement).toBe(0);
    expect(evidence[0]?.reason).toMatch(
      /^the confidence that its best sentence, list item or row answers the question is 0\.90; consistency 1\.00: self-contained; agreement 0\.00: 2 of 2 passages on the same subject contradict it$/,
    );
    const agreeing = verdicts("sourcebound", said(FIVE, "The library card costs $5 per year."));
    expect(agreeing.map(({ verdict }) => verdict)).toEqual(["verified", "verified"]);
  });

  it("rejects the outlier of a majority in vg-rag with equal weights, and finds no majority in one against one", () => {
    const evidence = verdicts("vg-rag", said(FIVE, "The library card costs $5 per year.", EIGHT), 0.9);
    expect(evidence.map(({ verdict }) => verdict)).toEqual(["verified", "verified", "rejected"]);
    expect(evidence[0]?.score).toBeCloseTo((0.9 * 1 * 0.5) ** (1 / 3), 12);
    expect(verdicts("vg-rag", said(FIVE), 0.6)[0]).toMatchObject({ verdict: "verified", agreement: null, score: Math.sqrt(0.6) });
    expect(verdicts("vg-rag", said(FIVE, EIGHT), 0.9).map(({ verdict }) => verdict)).toEqual(["uncertain", "uncertain"]);
  });

  it("changes nothing in profiles whose source compares nothing", () => {
    const evidence = verifyPassages(said(FIVE, EIGHT), profileNamed("spark").gate);
    const silent = { consistency: null, agreement: null, reason: expect.not.stringContaining("agreement") };
    expect(evidence).toMatchObject([silent, silent]);
  });
});

describe("vScore", () => {
  it("is the geometric mean of the known scores, null without any", () => {
    // (.9 · .6 · .4) ^ ⅓ = .216 ^ ⅓ = .6; √(.9 · .4) = .6
    expect(vScore({ relevance: 0.9, consistency: 0.6, agreement: 0.4 })).toBeCloseTo(0.6, 12);
    expect(vScore({ relevance: 0.9, consistency: 0.4, agreement: null })).toBeCloseTo(0.6, 12);
    // A fluent passage that answers nothing: √(.09 · 1) = .3, rejected.
    expect(vScore({ relevance: 0.09, consistency: 1, agreement: null })).toBeCloseTo(0.3, 12);
    expect(vScore({ relevance: 0.9, consistency: 1, agreement: 0 })).toBe(0);
    expect(vScore({ relevance: null, consistency: null, agreement: null })).toBeNull();
    expect(vScore({ relevance: 0, consistency: null, agreement: null })).toBe(0);
  });
});
