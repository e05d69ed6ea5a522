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

test("takes the first heading or the file name as title", () => {
  expect(parseText("CHAPTER 1. Loomings\n\nx", "file").metadata.title).toBe("CHAPTER 1. Loomings");
  expect(parseText("x", "file").metadata.title).toBe("file");
});
