import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { countNegators, deniedVerbs, deniesAsVerb, deniesClause, deniesNoun, turnsSense, verbOf } from "./negation.ts";

describe("negation", () => {
  it.each(["not", "Never", "cannot", "can't", "can’t", "cant", "doesnt", "wouldn't", "unable"])("%s denies its clause", (word) => {
    expect(deniesClause(word)).toBe(true);
  });

  it.each(["no", "none", "without"])("%s takes one thing away", (word) => {
    expect([deniesNoun(word), deniesClause(word)]).toEqual([true, false]);
  });

  it.each(["want", "front", "consonant", "note", "nonsense", "knot", "content"])("%s denies nothing", (word) => {
    expect([deniesNoun(word), deniesClause(word), deniesAsVerb(word), turnsSense(word), countNegators(word)]).toEqual([
      false,
      false,
      false,
      false,
      0,
    ]);
  });

  it.each([
    ["can't", "can"],
    ["cannot", "can"],
    ["won’t", "will"],
    ["doesnt", "does"],
    ["not", "not"],
    ["lend", "lend"],
  ])("%s without its denial is %s", (word, verb) => {
    expect(verbOf(word)).toBe(verb);
  });

  it.each([
    ["An illness that's not on the list need not be reported.", 2],
    ["It is at least as likely as not, whether or not you agree.", 0],
    ["A non-resident is ineligible without a permit.", 3],
    ["The pump cant lift it and doesnt stop.", 2],
  ])("%s: %i", (text, count) => {
    expect(countNegators(text)).toBe(count);
  });

  it("takes linear time on hostile length", () => expectLinearTime(40_000, (n) => "can't no non-".repeat(n), countNegators));
});

it.each([
  ["Dogs may not enter.", ["may not > may"]],
  [
    "Dogs won't and cannot enter, and never did; they were never asked.",
    ["won't > will", "cannot > can", "and never > and", "were never > were"],
  ],
  ["Dogs are not only welcome.", []],
  ["Whether or not dogs enter, no dog stays.", []],
  ["", []],
])("%s: denies its verbs: %j", (text, denied) => {
  expect(deniedVerbs(text).map(({ start, end, affirmed }) => `${text.slice(start, end)} > ${affirmed}`)).toEqual(denied);
});
