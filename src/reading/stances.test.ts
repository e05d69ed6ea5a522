import { describe, expect, it } from "vitest";
import { isExample, personsIn, stancesIn } from "./opposites.ts";

describe("stancesIn", () => {
  it.each([
    ["You must apply.", ["must"]],
    ["You don't need to apply.", ["free"]],
    ["You don’t have to apply.", ["free"]],
    ["Coverage goes down.", ["down"]],
    ["Coverage stays the same.", ["same"]],
    ["You can be paid just once.", ["once"]],
    ["Take it as many times as you need.", ["often"]],
    ["Send all required and optional documents.", []],
    ["", []],
  ])("%s %j", (text, sides) => {
    expect(stancesIn(text).map(({ side }) => side)).toEqual(sides);
  });
  it("says where it stands", () => {
    const text = "You don't need to sign.";
    const [stance] = stancesIn(text);
    expect(text.slice(stance?.start, stance?.end)).toBe("don't need to");
  });
});

describe("personsIn", () => {
  it("finds whom a text is about; the reader only in headings", () => {
    expect(personsIn("The surviving spouse of a Veteran")).toEqual(["spouse"]);
    expect(personsIn("Veterans Pension", true)).toEqual(["veteran"]);
    expect(personsIn("You can apply.")).toEqual([]);
  });
});

describe("isExample", () => {
  it("knows stories and examples from rules", () => {
    expect(isExample("For example, a rating of 50%.")).toBe(true);
    expect(isExample("He needed to stay for 25 days.")).toBe(true);
    expect(isExample("You need to stay for 25 days.")).toBe(false);
  });
});
