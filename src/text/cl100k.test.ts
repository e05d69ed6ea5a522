import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { expect, test } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { countTokens } from "./cl100k.ts";

test("counts as the encoder does", () => {
  for (const text of ["", "Who may apply?", "You’ll get $1,224.50 — 38 CFR § 4.25.\n\n| a | b |", "中文 😀 e\u0301"]) {
    expect(countTokens(text)).toBe(encode(text).length);
  }
});

test("counts markers of special tokens as plain text", () => {
  expect(countTokens("<|endoftext|>")).toBeGreaterThan(1);
});

test.each([["a"], [" "], ["!"], ["é"], ["中"], ["\n"]])("takes linear time on a long run of %j", (char) =>
  expectLinearTime(100_000, (n) => char.repeat(n), countTokens),
);
