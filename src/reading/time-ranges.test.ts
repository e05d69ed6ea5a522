import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { mayCover, namedTime } from "./numbers.ts";

const covers = (text: string, word: string) => {
  const time = namedTime(word);
  return time === null ? null : mayCover(text, time);
};

describe("mayCover", () => {
  it.each([
    ["Open from Monday to Friday.", "Tuesday", true],
    ["Open Mon–Fri, 9 to 5.", "wednesday", true],
    ["Open from Monday to Friday.", "Sunday", false],
    ["Closed between 1 October and 15 March.", "January", true],
    ["Closed between 1 October and 15 March.", "July", false],
    ["Open from 1 April 2026 to 30 September.", "june", true],
    ["Staffed on Monday and Wednesday.", "Tuesday", false],
    ["The market is open in July from 9 am to 5 pm.", "December", false],
    ["Fees are paid back until the end of March.", "February", true],
    ["Cancel before 31 March.", "February", true],
    ["They march at noon, and may rest.", "February", false],
    ["", "May", false],
  ])("%s: %s: %s", (text, word, expected) => expect(covers(text, word)).toBe(expected));

  it("takes words in small letters for times only where they mean nothing else", () => {
    expect(["july", "Mar", "mar", "may", "May", "sun", "Sun", "tuesday"].map((word) => namedTime(word)?.number ?? null)).toEqual([
      ...[7, 3, null, null, 5, null, 7, 2],
    ]);
  });

  it.each(["from ", "Monday to "])("reads %j over and over in linear time", (piece) =>
    expectLinearTime(
      40_000,
      (n) => piece.repeat(n),
      (text) => covers(text, "May"),
    ),
  );
});
