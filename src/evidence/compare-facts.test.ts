import { describe, expect, it } from "vitest";
import { fakeWords } from "../testing/passages.ts";
import cases from "./compare-facts.cases.json" with { type: "json" };
import { compareFacts } from "./compare-facts.ts";
import type { Segment } from "./facts.ts";
import { createFactReader, isStatement } from "./facts.ts";

const words = fakeWords();
const segment = (text: string, over: Partial<Segment> = {}): Segment => ({
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
const compare = (a: string, b: string, overA: Partial<Segment> = {}, overB: Partial<Segment> = {}) => {
  const reader = createFactReader();
  return compareFacts(reader.read(segment(a, overA), words), reader.read(segment(b, overB), words));
};

describe("compareFacts finds", () => {
  it.each([
    ["value", "A library card costs $5 per year.", "A library card costs $8 per year.", ["$5", "$8"]],
    [
      "value",
      "There is no time limit for claiming a lost card refund.",
      "Claims for a lost card refund must be made within 2 years.",
      ["no time limit", "2 years"],
    ],
    ["polarity", "We don't lend rare maps to foreign visitors.", "We lend rare maps to foreign visitors.", ["lend", "lend"]],
    ["value", "Damp maps are dried for 5 days in the tower.", "Damp maps are dried for 8 days.", ["5 days", "8 days"]],
    // The sentences differ in one value. Equal values beside it do not matter.
    ["value", "A map of 3 sheets dries in 3 days.", "A map of 3 sheets dries in 5 days.", ["3 days", "5 days"]],
    ["value", "In 25 of 25 libraries maps are free.", "In 25 of 31 libraries maps are free.", ["25", "31"]],
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

  it.each([
    ["The large pump is rated for salt water in the harbour.", "The large pump is not rated for salt water in the harbour."],
    ["The small pump cant lift sand from the harbour floor.", "The small pump can lift sand from the harbour floor."],
  ])("one negated word in a copy: %s", (a, b) => {
    expect(compare(a, b)).toMatchObject({ type: "differ", kind: "polarity" });
    expect(compare(b, a)).toMatchObject({ type: "differ", kind: "polarity" });
    expect(compare(a, a)?.type).not.toBe("differ");
    expect(compare(b, b)?.type).not.toBe("differ");
  });

  it("a sentence that refers to the one before", () => {
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
    const between = (card: string, one: string, other: string) =>
      compare(`${card} | $5`, `${card} | $8`, { ...row, title: one }, { ...row, title: other });
    expect(between("Adult card", "Harbour branch", "Castle branch")).toBeNull();
    // The title word "plus" separates the tables, although both titles and both rows contain "Gold".
    expect(between("Gold card", "Gold account", "Gold plus account")).toBeNull();
  });
});

describe("compareFacts finds no conflict between", () => {
  it.each(cases.agreeing)("%s", (_why, a, b) => {
    expect(compare(a, b)?.type).not.toBe("differ");
    expect(compare(b, a)?.type).not.toBe("differ");
  });

  it("sentences about each document's own subject, if neither mentions the other's", () => {
    const [a, b] = ["The median length of a loan was 70 days (range 1 to 540).", "The median length of a loan was 4 months."];
    const value = { type: "differ", kind: "value" };
    expect(compare(a, b, { title: "Harbour Atlas" }, { title: "Parchment" })).toBeNull();
    // Common words in the titles do not separate equal sentences.
    expect(compare(a, b, { title: "Card prices" }, { title: "Card fees" })).toMatchObject(value);
    expect(compare(a, `${b.slice(0, -1)} for maps.`, { title: "Card prices" }, { title: "Card fees" })).toBeNull();
    // One sentence names its subject only in the title, the other in its text.
    expect(compare(a, "The median length of a loan of VELLUMAX was 4 months.", { title: "Harbour Atlas" })).toBeNull();
    expect(compare(a, b, { title: "Harbour Atlas" }, { title: "Harbour Atlas" })).toMatchObject(value);
    // A general page and a page about a part of it may contradict each other.
    expect(compare(a, b, { title: "Harbour Atlas" }, {})).toMatchObject(value);
  });

  it("different numbers of a name, such as a room, below different titles", () => {
    const [a, b] = ["Ask in the harbour office, room 203, or by post.", "Ask in the harbour office, room 205, or by post."];
    expect(compare(a, b, { title: "Boat permit" }, { title: "Boat permit" })).toMatchObject({ type: "differ" });
    expect(compare(a, b, { title: "Boat permit" }, { title: "" })?.type).not.toBe("differ");
    // A number that counts something is not a name.
    const [five, eight] = ["The harbour office sends 5 letters, or one by post.", "The harbour office sends 8 letters, or one by post."];
    expect(compare(five, eight, { title: "Boat permit" }, { title: "" })).toMatchObject({ type: "differ" });
  });

  it("table columns or list items about two things", () => {
    const cell = (column: string) => ({ type: "table-cell" as const, above: [column, "Fees"] });
    const value = "We cover the full binding costs and up to";
    const columns = (a: string, b: string) => compare(`${value} $5 per year.`, `${value} $8 per year.`, cell(a), cell(b));
    expect(columns("Harbour card", "Castle card")).toBeNull();
    expect(columns("Harbour card", "Harbour card")).toMatchObject({ type: "differ" });
    const item = (title: string) => ({ type: "list-item" as const, title, above: ["You:"] });
    const served = (days: number) => `Worked at least ${days} days at the harbour desk of the library`;
    const certainty = (a: string, b: string) => {
      const found = compare(served(90), served(30), item(a), item(b));
      return found?.type === "differ" ? found.certainty : 0;
    };
    expect(certainty("Badge", "Badge")).toBeGreaterThan(certainty("Badge", "Ribbon badge"));
  });
});

describe("compareFacts", () => {
  it("recognises two facts that agree", () => {
    expect(compare("A library card costs $5 per year.", "The library card costs $5 per year.")).toMatchObject({ type: "agree" });
  });
  it("survives empty and hostile text, and finds no conflict of a text with itself", () => {
    for (const text of ["", "(", "5", "not not not", "(((((", "a".repeat(700), "no no 5 days or 6 days or 7 days or 8 days"])
      expect(compare(text, text)?.type).not.toBe("differ");
    expect([isStatement(""), isStatement("a".repeat(700)), isStatement("How long is a loan of maps?")]).toEqual([false, false, false]);
  });
});
