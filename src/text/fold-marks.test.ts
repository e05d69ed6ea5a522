import { describe, expect, it } from "vitest";
import { foldMarks } from "./fold-marks.ts";

describe("foldMarks", () => {
  it.each([
    ["Café Münster", "cafe munster"],
    ["Cafe\u0301", "cafe"],
    ["Straße", "strasse"],
    ["ÉCOLE", "ecole"],
    ["plain 12", "plain 12"],
  ])("reads %j as %j", (text, folded) => {
    expect(foldMarks(text)).toBe(folded);
  });
});
