import { describe, expect, it } from "vitest";
import { parseFile, readDocuments } from "../parse.ts";
import { csvOf, xlsxOf } from "../testing/made-files.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

const csvBlocks = (source: string) => parseFile({ path: "slots.csv", bytes: Buffer.from(source) }).flatMap(blocksOf);
const BERTHS = [
  ["Berth", "Length", "Fee"],
  ["A1", "12 m", "30 euros"],
  ["B4", "18 m", "55 euros"],
];
const TABLE = ["Berth | Length | Fee", "A1 | 12 m | 30 euros", "B4 | 18 m | 55 euros"];
const rowsBelow = (header: number) => TABLE.map((row) => `table-row^${header} ${row}`);

describe("lines above the header of a table", () => {
  it.each([
    ["a spreadsheet's separator line", `sep=;\r\n${BERTHS.map((row) => row.join(";")).join("\r\n")}`, []],
    ["a title", `Berths of the harbour\n\n${csvOf(BERTHS)}`, ["Berths of the harbour"]],
    ["a comment with the separator in it", `# exported 2026-03-01, by the tool\n${csvOf(BERTHS)}`, ["# exported 2026-03-01, by the tool"]],
    ["a title among empty cells", `Report,,\nQuarter 2,,\n${csvOf(BERTHS)}`, ["Report", "Quarter 2"]],
  ])("are not rows of a CSV file: %s", (_, source, above) => {
    expect(csvBlocks(source).slice(above.length)).toEqual(rowsBelow(above.length));
  });

  it("are captions of a CSV file and of a workbook", async () => {
    const rows = [["Berths of the harbour"], ["Season", "2026"], ...BERTHS.map((row) => [...row, "free", "yes"])];
    const captions = ["paragraph Berths of the harbour", "paragraph Season 2026"];
    const [book] = await readDocuments({ path: "slots.xlsx", bytes: xlsxOf([{ name: "Slots", rows }]) });
    expect(blocksOf(book as NonNullable<typeof book>).slice(0, 2)).toEqual(captions);
    expect(csvBlocks(csvOf(rows))[0]).toBe(captions[0]);
    expect(csvBlocks(csvOf(rows))[2]).toBe("table-row^2 Berth | Length | Fee | free | yes");
  });

  it("do not include a sparse first row below the header", () => {
    expect(csvBlocks("Berth,Length,Fee\nC9,,\nA1,12 m,30 euros\nB4,18 m,55 euros\n")[1]).toBe("table-row^0 C9");
  });

  it("count as rows of the spreadsheet", () => {
    const [table] = parseFile({ path: "slots.csv", bytes: Buffer.from("sep=;\nBerth;Fee\nA1;30 euros\n") });
    expect(table?.reading.places).toMatchObject({ cells: [6, 11, 1, 1, 12, 15, 1, 2, 16, 18, 2, 1, 19, 27, 2, 2] });
  });
});
