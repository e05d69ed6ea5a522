import { describe, expect, test } from "vitest";
import { xlsxOf } from "../testing/made-files.ts";
import { xlsxFormat } from "./xlsx.ts";

/** What is read of one number under a pattern; a pattern of digits is a number of a built-in one. */
async function shown(pattern: string, value: number, from1904 = false): Promise<string> {
  const rows = [
    ["Name", "Value"],
    ["it", `${pattern}|${value}`],
  ];
  const [document] = await xlsxFormat.read({
    path: "a.xlsx",
    name: "a",
    bytes: xlsxOf([{ name: "s", rows }], { patterns: [pattern], from1904 }),
  });
  return /it \| (.*)$/.exec(document?.text ?? "")?.[1] ?? "";
}

describe("numbers of a workbook", () => {
  test.each([
    ["0.0%", 0.075, "7.5%"],
    ["9", 0.25, "25%"],
    ["$#,##0.00", 1234.5, "$1,234.50"],
    ['_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', -1234.5, "$(1,234.50)"],
    ["#,##0.00 [$€-407]", 1234.5, "1.234,50 €"],
    ["d mmmm yyyy", 46206, "3 July 2026"],
    ["15", 46206, "3-Jul-26"],
    ["[h]:mm", 1.75, "42:00"],
    ["00000", 123, "00123"],
    ['0 "mg"', 40, "40 mg"],
    ['[>=1000]#,##0,"k";0', 25_000, "25k"],
    ["12", 0.5, "1/2"],
  ])("under %s %d is read as it is shown: %s", async (pattern, value, text) => {
    expect(await shown(pattern, value)).toBe(text);
  });

  test("counts days from 1904 where the workbook does", async () => {
    expect(await shown("yyyy-mm-dd", 46206 - 1_462, true)).toBe("2026-07-03");
  });

  test("writes dates that every computer shows otherwise as year, month and day", async () => {
    expect(await shown("14", 46206)).toBe("2026-07-03");
  });

  test.each([
    ['0.0"', 0.075, "0.075"],
    ["General", 0.1, "0.1"],
    [";;;", 7, "7"],
  ])("reads the number itself where %s shows nothing of %d", async (pattern, value, text) => {
    expect(await shown(pattern, value)).toBe(text);
  });
});
