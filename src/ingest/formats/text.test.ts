import { expect, test } from "vitest";
import { blocksOf } from "./show-blocks.test-helper.ts";
import { parseText } from "./text.ts";

test.each<[string, string[], string]>([
  [
    "One line\nwrapped hard.\n\nNext\r\none.",
    ["paragraph One line wrapped hard.", "paragraph Next one."],
    "empty lines separate paragraphs",
  ],
  ["CHAPTER 1. Loomings.\n\nCall me.", ["heading1 CHAPTER 1. Loomings.", "paragraph Call me."], "chapters"],
  [
    "§4.25   Combined ratings table.\nText of it\nwrapped.",
    ["heading2 §4.25 Combined ratings table.", "paragraph Text of it wrapped."],
    "sections",
  ],
  [
    "§4.16   Total disability ratings for compensation based on unemployability of the\nindividual.\n(a) Total",
    ["heading2 §4.16 Total disability ratings for compensation based on unemployability of the individual.", "paragraph (a) Total"],
    "a heading that runs over",
  ],
  [
    "§ 7.1 Owls. An owl sleeps in box 11.\n\n§ 7.2 Moles. A mole digs.\nIt rests.\n\n§ 7.3 is repealed.",
    [
      "heading2 § 7.1 Owls.",
      "paragraph An owl sleeps in box 11.",
      "heading2 § 7.2 Moles.",
      "paragraph A mole digs. It rests.",
      "paragraph § 7.3 is repealed.",
    ],
    "a heading on the line of its text; a sentence about a section is none",
  ],
  [
    "Article 4 Rent. The tenant pays it on the first of each month to the owner of the house, or to whom the owner names.\n\nPart 2 of the form asks who pays. Sign it.",
    [
      "heading2 Article 4 Rent.",
      "paragraph The tenant pays it on the first of each month to the owner of the house, or to whom the owner names.",
      "paragraph Part 2 of the form asks who pays. Sign it.",
    ],
    "of an article, however long its text",
  ],
  ["GENERAL RULES\n\nText", ["heading2 GENERAL RULES", "paragraph Text"], "capitals alone on a line"],
  [
    "NASA\n\nI.\n\nOK!\n\n1234",
    ["heading2 NASA", "paragraph I.", "paragraph OK!", "paragraph 1234"],
    "but not exclamations, numbers, numerals",
  ],
  [
    "Part of the rule\nis here.\n\nChapter and verse, he said,\n\nx",
    ["paragraph Part of the rule is here.", "paragraph Chapter and verse, he said,", "paragraph x"],
    "prose is no heading",
  ],
  ["See:\n- one\n  more\n* two", ["paragraph See:", "list-item1 one more", "list-item1 two"], "bullets"],
  ["1) one\n2) two", ["list-item1 1) one", "list-item1 2) two"], "numbered items keep their number"],
  ["**a** <b> &amp; [c](d)", ["paragraph **a** <b> &amp; [c](d)"], "nothing is markup"],
  ["", [], "nothing"],
])("%j (%#)", (source, expected) => {
  expect(blocksOf(parseText(source, "file"))).toEqual(expected);
});

test.each([
  ["Keeping bees in a town\n\nA hive needs sun.", "Keeping bees in a town", "a first line that is no sentence"],
  ["Keeping Bees\nin a Town\n\nCHAPTER 1. Hives\n\nA hive needs sun.", "Keeping Bees in a Town", "two lines of it"],
  [
    "This text may be copied freely.\n\nTitle: Keeping Bees\n\nCHAPTER 1\n\nA hive needs sun.",
    "Keeping Bees",
    "what the text calls its title",
  ],
  ["Printed in 1907.\n\nKEEPING BEES\n\nCHAPTER I\n\nA hive needs sun.", "KEEPING BEES", "a heading that names no part"],
  ["CHAPTER 1. Hives\n\nA hive needs sun.\n\nCHAPTER 2. Honey\n\nx", "file", "never a chapter of several"],
  ["§ 12.4 Hives in towns\n\nA hive needs sun.\n\n§ 12.5 Honey\n\nx", "file", "never a section of several"],
  ["§ 12.4 Hives in towns\n\nA hive needs sun.", "§ 12.4 Hives in towns", "a section that is all of the text"],
  ["A hive needs sun. It needs water too.\n\nBees fly far.", "file", "never a sentence"],
  ["- a hive\n- a veil", "file", "never an item"],
  ["Hives", "file", "never the whole text"],
  ["", "file", "nothing"],
])("title of %j: %s (%#)", (source, expected) => {
  expect(parseText(source, "file").metadata.title).toBe(expected);
});

test("a title that is underlined is a heading, and its line is no text", () => {
  const { text, blocks, metadata } = parseText(
    "Widget 2\n========\nA tool.\n\nInstall\n-------\n\nRun make.\n\nTotal\n--------------------\n",
    "README",
  );
  expect(blocks.map(({ type, level, start, end }) => `${type} ${level} ${text.slice(start, end)}`)).toEqual([
    "heading 1 Widget 2",
    "paragraph 0 A tool.",
    "heading 2 Install",
    "paragraph 0 Run make.",
    "paragraph 0 Total --------------------",
  ]);
  expect(metadata.title).toBe("Widget 2");
});
