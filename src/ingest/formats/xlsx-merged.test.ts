import { expect, test } from "vitest";
import { readDocuments } from "../parse.ts";
import { xlsxOf } from "../testing/made-files.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

const rowsOf = async (rows: readonly (readonly string[])[], merged: readonly string[]) => {
  const [document] = await readDocuments({ path: "a.xlsx", bytes: xlsxOf([{ name: "Fees & more", rows, merged }]) });
  return document === undefined ? [] : blocksOf(document);
};

test("reads merged cells in each column and row that they cover, rows of names as one", async () => {
  const rows = [
    ["Course", "Fee", "", "Lessons"],
    ["", "Resident", "Visitor", ""],
    ["Otter", "72", "99", "12"],
    ["", "60", "80", "10"],
    ["Seal", "free", "", "4"],
  ];
  expect(await rowsOf(rows, ["A1:A2", "B1:C1", "D1:D2", "A3:A4", "B5:C5"])).toEqual([
    "table-row^0 Course | Fee · Resident | Fee · Visitor | Lessons",
    "table-row^0 Otter | 72 | 99 | 12",
    "table-row^0 Otter | 60 | 80 | 10",
    "table-row^0 Seal | free | free | 4",
  ]);
});

test("knows the header in which a name covers several columns, and a title over the table", async () => {
  const rows = [
    ["Fees of 2026", "", "", ""],
    ["Course", "Fee", "", "Lessons"],
    ["Otter", "72", "99", "12"],
    ["Total", "", "", "12"],
  ];
  expect(await rowsOf(rows, ["A1:D1", "B2:C2", "A4:C4"])).toEqual([
    "paragraph Fees of 2026",
    "table-row^1 Course | Fee | Fee | Lessons",
    "table-row^1 Otter | 72 | 99 | 12",
    "table-row^1 Total | | | 12",
  ]);
});

test("is not led to fill the memory by cells that cover the whole sheet", async () => {
  const rows = Array.from({ length: 200 }, () => ["a", "", "b"]);
  const merged = Array.from({ length: 5_000 }, (_, i) => `A${(i % 200) + 1}:XFD1048576`);
  expect(await rowsOf(rows, merged)).toHaveLength(200);
});
