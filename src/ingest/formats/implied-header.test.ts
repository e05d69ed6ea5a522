import { expect, test } from "vitest";
import { parseHtml } from "./html.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

/** The rows of a page's table: `^0` follow each that has the first row for its header. */
const rowsOf = (rows: readonly (readonly string[])[], page = (table: string) => table) => {
  const cells = (row: readonly string[]) => row.map((cell) => `<td>${cell}</td>`).join("");
  return blocksOf(parseHtml(page(`<table>${rows.map((row) => `<tr>${cells(row)}</tr>`).join("")}</table>`), "page"));
};
const hasHeader = (rows: readonly (readonly string[])[]) => {
  const [first, ...others] = rowsOf(rows);
  // The first stays a row that can be quoted.
  expect(first).toMatch(/^table-row /);
  return others.every((block) => block.startsWith("table-row^0 "));
};

test("takes the first row for the header where a column of values stands below a word", () => {
  const fees = [
    ["Service", "Cat", "Small dog"],
    ["Neutering", "£130", "£260"],
    ["Chip", "£ 15.50", "£20 or more"],
  ];
  expect(rowsOf(fees)).toEqual([
    "table-row Service | Cat | Small dog",
    "table-row^0 Neutering | £130 | £260",
    "table-row^0 Chip | £ 15.50 | £20 or more",
  ]);
  expect(hasHeader([["", "Pool", "Sauna"], ...fees.slice(1), ["Tattoo", "not done", "£20"]])).toBe(true);
});

test("takes a first row that alone is bold for the header", () => {
  const rows = [
    ["<b>Word</b>", "<p><strong>Meaning</strong></p>"],
    ["gam", "a meeting of ships"],
    ["<b>pod</b>", "a herd"],
  ];
  expect(hasHeader(rows)).toBe(true);
  expect(hasHeader([["<b>Word</b>", "Meaning"], ...rows.slice(1)])).toBe(false);
  expect(
    hasHeader([
      ["<b>Fire brigade</b>", "<b>112</b>"],
      ["Police", "110"],
      ["Plumber", "4711"],
    ]),
  ).toBe(false);
  expect(hasHeader([...rows.slice(0, 2), ["<b>pod</b>", "<b>a herd</b>"]])).toBe(false);
});

test("takes no row for a header that may be one like the others", () => {
  // A thing and its value in each row.
  expect(
    hasHeader([
      ["Price", "on request"],
      ["Weight", "5 kg"],
      ["Width", "30 cm"],
    ]),
  ).toBe(false);
  // The same said twice, a value above the others, rows of other lengths, words alone, too few rows.
  const days = [
    ["Tuesday", "9:00", "17:00"],
    ["Friday", "9:00", "15:00"],
  ];
  expect(hasHeader([["Monday", "closed", "closed"], ...days])).toBe(false);
  expect(hasHeader([["Monday", "8:00", "by appointment"], ...days])).toBe(false);
  expect(hasHeader([["Day", "from", "to"], ...days, ["Sunday", "closed"]])).toBe(false);
  expect(hasHeader([["Day", "from", "to"], ["Tuesday", "nine", "five"], ...days.slice(1)])).toBe(false);
  expect(
    hasHeader([
      ["Day", "from", "to"],
      ["Tuesday", "nine", "five"],
      ["Friday", "nine", "three"],
    ]),
  ).toBe(false);
  expect(hasHeader([["Day", "from", "to"], ...days.slice(1)])).toBe(false);
});

test("leaves tables alone in which something is marked", () => {
  const marked = blocksOf(
    parseHtml("<table><tr><td>Day<td>from<td>to<tr><th>Mon<td>8:00<td>9:00<tr><td>Tue<td>8:00<td>9:00</table>", "page"),
  );
  expect(marked).toEqual(["table-row Day | from | to", "table-row Mon | 8:00 | 9:00", "table-row Tue | 8:00 | 9:00"]);
});
