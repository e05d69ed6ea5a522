import { expect, test } from "vitest";
import { parseText } from "./formats/text.ts";
import { loneHeads } from "./line-breaks.ts";

const PAGE = [
  ["1 Before you begin"],
  ["Everything that touches the wort after the boil", "must be clean."],
  ["2 Mashing"],
  ["2.1 The rests"],
  ["Hold the rests given for the recipe. Do not go above 78 degrees."],
  ["Definitions"],
  ["Wort is the sweet liquid before yeast is added."],
  ["What if it does not start?"],
  ["Wait for two days, then pitch a fresh packet of yeast."],
  ["Opening hours"],
  ["Monday 8 to 12", "Friday 8 to 10"],
];

test("finds the lines that head what follows them", () => {
  expect([...loneHeads(PAGE)]).toEqual([0, 2, 3, 5, 7, 9]);
});

test("takes no line for a head where a document has no such habit", () => {
  // Two heads alone; and many lines that might be one, of which few stand above a text.
  expect(loneHeads([...PAGE.slice(0, 2), ...PAGE.slice(5, 7)]).size).toBe(0);
  expect(loneHeads([...PAGE, ...Array.from({ length: 8 }, () => ["A berth for small boats"])]).size).toBe(0);
  expect(loneHeads([]).size).toBe(0);
});

test("takes no sentence, item, record or row for a head", () => {
  const others = [
    ...["Maximum dose 5 tablets a day", "Fire brigade 112", "The deposit is paid back to the"],
    "The pool is closed.",
    "- a kettle",
    "Name: Edith",
    "Winter fee: 5 pounds",
    "Ale     5 g",
    "and then it ended",
    "2026",
    "x".repeat(81),
  ];
  const below = ["A text that follows and ends as a sentence does, as the others do."];
  expect([...loneHeads([...PAGE, ...others.flatMap((line) => [[line], below])])]).toEqual([0, 2, 3, 5, 7, 9]);
});

test("takes the line behind one that asks for its answer, and leaves both where they stand", () => {
  const faq = [
    ["What does the hall cost?"],
    ["Twenty euros an hour"],
    ["May I bring a dog?"],
    ["Dogs wait outside, on a lead, where the rings are."],
  ];
  expect([...loneHeads([...PAGE, ...faq])]).toEqual([0, 2, 3, 5, 7, 9, 13]);
});

test("gives text its headings, a numbered section below its chapter", () => {
  const { text, blocks } = parseText(PAGE.map((lines) => lines.join("\n")).join("\n\n"), "x");
  const heads = blocks.filter(({ type }) => type === "heading").map(({ level, start, end }) => [level, text.slice(start, end)]);
  expect(heads).toEqual([
    [2, "1 Before you begin"],
    [2, "2 Mashing"],
    [3, "2.1 The rests"],
    [2, "Definitions"],
    [2, "What if it does not start?"],
    [2, "Opening hours"],
  ]);
});
