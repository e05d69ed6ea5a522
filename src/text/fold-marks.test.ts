import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { foldMarks } from "./fold-marks.ts";

describe("foldMarks", () => {
  it.each([
    ["Café Münster", "cafe munster"],
    ["Cafe\u0301", "cafe"],
    ["Straße", "strasse"],
    ["ÉCOLE", "ecole"],
    ["plain 12", "plain 12"],
    ["Łódź, Læsø", "lodz, laeso"],
    ["हिन्दी", "हिन्दी"],
  ])("reads %j as %j", (text, folded) => {
    expect(foldMarks(text)).toBe(folded);
  });

  it("reads hostile text in linear time", () => expectLinearTime(200_000, (n) => `e${"\u0301".repeat(n)}`, foldMarks));
});
