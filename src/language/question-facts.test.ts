import { describe, expect, it } from "vitest";
import { createQuestionFactReader, entityJaccard, findFactConflict, holdSameFacts, inWordsOf } from "./question-facts.ts";

const { read, spellOut } = createQuestionFactReader({
  title: "Harbour pensions",
  hosts: ["www.hpf.org"],
  abbreviations: { ERB: ["early retirement bonus"], DPA: ["dock pilots allowance", "pilots' allowance"] },
  synonyms: [
    ["plan 12", "early retirement bonus"],
    ["widow", "surviving spouse"],
  ],
  entities: [{ type: "form", canonical: "Form $1", patterns: ["\\bform\\s+(\\d{2}-[a-z]+)\\b"] }],
});
const conflict = (asked: string, stored: string) => findFactConflict(read(asked), read(stored))?.rule ?? null;

describe("findFactConflict", () => {
  it.each([
    ["What does a berth cost at 30 days?", "What does a berth cost at 60 days?", "values"],
    ["Who is paid at least 30 days?", "Who is paid at most 30 days?", "values"],
    ["Who is paid before 2019?", "Who is paid after 2019?", "values"],
    ["What does a berth cost?", "What does a berth cost after 30 days?", "values"],
    ["Where does form 12-abc go?", "Where does form 12-abd go?", "codes"],
    ["Who may dock at night?", "Who may not dock at night?", "polarity"],
    ["Is the fee due to Quillfeather Trust?", "Is the fee due to the port?", "names"],
    ["when is the ERB paid", "when is the DPA paid", "names"],
    ["when is the ERB paid", "when is the wage paid", "names"],
    ["which berth takes the zorbex", "who may moor a quillix", "names"],
    ["Is it ½ of the fee?", "Is it the fee?", "values"],
    ["On what day do the pilots meet the clerks?", "At what time do the pilots meet the clerks?", "contrast"],
    ["how long is the widow paid for the berth", "how long is the sailor paid for the berth", "contrast"],
    ["Where does the silicon go?", "Where does the silicone go?", "contrast"],
    ["What does the clarinettist pay?", "What does the clarinet pay?", "contrast"],
  ])("finds %s against %s, in either order: %s", (one, other, rule) => {
    expect([conflict(one, other), conflict(other, one)]).toEqual([rule, rule]);
  });

  it.each([
    ["How long must I wait, 12 months?", "is the wait one year long"],
    ["when is the ERB paid", "When is the early retirement bonus paid?"],
    ["when is plan 12 paid", "When is the ERB paid?"],
    ["is the dpa taxed", "Are the pilots' allowances taxed?"],
    ["what does the Quillfeather Trust pay", "quillfeather trust payments"],
    ["does the HPF pay", "Who pays harbour pensions?"],
    ["whats the fee", "What's the fee?"],
    ["recieve the fee", "get the fee"],
    ["What does a Blue Account cost?", "fee of blue acct"],
    ["Does a widow get it?", "Does a surviving spouse get it?"],
    ["How long is a widow paid for the berth?", "how long is the surviving spouse paid for the berth"],
    ["price of a berth", "cost of a berth"],
    ["Where do the seats go?", "where does the seat's cover go, and the cover of the seat"],
    ["Who is planning the berths?", "Who plans the berth?"],
    ["On what day do the pilots meet the clerks?", "which day do clerks and pilots meet"],
    ["", ""],
  ])("finds none between %s and %s", (one, other) => {
    expect([conflict(one, other), conflict(other, one)]).toEqual([null, null]);
  });

  it("survives hostile and huge input", () => {
    for (const text of ["(".repeat(5_000), "9".repeat(5_000), "﷽\u0000\ud800 ½ ③", `${"not ".repeat(2_000)}`])
      expect(findFactConflict(read(text), read(text))).toBeNull();
    // The end of a long text is not analysed, because the cross-encoder does not compare such questions.
    expect(read(`${"word ".repeat(300)}7 days`).values).toEqual([]);
  });
});

describe("holdSameFacts", () => {
  it("compares values, codes and negations, but not names", () => {
    expect(holdSameFacts(read("who pays at sevnty percent"), read("who pays at seventy percent"))).toBe(false);
    expect(holdSameFacts(read("who nevver pays"), read("who never pays"))).toBe(false);
    expect(holdSameFacts(read("who pays the ferrry"), read("who pays the ferry"))).toBe(true);
  });
});

describe("entityJaccard", () => {
  it.each([
    ["rules of the house", "rules of the game", 1],
    ["ERB at 60%", "early retirement bonus at 60%", 1],
    ["ERB at 60%", "ERB at 70%", 1 / 3],
    ["ERB", "DPA", 0],
    ["ERB", "bonus", 0],
    ["ERB of Quillfeather", "ERB", 1 / 2],
  ])("%s, %s: %f", (one, other, expected) => {
    expect(entityJaccard(read(one), read(other))).toBeCloseTo(expected, 9);
    expect(entityJaccard(read(other), read(one))).toBeCloseTo(expected, 9);
  });
});

describe("equivalents of the pack", () => {
  it("writes the new question in the stored one's phrases", () => {
    const stored = read("Is the ERB due to a surviving spouse?");
    expect(inWordsOf(stored, read("Does a widow get the early retirement bonus?"))).toBe("Does a surviving spouse get the ERB?");
    expect(inWordsOf(stored, read("Does a clerk get the pilots' allowance?"))).toBe("Does a clerk get the pilots' allowance?");
  });

  it("expands abbreviations, and changes nothing else", () => {
    expect(spellOut("When is the ERB due to a widow?")).toBe("When is the early retirement bonus due to a widow?");
    expect(spellOut("")).toBe("");
  });
});
