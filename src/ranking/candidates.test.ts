import { describe, expect, it } from "vitest";
import { parseFirst } from "../ingest/testing/first-document.ts";
import type { Passage, TextRange } from "../shared/types.ts";
import { fakePassage } from "../testing/passages.ts";
import { unitsIn } from "../text/units.ts";
import { candidatesOf } from "./candidates.ts";

/** Returns a paragraph whose lines are separate units, as the normaliser keeps them for intended line breaks. */
function rowsPassage(lines: readonly string[]): Passage {
  const made = fakePassage({ segments: lines });
  return { ...made, units: made.units.map((unit) => ({ ...unit, block: 0 })) };
}

const made = (passage: Passage, wholeLists = false) => candidatesOf(passage, { maxCharacters: 1200, maxCandidates: 20, wholeLists });
const slicesOf = ({ text }: Passage, ranges: readonly TextRange[]) => ranges.map(({ start, end }) => text.slice(start, end));
const textsOf = (passage: Passage) =>
  slicesOf(
    passage,
    made(passage).map(({ range }) => range),
  );
/** Returns, for each candidate, the texts of its context followed by its own text. */
const contextsOf = (passage: Passage) => made(passage).map(({ range, context }) => slicesOf(passage, [...context, range]));

describe("candidatesOf", () => {
  it("joins lines of a paragraph, and starts a new candidate at a line that announces others", () => {
    const lines = ["Wire rope, worn to:", "9 mm 20", "8 mm 30", "Chain, worn to:", "12 mm 10", "11 mm 20"];
    expect(textsOf(rowsPassage(lines))).toEqual(["Wire rope, worn to:\n9 mm 20\n8 mm 30", "Chain, worn to:\n12 mm 10\n11 mm 20"]);
  });

  it("splits many lines of a paragraph that would be too long, and loses none", () => {
    const lines = Array.from({ length: 60 }, (_, i) => `Berth ${i} takes a boat of ${i + 3} tons and no more`);
    const segments = textsOf(rowsPassage(lines));
    expect(segments.length).toBeGreaterThan(3);
    expect(segments.join("\n")).toBe(lines.join("\n"));
    expect(Math.max(...segments.map((text) => text.length))).toBeLessThanOrEqual(700);
  });

  it("adds the previous sentence to one that limits it, and to no other", () => {
    const passage = fakePassage({ segments: ["The mole is closed.", "However, members may pass.", "Boats lie at the quay."] });
    expect(made(passage).map(({ context }) => slicesOf(passage, context))).toEqual([[], ["The mole is closed."], []]);
  });

  it("adds nothing from a section that has ended", () => {
    const page = "<h2>Dogs</h2><details><summary>Big</summary><p>They stay outside.</p></details><p>However, members may bring theirs.</p>";
    const document = parseFirst("a.html", `<title>T</title>${page}`);
    const passage = {
      ...fakePassage({ segments: [] }),
      text: document.text,
      units: unitsIn(document),
      range: { start: 0, end: document.text.length },
    };
    expect(made(passage).map(({ context, conditions }) => [context.length, conditions.length])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it.each([
    ["Its notice period is three months.", true],
    ["Clean it with a dry brush, never with water.", true],
    ["The clerk gives them back.", false],
    ["It is important to clean the blade.", false],
  ])("%s: depends on the previous sentence: %s", (sentence, leans) => {
    const before = "The bread slicer is used by trained staff only.";
    expect(contextsOf(rowsPassage([before, sentence])).at(-1)).toEqual(leans ? [before, sentence] : [sentence]);
  });

  it("adds the heading of a list without an introduction", () => {
    const item = (text: string) => ({ type: "list-item" as const, text });
    const heading = (text: string) => ({ type: "heading" as const, text });
    const list = fakePassage({ segments: [heading("Not allowed"), item("Glass bottles"), item("Water pistols")] });
    expect(contextsOf(list)).toEqual([["Not allowed", "Glass bottles\nWater pistols"]]);
    const behind = fakePassage({ segments: [heading("Not allowed"), "It is for your safety.", item("Glass bottles"), "Stay dry."] });
    expect(contextsOf(behind)).toEqual([["It is for your safety."], ["Not allowed", "Glass bottles"], ["Stay dry."]]);
    const announced = fakePassage({ segments: [heading("Rules"), "Leave at home:", item("Glass bottles")] });
    expect(contextsOf(announced)).toEqual([["Leave at home:\nGlass bottles"]]);
    const titled = fakePassage({ title: "Pool rules", segments: [heading("Pool rules"), item("No glass"), item("No dogs")] });
    expect(contextsOf(titled)).toEqual([["No glass\nNo dogs"]]);
  });

  it("adds a limit to the list that it introduces, and the text after a table to each row", () => {
    const item = (text: string) => ({ type: "list-item" as const, text });
    const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });
    const conditionsOf = (passage: Passage) => made(passage).map(({ range, conditions }) => slicesOf(passage, [range, ...conditions]));
    const fares = fakePassage({
      segments: [row("Fare | Bags"), row("Light | 0"), row("Flex | 2"), "Exceptions:", item("Infants have none."), "Ask."],
    });
    expect(conditionsOf(fares).slice(0, 2)).toEqual([
      ["Light | 0", "Exceptions:\nInfants have none."],
      ["Flex | 2", "Exceptions:\nInfants have none."],
    ]);
    const numbers = fakePassage({ segments: ["Numbers cannot be sold.", "The only exception is the transfer window.", "Pens are sold."] });
    expect(conditionsOf(numbers)[0]).toEqual(["Numbers cannot be sold.", "The only exception is the transfer window."]);
  });

  it("adds the answer below a question, and never uses the question alone", () => {
    const item = (text: string) => ({ type: "list-item" as const, text });
    const terms = fakePassage({ segments: ["How do I renew my permit?", item("Visit counter 5."), "Lockers", item("Bring a coin.")] });
    const shown = made(terms, true).map(({ range, context }) => slicesOf(terms, [range, ...context]));
    expect(shown).toEqual([["Visit counter 5.", "How do I renew my permit?"], ["Lockers"], ["Bring a coin.", "Lockers"]]);
  });

  describe("nested lists", () => {
    const item = (level: number, text: string) => ({ type: "list-item" as const, level, text });
    const fusidic = [item(1, "Fusidic acid drops"), item(2, "twice a day"), item(2, "keep cold")];
    const ofloxacin = [item(1, "Ofloxacin drops"), item(2, "four times a day")];
    const cleaner = item(1, "Ear cleaner: once a week");

    it("give each item with its nested items and the introduction", () => {
      const drops = fakePassage({ segments: ["Give at home:", ...fusidic, cleaner, ...ofloxacin] });
      expect(textsOf(drops)).toEqual([
        "Fusidic acid drops\ntwice a day\nkeep cold",
        "Ear cleaner: once a week",
        "Ofloxacin drops\nfour times a day",
      ]);
      expect(contextsOf(drops).map(([before]) => before)).toEqual(["Give at home:", "Give at home:", "Give at home:"]);
    });

    it("stay whole if lists are requested, and if only one item has nested ones", () => {
      const drops = fakePassage({ segments: ["Give at home:", ...fusidic, ...ofloxacin] });
      expect(made(drops, true).map(({ range }) => range)).toEqual([drops.range]);
      expect(textsOf(fakePassage({ segments: ["Give at home:", ...fusidic, cleaner] }))).toHaveLength(1);
    });
  });

  it("do not include two lines of a paragraph, or separate paragraphs", () => {
    expect(textsOf(rowsPassage(["Harbour office.", "Open from 8 to 12."]))).toHaveLength(2);
    expect(textsOf(fakePassage({ segments: ["The mole is closed.", "Boats lie at the quay.", "They pay nothing."] }))).toHaveLength(3);
  });
});
