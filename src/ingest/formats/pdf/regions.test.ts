import { describe, expect, it } from "vitest";
import { textOf } from "./blocks.ts";
import { type PdfLine, toLine } from "./lines.ts";
import { regionsOf } from "./regions.ts";
import type { PdfWord } from "./words.ts";

const HEIGHT = 13;

function fragment(x: number, y: number, text: string): PdfLine {
  let at = x;
  const words = text.split(" ").map((shown): PdfWord => {
    const place = { x: at, y, right: at + shown.length * 6, bottom: y + HEIGHT, baseline: y + HEIGHT, size: 12, run: y * 1000 + x };
    at = place.right + 4;
    return { text: shown, ...place, isBold: false, isMono: false, isSpaced: true, isArtifact: false, hidden: null, isTurned: false };
  });
  return toLine(words);
}

function rowsOf(fragments: readonly PdfLine[]): string[] {
  const tables = regionsOf(fragments).flatMap((region) => (region.type === "table" ? [region] : []));
  expect(tables).toHaveLength(1);
  return tables.flatMap(({ rows }) => rows.map((row) => row.map((cell) => textOf(cell)).join(" | ")));
}

describe("rows of a table", () => {
  it("are recognised by the white space between them if cells of some lines are in mid-row", () => {
    const rows = [
      [fragment(50, 0, "Item"), fragment(160, 0, "Amount"), fragment(260, 0, "When it matters")],
      [
        fragment(50, 41, "Fee"),
        fragment(160, 41, "$200"),
        ...["Charged if you do not", "meet the threshold", "of the period"].map((text, i) => fragment(260, 23 + 18 * i, text)),
      ],
      [
        fragment(50, 82, "Balance to be"),
        fragment(50, 100, "kept in it"),
        fragment(160, 91, "$500"),
        fragment(260, 91, "To waive the fee"),
      ],
    ].flat();
    expect(rowsOf(rows)).toEqual([
      "Item | Amount | When it matters",
      "Fee | $200 | Charged if you do not meet the threshold of the period",
      "Balance to be kept in it | $500 | To waive the fee",
    ]);
  });

  it("are lines that begin like cells, even with more space between some", () => {
    const rows = Array.from({ length: 6 }, (_, i) => [
      fragment(50, 18 * i + (i > 2 ? 9 : 0), `Kind ${i}`),
      fragment(160, 18 * i + (i > 2 ? 9 : 0), `$${i}00`),
    ]).flat();
    expect(rowsOf(rows)).toEqual(Array.from({ length: 6 }, (_, i) => `Kind ${i} | $${i}00`));
  });
});
