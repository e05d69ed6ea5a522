import { expect, test } from "vitest";
import { countTokens, RUN_LIMIT } from "./cl100k.ts";

/** Counts of gpt-tokenizer 4.0.0, markers of special tokens as plain text. */
test.each([
  ["", 0],
  ["a", 1],
  ["Who may apply?", 4],
  ["You’ll get $1,224.50 — 38 CFR § 4.25.\n\n| a | b |", 24],
  ["中文 😀 é", 4],
  ["<|endoftext|>", 7],
  ["They'LL've said it's 1234567 times...\r\n\r\n\tx", 15],
  ["   leading and trailing   \n  \n", 6],
  ["Страхование жизни; تأمين على الحياة; 生命保険", 27],
  ["antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis", 21],
  ["const f = (x: number) => x ** 2; // {[()]}", 18],
  ["\ud800 half a pair", 4],
  ["  no-break​zero", 7],
  [" 👩‍👩‍👧‍👦🇩🇪", 23],
  [
    "zzzzqqqqxxxxjjjjzzzzqqqqxxxxjjjjzzzzqqqqxxxxjjjjzzzzqqqqxxxxjjjjzzzzqqqqxxxxjjjjzzzzqqqqxxxxjjjjzzzzqqqqxxxxjjjjzzzzqqqqxxxxjjjjzzzzqqqqxxxxjjjjzzzzqqqqxxxxjjjj",
    70,
  ],
])("counts as the encoder does: %j", (text, tokens) => {
  expect(countTokens(text)).toBe(tokens);
});

test.each(["a", " ", "!", "é", "中", "\n"])("counts a long run of %j in pieces, which takes linear time", (char) => {
  expect(countTokens(char.repeat(400 * RUN_LIMIT))).toBe(400 * countTokens(char.repeat(RUN_LIMIT)));
});
