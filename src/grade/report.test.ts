import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Report, renderTable, writeReport } from "./report.ts";

const folder = mkdtempSync(join(tmpdir(), "report-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the table for people", () => {
  it("aligns figures and intervals, and lets the note of a row without figures follow its name", () => {
    const rows = [
      { name: "a set", figure: "", note: "60 questions" },
      { name: "bm25", figure: ".82", note: "54 of 60" },
      { name: "hybrid", figure: "1.00", interval: "[+.01, +.08]", note: "60 of 60" },
      { name: "less", figure: "", interval: "[−.01, +.02]" },
    ];
    expect(renderTable(rows).split("\n")).toEqual([
      "  a set  60 questions",
      "  bm25     .82                54 of 60",
      "  hybrid  1.00  [+.01, +.08]  60 of 60",
      "  less          [−.01, +.02]",
    ]);
  });
});

describe("the report as a file", () => {
  const report: Report = { name: "x", command: "x", versions: {}, seed: 1, date: "", n: {}, metrics: { a: null }, timings: {}, items: [] };

  it("is JSON with null for what could not be computed", () => {
    writeReport(join(folder, "x.json"), report);
    expect(JSON.parse(readFileSync(join(folder, "x.json"), "utf8"))).toEqual(report);
  });

  it("names the file that cannot be written, and the option", () => {
    const path = join(folder, "nowhere", "x.json");
    expect(() => writeReport(path, report)).toThrowError(
      expect.objectContaining({ code: "report_unwritable", message: expect.stringContaining(path) }),
    );
  });
});
