import { describe, expect, it } from "vitest";
import { deniedValues } from "./denied-values.ts";
import { quantitiesIn } from "./quantities.ts";

describe("deniedValues", () => {
  it.each([
    ["It is not rated 30 percent.", ["30 percent"]],
    ["It isn't $978 but $1,020.", ["$978"]],
    ["It was never a $5 fee.", ["$5"]],
    ["There is no $25 fee.", ["$25"]],
    ["It is not more than 30 days.", []],
    ["It is not paid within 30 days.", []],
    ["Without tinnitus 60 percent.", []],
    ["Not everyone who moved there in 1990 stayed for 30 days.", []],
    ["It does not help people who paid $25.", []],
    ["Not at all.", []],
  ])("reads %s", (text, denied) => {
    expect(deniedValues(text, quantitiesIn(text)).map(({ start, end }) => text.slice(start, end))).toEqual(denied);
  });
});
