import { describe, expect, it } from "vitest";
import { fakeWords } from "../testing/passages.ts";
import { compareFacts } from "./compare-facts.ts";
import { createFactReader, isStatement, type Piece } from "./facts.ts";

const words = fakeWords();
const piece = (text: string, over: Partial<Piece> = {}): Piece => ({
  text,
  type: "paragraph",
  start: 0,
  end: text.length,
  title: "",
  above: [],
  previous: "",
  next: "",
  ...over,
});
const compare = (a: string, b: string, overA: Partial<Piece> = {}, overB: Partial<Piece> = {}) => {
  const reader = createFactReader();
  return compareFacts(reader.read(piece(a, overA), words), reader.read(piece(b, overB), words));
};

describe("compareFacts finds", () => {
  it.each([
    ["value", "A library card costs $5 per year.", "A library card costs $8 per year.", ["$5", "$8"]],
    [
      "value",
      "You must return books within 3 weeks of the loan date.",
      "Return books within 30 days of the loan date.",
      ["3 weeks", "30 days"],
    ],
    [
      "value",
      "There is no time limit for claiming a lost card refund.",
      "Claims for a lost card refund must be made within 2 years.",
      ["no time limit", "2 years"],
    ],
    [
      "date",
      "The reading room opens on May 1, 2026 for members.",
      "The reading room opens on June 1, 2026 for members.",
      ["May 1, 2026", "June 1, 2026"],
    ],
    ["polarity", "We don't lend rare maps to foreign visitors.", "We lend rare maps to foreign visitors.", ["lend", "lend"]],
    [
      "condition",
      "You must sign the loan form at the desk.",
      "You don't need to sign the loan form at the desk.",
      ["must", "don't need to"],
    ],
    [
      "condition",
      "The deposit goes down as your loans go down.",
      "The deposit stays the same as your loans go down.",
      ["goes down", "stays the same"],
    ],
    [
      "condition",
      "We pay for repairs even if you broke the binding.",
      "We pay for repairs only if you broke the binding.",
      ["even if", "only if"],
    ],
  ])("%s: %s / %s", (kind, a, b, values) => {
    const found = compare(a, b);
    expect(found).toMatchObject({ type: "differ", kind });
    if (found?.type !== "differ") return;
    expect([a.slice(found.a.start, found.a.end), b.slice(found.b.start, found.b.end)]).toEqual(values);
    expect(found.certainty).toBeGreaterThan(0);
    expect(found.certainty).toBeLessThanOrEqual(1);
    const turned = compare(b, a);
    expect(turned).toMatchObject({ type: "differ", kind });
  });

  it("a sentence that points back at the one before", () => {
    const found = compare(
      "A museum pass will continue for 1 year after the purchase date.",
      "It continues for 6 months after the purchase date.",
      {},
      { previous: "A museum pass is sold at the desk." },
    );
    expect(found).toMatchObject({ type: "differ", kind: "value" });
  });

  it("cells of one row under one header", () => {
    const row = { type: "table-row" as const, above: ["Card | Price"] };
    expect(compare("Adult card | $5", "Adult card | $8", row, row)).toMatchObject({ type: "differ", kind: "value" });
    expect(compare("Adult card | $5", "Child card | $8", row, row)).toBeNull();
    expect(compare("Adult card | $5", "Adult card | $8", row, { ...row, title: "Prices of 1999" })).toMatchObject({ type: "differ" });
    expect(
      compare("Adult card | $5", "Adult card | $8", { ...row, title: "Harbour branch" }, { ...row, title: "Castle branch" }),
    ).toBeNull();
  });
});

describe("compareFacts takes for no conflict", () => {
  it.each([
    [
      "another unit, rounded",
      "The library's goal for finishing requests is 125 days.",
      "The library's goal for finishing requests is about 4 months.",
    ],
    ["a bound that allows the value", "A loan of rare maps lasts up to 30 days.", "A loan of rare maps lasts 20 days."],
    ["another person", "You can't get a family discount on the card.", "The spouse of a member can get a family discount on the card."],
    ["an example", "A loan of rare maps lasts 20 days.", "For example, a loan of rare maps lasts 25 days."],
    ["other names", "Members of Greenwich pay a yearly deposit of $5.", "Members of Rotherhithe pay a yearly deposit of $8."],
    ["tiers", "With 2 cards you pay a deposit of $5 for the year.", "With 4 cards you pay a deposit of $8 for the year."],
    ["steps of one rule", "You pay $5 for the first card of the household.", "You pay $8 for the second card of the household."],
    ["per month and per year", "The library card costs $5 per month.", "The library card costs $60 per year."],
    [
      "a thing that is named in passing",
      "This visit isn't a conservation survey of the maps.",
      "The results of your conservation survey of the maps",
    ],
    [
      "two denials that cancel out",
      "If the map is on the list, you won't need to show the loan form.",
      "If the map is not on the list, you need to show the loan form.",
    ],
    ["what may be and may not be", "The fee for rare maps may not apply.", "The fee for rare maps may apply."],
    [
      "other subjects",
      "A listed atlas is lent to members of the harbour society for 2 years after entry.",
      "Parchment is lent to members of the harbour society for 7 years after entry.",
    ],
    ["an idiom", "A map that damp caused or stained is repaired.", "The damp at least as likely as not caused or stained the map."],
    ["something else", "A card costs $5.", "The museum's roof was repaired within 8 days."],
    [
      "before and after a date",
      "Members who joined before May 1, 2020 pay a deposit of $5.",
      "Members who joined after May 1, 2020 pay a deposit of $8.",
    ],
  ])("%s", (_why, a, b) => {
    expect(compare(a, b)?.type).not.toBe("differ");
    expect(compare(b, a)?.type).not.toBe("differ");
  });

  it("years in the headings", () => {
    const value = "The deposit for a library card is";
    expect(compare(`${value} $5.`, `${value} $8.`, { above: ["Fees 2018"] }, { above: ["Fees 2019"] })).toBeNull();
    expect(compare(`${value} $5.`, `${value} $8.`, { above: ["Fees 2018"] }, { above: ["Fees 2018"] })).toMatchObject({ type: "differ" });
  });
});

describe("compareFacts", () => {
  it("says that two facts agree", () => {
    expect(compare("A library card costs $5 per year.", "The library card costs $5 per year.")).toMatchObject({ type: "agree" });
  });
  it("stands empty and hostile text, and never finds a text in conflict with itself", () => {
    for (const text of ["", "(", "5", "not not not", "(((((", "a".repeat(700), "no no 5 days or 6 days or 7 days or 8 days"])
      expect(compare(text, text)?.type).not.toBe("differ");
    expect([isStatement(""), isStatement("a".repeat(700)), isStatement("How long is a loan of maps?")]).toEqual([false, false, false]);
  });
});
