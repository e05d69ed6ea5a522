import { describe, expect, it } from "vitest";
import { trimPassages, type WeighedPiece } from "../answer/compress.ts";
import { fakeEvidence, fakePassage } from "../testing/passages.ts";
import type { PlacedUnit } from "../types.ts";

const filler = (n: number) => Array.from({ length: n }, (_, i) => `Filler sentence number ${i}.`);
const passageOf = (sid: string, pieces: Parameters<typeof fakePassage>[0]["pieces"]) => ({
  ...fakePassage({ document: sid, pieces }),
  sid,
});

/** The pieces of a passage whose text begins so, with their chances. */
function scored(passage: ReturnType<typeof passageOf>, chances: Readonly<Record<string, number>>): WeighedPiece[] {
  return Object.entries(chances).map(([text, chance]) => {
    const unit = passage.units.find(({ start }) => passage.text.startsWith(text, start)) as PlacedUnit;
    const piece = { range: unit, context: [], conditions: [] };
    return { chance, view: { piece, evidence: fakeEvidence(passage) } };
  });
}

describe("trimPassages", () => {
  it("keeps what bears on the question with its neighbours and its heading, and leaves out the rest", () => {
    const passage = passageOf("S1", [
      ...filler(6),
      { type: "heading", text: "Costs" },
      "Before it.",
      "A card costs 7.",
      "After it.",
      ...filler(6),
    ]);
    const [source] = trimPassages([passage], scored(passage, { "A card costs 7.": 0.8, "Filler sentence number 2.": 0.01 }));
    expect(source?.stretches.map(({ text }) => text)).toEqual(["Costs\nBefore it.\nA card costs 7.\nAfter it."]);
  });

  it("keeps the best of every passage, the best passage first", () => {
    const one = passageOf("S1", ["Weak hint.", ...filler(9)]);
    const two = passageOf("S2", [...filler(9), "The answer."]);
    const pieces = [...scored(one, { "Weak hint.": 0.05 }), ...scored(two, { "The answer.": 0.9, "Filler sentence number 3.": 0.1 })];
    const sources = trimPassages([one, two], pieces);
    expect(sources.map(({ passage }) => passage.sid)).toEqual(["S2", "S1"]);
    expect(sources[0]?.stretches.map(({ text }) => text)).toEqual(["Filler sentence number 8.\nThe answer."]);
    expect(sources[1]?.stretches.map(({ text }) => text)).toEqual(["Weak hint.\nFiller sentence number 0."]);
  });

  it("leaves a passage whole of which most is kept, or of which nothing is known", () => {
    const short = passageOf("S1", ["First.", "The answer.", "Last."]);
    expect(trimPassages([short], scored(short, { "The answer.": 0.5 }))[0]?.stretches.map(({ text }) => text)).toEqual([short.text]);
    expect(trimPassages([short], [])[0]?.stretches.map(({ text }) => text)).toEqual([short.text]);
  });
});
