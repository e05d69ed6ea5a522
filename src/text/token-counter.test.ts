import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../package.ts";
import { countTokens } from "./cl100k.ts";
import { createTokenCounter } from "./token-counter.ts";
import { createWordTokens } from "./word-tokens.ts";

const PIECES = [
  "word",
  " word",
  "’s",
  "'ll",
  "42",
  "1234567",
  " ",
  "  ",
  "\n",
  "\n\n",
  "\t",
  ".",
  "...",
  ")\n\n",
  ") ",
  "'",
  "/a",
  "-",
  "12 ",
  "٣",
  " | ",
  "é",
  "中文",
  "😀",
  "e\u0301",
  "x".repeat(300),
];

test("counts every part of a text as countTokens counts the slice", () => {
  const texts = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (pieces, a, b) => {
      const text = pieces.join("");
      const start = a % (text.length + 1);
      const end = start + (b % (text.length - start + 1));
      expect(createTokenCounter(text)({ start, end })).toBe(countTokens(text.slice(start, end)));
    }),
    { numRuns: 3_000 },
  );
});

test("counts parts of a real document as countTokens counts the slice", () => {
  const text = readFileSync(join(PACKAGE_ROOT, "CHANGELOG.md"), "utf8");
  const count = createTokenCounter(text);
  for (let start = 0; start < text.length; start += 97)
    for (const length of [5, 40, 700, 4_000]) {
      const end = Math.min(text.length, start + length);
      expect(count({ start, end })).toBe(countTokens(text.slice(start, end)));
    }
});

test("counts words with letters of other alphabets as one, as the encoder does", () => {
  const text = "They met at the café, which is naïve of them, and near the café again.";
  const count = createTokenCounter(text);
  for (let start = 0; start + 30 <= text.length; start++) expect(count({ start, end: text.length })).toBe(countTokens(text.slice(start)));
});

test("knows the words of thousands of texts apart, however many they are", () => {
  const words = createWordTokens();
  const texts = Array.from({ length: 4_000 }, (_, i) => `${(i * 7_919).toString(36)} ${"ab".repeat(i % 50)}x`);
  for (const text of [...texts, ...texts]) {
    const at = text.indexOf(" ");
    expect(words.count(text, 0, at)).toBe(countTokens(text.slice(0, at)));
    expect(words.count(text, at, text.length)).toBe(countTokens(text.slice(at)));
  }
});
