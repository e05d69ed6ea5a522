import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../../../testing/growth.ts";
import { blocksOf, type PdfBlock, styleOf, type TextBlock } from "./blocks.ts";
import { furtherPartsOfItems, joinParted } from "./join-parted.ts";
import { type PdfLine, toLine } from "./lines.ts";
import { regionsOf } from "./regions.ts";
import { writePdf } from "./write.ts";

function line(x: number, y: number, text: string): PdfLine {
  let at = x;
  const words = text.split(" ").map((shown) => {
    const place = { x: at, y, right: at + shown.length * 6, bottom: y + 11, baseline: y + 11, size: 11, run: y };
    at = place.right + 4;
    return { text: shown, ...place, isBold: false, isMono: false, isSpaced: true, isArtifact: false, hidden: null, isTurned: false };
  });
  return toLine(words);
}

const range = <Value>(n: number, make: (i: number) => Value) => Array.from({ length: n }, (_, i) => make(i));

function text(page: number, lines: readonly PdfLine[], mark: TextBlock["mark"] = "none"): TextBlock {
  return { lines, page, left: 50, right: 500, mark };
}

function rows(page: number): PdfBlock {
  const lines = range(20, (i) => line(50, i * 15, `Row ${i}`));
  return { ...text(page, lines), type: "paragraph", rowEnds: new Set(lines) };
}

function code(page: number): PdfBlock {
  const lines = range(20, (i) => line(50, i * 15, `row ${i}`));
  return { type: "code", lines, page };
}

type Shape = readonly [what: string, n: number, make: (n: number) => readonly PdfBlock[]];

/** Blocks whose merging could take quadratic time. */
const SHAPES: readonly Shape[] = [
  ["pages of rows", 1_600, (n) => range(n, rows)],
  ["pages of code", 1_600, (n) => range(n, code)],
  ["notes", 16_000, (n) => range(n, (i) => ({ ...text(i, [line(50, 600, "1 Note")]), type: "note" }))],
  [
    "items with paragraphs beneath them",
    16_000,
    (n) =>
      range(n, (i): PdfBlock[] => [
        { ...text(1, [line(60, i * 30, "1. Item")], "word"), type: "item" },
        { ...text(1, [line(76, i * 30 + 15, "More")]), type: "paragraph" },
      ]).flat(),
  ],
];

describe("merging the blocks of pages takes linear time", () => {
  it.each(SHAPES)("%s (%d)", (_, n, make) => expectLinearTime(n, make, (blocks) => furtherPartsOfItems(joinParted(blocks))));
});

describe("a page with more words than a function takes arguments", () => {
  const lines = range(75_000, (i) => [line(50, i * 15, "a"), line(300, i * 15, "b")]).flat();
  const column = range(lines.length, (i) => line(50, i * 15, "a"));
  const page = { number: 1, height: 800, dots: [] };
  const style = styleOf(lines.slice(0, 20), new Map());

  it("is read as a table", () => {
    expect(regionsOf(lines).map(({ type }) => type)).toEqual(["table"]);
  });

  it("is read as a column", () => {
    expect(blocksOf([{ type: "column", lines: column }], page, style).length).toBeGreaterThan(0);
  });

  it("is written as code", () => {
    const { text } = writePdf([{ type: "code", lines: column, page: 1 }], [], new Map());
    expect(text).toHaveLength(2 * column.length - 1);
  });
});
