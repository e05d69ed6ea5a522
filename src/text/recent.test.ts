import { expect, it } from "vitest";
import { recent } from "./recent.ts";

it("makes a result once for as long as it is among the last asked for, and anew for long texts", () => {
  const made: string[] = [];
  const length = recent(2, (text) => {
    made.push(text);
    return { n: text.length };
  });
  expect(["a", "bb", "a", "ccc", "a", "bb"].map((text) => length(text).n)).toEqual([1, 2, 1, 3, 1, 2]);
  expect(made).toEqual(["a", "bb", "ccc", "bb"]);
  const long = "x".repeat(2_001);
  expect([length(long).n, length(long).n]).toEqual([2_001, 2_001]);
  expect(made.filter((text) => text === long)).toHaveLength(2);
});
