import { describe, expect, it } from "vitest";
import type { PlacedUnit, Quote } from "../shared/types.ts";
import { fakePassage } from "../testing/passages.ts";
import { createAnswerBuilder } from "./quotes.ts";

const passage = fakePassage({ segments: ["One.", "Two.", "Three."] });
const quote = (i: number): Quote => {
  const unit = passage.units[i];
  if (unit === undefined) throw new Error("no such unit");
  return { passage, start: unit.start, end: unit.end, text: passage.text.slice(unit.start, unit.end) };
};

describe("the answer sheet", () => {
  it("numbers citations in order of first use, and reuses a quote's number", () => {
    const sheet = createAnswerBuilder();
    expect(sheet.add("a", [quote(2), quote(0)])).toMatchObject({ index: 0, sentence: { citations: [1, 2] } });
    expect(sheet.add("b", [quote(0), quote(1), quote(0)])).toMatchObject({ index: 1, sentence: { citations: [2, 3] } });
    expect(sheet.citations.map(({ n, quote: text }) => [n, text])).toEqual([
      [1, "Three."],
      [2, "One."],
      [3, "Two."],
    ]);
    expect([sheet.cites(quote(1)), createAnswerBuilder().cites(quote(1))]).toEqual([true, false]);
  });

  it("cites a quote with its own headings, not those of the passage's beginning", () => {
    const heading = (text: string) => ({ type: "heading" as const, text });
    const manual = fakePassage({
      headingPath: ["Pumps"],
      segments: [heading("Model A"), "It lifts 2 m.", heading("Model B"), "It lifts 9 m."],
    });
    const { start, end } = manual.units[3] as PlacedUnit;
    const { citations } = createAnswerBuilder().add("a", [{ passage: manual, start, end, text: "It lifts 9 m." }]);
    expect(citations[0]).toMatchObject({ headingPath: ["Pumps", "Model B"], page: null });
  });
});
