import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toOriginal } from "../../text/source-map.ts";
import { nameCells } from "../../text/units.ts";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

const rowsOf = (table: string) => blocksOf(parseHtml(table, "page"));

const FEES = `<table><tr><th rowspan=2>Course</th><th colspan=2>Fee</th><th rowspan=2>Lessons</th></tr>
<tr><th>Resident</th><th>Visitor</th></tr>
<tr><td>Otter</td><td>€ 72</td><td>€ 99</td><td>12</td></tr></table>`;

describe("header rows", () => {
  test("become one, in which each column has its full name", () => {
    const { text, blocks } = parseHtml(FEES, "page");
    expect(blocksOf(parseHtml(FEES, "page"))).toEqual([
      "table-row^0 Course | Fee · Resident | Fee · Visitor | Lessons",
      "table-row^0 Otter | € 72 | € 99 | 12",
    ]);
    const [header = "", row = ""] = blocks.map(({ start, end }) => text.slice(start, end));
    expect(nameCells(header, row)).toEqual([
      { name: "Course", text: "Otter" },
      { name: "Fee · Resident", text: "€ 72" },
      { name: "Fee · Visitor", text: "€ 99" },
      { name: "Lessons", text: "12" },
    ]);
  });

  test("are recognised in Markdown, in thead, and without markup", () => {
    expect(blocksOf(parseMarkdown(`Text.\n\n${FEES}\n\nMore.`, "page"))).toEqual([
      "paragraph Text.",
      "table-row^1 Course | Fee · Resident | Fee · Visitor | Lessons",
      "table-row^1 Otter | € 72 | € 99 | 12",
      "paragraph More.",
    ]);
    const body = "<tr><td>Seal<td>€ 60<td>€ 80<td>10";
    const unmarked = FEES.replaceAll("th", "td").replace("</table>", `${body}</table>`);
    expect(rowsOf(unmarked)).toEqual([
      "table-row Course | Fee · Resident | Fee · Visitor | Lessons",
      "table-row^0 Otter | € 72 | € 99 | 12",
      "table-row^0 Seal | € 60 | € 80 | 10",
    ]);
    expect(rowsOf("<table><thead><tr><td>Bath<td>Day</thead><tr><td>North<td>Mon</table>")).toEqual([
      "table-row^0 Bath | Day",
      "table-row^0 North | Mon",
    ]);
    expect(rowsOf("<table><thead><tr><td>North<td>Mon</table>")).toEqual(["table-row North | Mon"]);
  });

  test("leave a line over the whole table as its caption, and group labels as rows", () => {
    expect(
      rowsOf(
        "<table><tr><th colspan=3>Baths<tr><th>Bath<th>Day<th>Hours<tr><th colspan=3>North side:<tr><td>Alt<td>Mon<td>9<tr><th>East<tr><td>Neu<td>Tue<td>8</table>",
      ),
    ).toEqual([
      "paragraph Baths",
      "table-row^1 Bath | Day | Hours",
      "table-row^1 North side:",
      "table-row^1 Alt | Mon | 9",
      "table-row^1 East",
      "table-row^1 Neu | Tue | 8",
    ]);
  });

  test("are absent if every row is marked alike", () => {
    expect(rowsOf("<table><tr><th>Mon<th>9<tr><th>Tue<th>8</table>")).toEqual(["table-row^0 Mon | 9", "table-row^0 Tue | 8"]);
  });
});

describe("cells that span rows or columns", () => {
  test("are repeated in each row and column, a row's name once, and keep the others in their columns", () => {
    expect(
      rowsOf(
        "<table><tr><th>Bath<th>Day<th>from<th>to<tr><td rowspan=2>North<td>Mon<td>9<td>17<tr><td>Tue<td colspan=2>closed<tr><td colspan=3>Days<td>2</table>",
      ),
    ).toEqual([
      "table-row^0 Bath | Day | from | to",
      "table-row^0 North | Mon | 9 | 17",
      "table-row^0 North | Tue | closed | closed",
      "table-row^0 Days | | | 2",
    ]);
  });

  test("with long text are kept once", () => {
    const long = "word ".repeat(60).trim();
    expect(rowsOf(`<table><tr><td>a<td rowspan=2>${long}<td>1<tr><td>b<td>2</table>`)).toEqual([
      `table-row a | ${long} | 1`,
      "table-row b | | 2",
    ]);
  });

  test("lose no word for any span", () => {
    const span = fc.constantFrom(
      "",
      ...["colspan", "rowspan"].flatMap((name) => ["0", "-3", "2", "3", "1000000", "x"].map((n) => `${name}=${n}`)),
    );
    const cell = fc.tuple(fc.constantFrom("td", "th"), span, span);
    fc.assert(
      fc.property(fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 6 }), (rows) => {
        let words = 0;
        const table = rows.map((row) => `<tr>${row.map(([name, a, b]) => `<${name} ${a} ${b}>w${words++}w</${name}>`).join("")}</tr>`);
        const { text, sourceMap } = parseHtml(`<table>${table.join("\n")}</table>`, "page");
        for (let i = 0; i < words; i++) {
          const at = text.indexOf(`w${i}w`);
          expect(at).toBeGreaterThanOrEqual(0);
          expect(toOriginal(sourceMap, { start: at, end: at + 1 }).end).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe("implied-header", () => {
  /** Returns the rows of a page's table. `^0` marks rows with the first row as their header. */
  const rowsOf = (rows: readonly (readonly string[])[], page = (table: string) => table) => {
    const cells = (row: readonly string[]) => row.map((cell) => `<td>${cell}</td>`).join("");
    return blocksOf(parseHtml(page(`<table>${rows.map((row) => `<tr>${cells(row)}</tr>`).join("")}</table>`), "page"));
  };
  const hasHeader = (rows: readonly (readonly string[])[]) => {
    const [first, ...others] = rowsOf(rows);
    // The first row remains quotable.
    expect(first).toMatch(/^table-row /);
    return others.every((block) => block.startsWith("table-row^0 "));
  };

  test("takes the first row as header if a column of values is below a word", () => {
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

  test("takes a first row as header if only it is bold", () => {
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

  test("takes no row as header that may be data", () => {
    // Each row is a name with its value.
    expect(
      hasHeader([
        ["Price", "on request"],
        ["Weight", "5 kg"],
        ["Width", "30 cm"],
      ]),
    ).toBe(false);
    // Repeated names, a value in the first row, rows of different lengths, words only, too few rows.
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

  test("leaves tables with any marked header alone", () => {
    const marked = blocksOf(
      parseHtml("<table><tr><td>Day<td>from<td>to<tr><th>Mon<td>8:00<td>9:00<tr><td>Tue<td>8:00<td>9:00</table>", "page"),
    );
    expect(marked).toEqual(["table-row Day | from | to", "table-row Mon | 8:00 | 9:00", "table-row Tue | 8:00 | 9:00"]);
  });
});
