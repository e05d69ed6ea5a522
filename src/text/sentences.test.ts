import fc from "fast-check";
import { expect, test } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { SENTENCE_MAX_CHARS, splitSentences } from "./sentences.ts";

function sentencesOf(text: string): string[] {
  return splitSentences(text).map(({ start, end }) => text.slice(start, end));
}

test.each([
  ["No. You don’t need to. We believe so.", ["No.", "You don’t need to.", "We believe so."], "an answer is no abbreviation"],
  ["See No. 5 and Sec. 4. It holds.", ["See No. 5 and Sec. 4.", "It holds."], "abbreviations before numbers"],
  ["The U.S. Army paid $3.5 million. He left.", ["The U.S. Army paid $3.5 million.", "He left."], "inner stops and decimals"],
  ["He lives in the U.S. The law applies.", ["He lives in the U.S.", "The law applies."], "an abbreviation may end a sentence"],
  ["Under 38 C.F.R. § 4.25, ratings combine.", ["Under 38 C.F.R. § 4.25, ratings combine."], "section signs"],
  [
    "Dr. Smith met J. R. Tolkien, e.g. on Jan. 5. Then Mr. Fox left.",
    ["Dr. Smith met J. R. Tolkien, e.g. on Jan. 5.", "Then Mr. Fox left."],
    "titles",
  ],
  ["“Why?” he said. “Because.” She left.", ["“Why?” he said.", "“Because.”", "She left."], "quotes after the stop"],
  ["Really?! Yes… maybe. (And then.) So", ["Really?!", "Yes… maybe.", "(And then.)", "So"], "several stops, brackets"],
  ["1. First do this. 2. Then that.", ["1. First do this.", "2. Then that."], "enumerations"],
  [
    "From 8:00 a.m. to 9:00 p.m. ET. You can write by 5 p.m. You may.",
    ["From 8:00 a.m. to 9:00 p.m. ET.", "You can write by 5 p.m.", "You may."],
    "times",
  ],
  ["Learn about eBenefits. eBenefits is a site.", ["Learn about eBenefits.", "eBenefits is a site."], "names that begin in lower case"],
  ["Text.[1] Next one.[2][3] Last", ["Text.[1]", "Next one.[2][3]", "Last"], "footnote numbers"],
  ["It costs 40.² It is due.¹⁰", ["It costs 40.²", "It is due.¹⁰"], "raised footnote numbers"],
  ["第一句。第二句！完", ["第一句。", "第二句！", "完"], "stops without blanks"],
  ["OSGLI\nPO Box 41618\n", ["OSGLI", "PO Box 41618"], "hard line breaks"],
  ["   ", [], "nothing"],
])("splits %j (%#)", (text, expected) => {
  expect(sentencesOf(text)).toEqual(expected);
});

test("ranges are trimmed, in order, cover all but white space, and cut no character in two", () => {
  const text = fc.array(
    fc.oneof(fc.constantFrom(". ", "! ", "No. ", "U.S. ", "\n", "😀", "a", "B ", "1", "”", ") "), fc.string({ unit: "grapheme" })),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(text, (parts) => {
      const joined = parts.join("");
      let at = 0;
      for (const { start, end } of splitSentences(joined)) {
        expect(joined.slice(at, start).trim()).toBe("");
        expect(end).toBeGreaterThan(start);
        expect(joined.slice(start, end)).toBe(joined.slice(start, end).trim());
        at = end;
      }
      expect(joined.slice(at).trim()).toBe("");
    }),
  );
});

test.each([
  ["no stop", "word "],
  ["no blank", "😀"],
  ["only stops", "."],
  ["only abbreviations", "U.S. "],
  ["only quotes", '."'],
])("takes linear time and caps the length with %s", async (_, piece) => {
  await expectLinearTime(100_000 / piece.length, (n) => piece.repeat(n), splitSentences);
  const text = piece.repeat(20_000);
  for (const range of splitSentences(text)) {
    expect(range.end - range.start).toBeLessThanOrEqual(SENTENCE_MAX_CHARS);
    expect(text.slice(range.start, range.end)).not.toMatch(/\p{Cs}/u);
  }
});
