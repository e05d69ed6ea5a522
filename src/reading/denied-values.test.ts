import { describe, expect, it } from "vitest";
import { deniedValues } from "./opposites.ts";
import { quantitiesIn } from "./quantities.ts";

describe("deniedValues", () => {
  it.each([
    ["It is not rated 30 percent.", ["30 percent"]],
    ["It isn't $978 but $1,020.", ["$978"]],
    ["It was never a $5 fee.", ["$5"]],
    ["There is no $25 fee.", ["$25"]],
    ["It is not at a 30 percent rate.", ["30 percent"]],
    ["It is not more than 30 days.", []],
    ["It is not paid within 30 days.", []],
    ["It cannot exceed $25,000.", []],
    ["Members do not pay the $25 fee.", []],
    ["The price does not include the $25 fee.", []],
    ["Say whether or not 30 days have passed.", []],
    ["Take bus no 12.", []],
    ["Without tinnitus 60 percent.", []],
    ["The car is not what people who paid $25 get.", []],
  ])("reads %s", (text, denied) => {
    expect(deniedValues(text, quantitiesIn(text)).map(({ start, end }) => text.slice(start, end))).toEqual(denied);
  });
});
