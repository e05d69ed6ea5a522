import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readFirst } from "../testing/first-document.ts";
import { xlsxOf } from "../testing/made-files.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

const ROWS = [
  ["Machine", "Rate", "Margin"],
  ["Mixer", "38", "0.7"],
  ["Saw", "12", "0.2"],
];

/** Reads a workbook of one sheet after `change` has modified its XML. */
async function read(change: (sheet: string) => string, rows: readonly (readonly string[])[] = ROWS, merged: readonly string[] = []) {
  const parts = unzipSync(xlsxOf([{ name: "A & B", rows, merged }]));
  const part = "xl/worksheets/sheet1.xml";
  const bytes = zipSync({ ...parts, [part]: strToU8(change(strFromU8(parts[part] as Uint8Array))) });
  const document = await readFirst("a.xlsx", bytes);
  return { rows: blocksOf(document), notices: document.reading.notices, places: document.reading.places };
}

const columns = (attributes: string) => (sheet: string) => sheet.replace("<sheetData>", `<cols><col ${attributes}/></cols><sheetData>`);
const row = (attributes: string) => (sheet: string) => sheet.replace('<row r="3"', `<row r="3" ${attributes}`);
const leftOut = (columns: number, rows: number) => [
  { code: "hidden_text", message: `hidden columns (${columns}) and rows (${rows}) were left out` },
];

describe("invisible parts of a sheet are omitted with a notice", () => {
  test.each([
    ["hidden", 'min="3" max="3" hidden="1"'],
    ["of zero width, beside empty ones", 'min="3" max="9" width="0" customWidth="1"'],
  ])("columns that are %s", async (_, attributes) => {
    const { rows, notices } = await read(columns(attributes));
    expect(rows).toEqual(["table-row^0 Machine | Rate", "table-row^0 Mixer | 38", "table-row^0 Saw | 12"]);
    expect(notices).toEqual(leftOut(1, 0));
  });

  test("cells after them keep their place", async () => {
    const { rows, places } = await read(columns('min="2" max="2" hidden="true"'));
    expect(rows[1]).toBe("table-row^0 Mixer | 0.7");
    const cells = places?.type === "cells" ? places.cells : [];
    expect(cells.filter((_, i) => i % 4 === 3)).toEqual([1, 3, 1, 3, 1, 3]);
  });

  test.each([
    ["hidden, as by a filter", 'hidden="1"'],
    ["of zero height", 'ht="0" customHeight="1"'],
  ])("rows that are %s", async (_, attributes) => {
    const { rows, notices } = await read(row(attributes));
    expect(rows).toEqual(["table-row^0 Machine | Rate | Margin", "table-row^0 Mixer | 38 | 0.7"]);
    expect(notices).toEqual(leftOut(0, 1));
  });

  test.each([
    ["rows folded into a group", row('hidden="1" outlineLevel="1"')],
    ["empty hidden columns", columns('min="5" max="16384" hidden="1"')],
  ])("except %s", async (_, change) => {
    const { rows, notices } = await read(change);
    expect([rows.length, notices]).toEqual([3, []]);
  });
});

test("errors and formulas without a result are kept as such, with a notice", async () => {
  const gap = (cell: string) => (sheet: string) => sheet.replace('<c r="B3"><v>12</v></c>', cell);
  const error = await read(gap('<c r="B3" t="e"><f>1/0</f><v>#DIV/0!</v></c>'));
  const formula = await read(gap('<c r="B3"><f>B2&amp;"x"</f><v></v></c>'));
  const shared = await read(gap('<c r="B3"><f t="shared" si="0"/></c>'));
  const empty = await read(gap('<c r="B3" t="str"><f>IF(A1="","","")</f><v></v></c>'));
  expect([error, formula, shared, empty].map(({ rows }) => rows[2])).toEqual([
    "table-row^0 Saw | #DIV/0! | 0.2",
    'table-row^0 Saw | =B2&"x" | 0.2',
    "table-row^0 Saw | | 0.2",
    "table-row^0 Saw | | 0.2",
  ]);
  const said = (errors: number, formulas: number) =>
    expect.stringContaining(`${errors} with an error, ${formulas} with a formula whose result is not in the file`);
  expect([error, formula, shared, empty].map(({ notices }) => notices)).toEqual([
    [{ code: "cells_without_value", message: said(1, 0) }],
    [{ code: "cells_without_value", message: said(0, 1) }],
    [{ code: "cells_without_value", message: said(0, 1) }],
    [],
  ]);
});

/** Returns the text of a number in a format. A pattern of digits is the number of a built-in format. */
async function shown(pattern: string, value: number, from1904 = false): Promise<string> {
  const rows = [
    ["Name", "Value"],
    ["it", `${pattern}|${value}`],
  ];
  const { text } = await readFirst("a.xlsx", xlsxOf([{ name: "s", rows }], { patterns: [pattern], from1904 }));
  return /it \| (.*)$/.exec(text)?.[1] ?? "";
}

describe("numbers of a workbook", () => {
  test.each([
    ["0.0%", 0.075, "7.5%"],
    ["$#,##0.00", 1234.5, "$1,234.50"],
    ['_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', -1234.5, "$(1,234.50)"],
    ["#,##0.00 [$€-407]", 1234.5, "1.234,50 €"],
    ["15", 46206, "3-Jul-26"],
    ["[h]:mm", 1.75, "42:00"],
    ['[>=1000]#,##0,"k";0', 25_000, "25k"],
  ])("under %s %d is read as displayed: %s", async (pattern, value, text) => {
    expect(await shown(pattern, value)).toBe(text);
  });

  test("counts days from 1904 if the workbook does", async () => {
    expect(await shown("yyyy-mm-dd", 46206 - 1_462, true)).toBe("2026-07-03");
  });

  test.each([
    ['0.0"', 0.075, "0.075"],
    ["General", 0.1, "0.1"],
    [";;;", 7, "7"],
  ])("reads the number itself if %s does not display %d", async (pattern, value, text) => {
    expect(await shown(pattern, value)).toBe(text);
  });
});

const mergedRows = async (rows: readonly (readonly string[])[], merged: readonly string[]) =>
  blocksOf(await readFirst("a.xlsx", xlsxOf([{ name: "Fees & more", rows, merged }])));

test("reads merged cells in each covered column and row, and several header rows as one", async () => {
  const rows = [
    ["Course", "Fee", "", "Lessons"],
    ["", "Resident", "Visitor", ""],
    ["Otter", "72", "99", "12"],
    ["", "60", "80", "10"],
    ["Seal", "free", "", "4"],
  ];
  expect(await mergedRows(rows, ["A1:A2", "B1:C1", "D1:D2", "A3:A4", "B5:C5"])).toEqual([
    "table-row^0 Course | Fee · Resident | Fee · Visitor | Lessons",
    "table-row^0 Otter | 72 | 99 | 12",
    "table-row^0 Otter | 60 | 80 | 10",
    "table-row^0 Seal | free | free | 4",
  ]);
});

test("does not fill the memory for cells that cover the whole sheet", async () => {
  const rows = Array.from({ length: 200 }, () => ["a", "", "b"]);
  const merged = Array.from({ length: 5_000 }, (_, i) => `A${(i % 200) + 1}:XFD1048576`);
  expect(await mergedRows(rows, merged)).toHaveLength(200);
});
