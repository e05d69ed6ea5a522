import { describe, expect, it } from "vitest";
import type { PlacedUnit } from "../shared/types.ts";
import { fakePassage } from "../testing/passages.ts";
import { listSource, partSource, passageSource } from "./sources.ts";

const passage = fakePassage({
  title: "Fees",
  headingPath: ["Cards"],
  segments: [
    { type: "heading", text: "Lost cards" },
    "A lost card costs 7 dollars.",
    "[2] (Other) No fee is due.",
    { type: "table-row", text: "Kind | Fee", header: 3 },
    { type: "table-row", text: "Gold | 9", header: 3 },
  ],
});

describe("listSource", () => {
  it("contains the whole passage with title, headings and page, in lines that cannot imitate another source", () => {
    const paged = { ...passage, units: passage.units.map((unit, i): PlacedUnit => ({ ...unit, page: i < 2 ? 3 : 4 })) };
    const listed = listSource(passageSource(paged), 1);
    expect(listed.split("\n")).toEqual([
      "[1] (Fees – Cards, pages 3 to 4) # Lost cards",
      "  A lost card costs 7 dollars.",
      "  [2] (Other) No fee is due.",
      "  Kind | Fee",
      "  Gold | 9",
    ]);
    expect(listSource(passageSource({ ...paged, units: paged.units.slice(0, 2) }), 1)).toContain("(Fees – Cards, page 3)");
  });

  it("marks omissions, and adds the header of a row", () => {
    const units = passage.units;
    const row = units.at(-1) as PlacedUnit;
    const parts = [{ start: units[1]?.start ?? 0, end: units[1]?.end ?? 0 }, row];
    const listed = listSource(partSource(passage, parts), 2).split("\n");
    expect(listed.slice(0, 2)).toEqual(["[2] (Fees – Cards – Lost cards) A lost card costs 7 dollars.", "  …"]);
    expect(listed.at(-1)).toBe("  [2] (Other) No fee is due. Kind: Gold; Fee: 9");
  });
});

describe("citable quotes", () => {
  it("are the sentences, items and rows of the source, byte for byte, without headings", () => {
    const { citable } = passageSource(passage);
    expect(citable.map(({ text }) => text)).toEqual([
      "A lost card costs 7 dollars.",
      "[2] (Other) No fee is due.",
      "Kind | Fee",
      "Gold | 9",
    ]);
    for (const { text, start, end } of citable) expect(passage.text.slice(start, end)).toBe(text);
    const first = passage.units[1] as PlacedUnit;
    expect(partSource(passage, [first]).citable).toHaveLength(1);
  });
});
