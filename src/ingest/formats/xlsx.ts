import { IngestError } from "../../errors.ts";
import type { ReadingNotice } from "../../types.ts";
import { BlockWriter } from "../block-writer.ts";
import type { Format } from "./format.ts";
import { type FormatResult, plainMetadata } from "./parsed.ts";
import { isHeaderRow, type TableCell, writeTable } from "./table.ts";
import { type LeftOutCells, readSheet, readValueStyles, type Sheet, type ShownCells, walkXml, withMergedCells } from "./xlsx-sheet.ts";
import { unpackZip } from "./zip.ts";

/** Workbooks: every filled row of every sheet with its header, its numbers as they are shown there. */
export const xlsxFormat: Format = {
  name: "xlsx",
  extensions: [".xlsx", ".xlsm"],
  version: 4,
  read({ bytes, name }) {
    const parts = unpackZip(bytes, (part) => part.endsWith(".xml") || part.endsWith(".rels"));
    const textOf = (part: string) => Buffer.from(parts.get(part) ?? []).toString("utf8");
    const workbook = textOf("xl/workbook.xml");
    const styles = readValueStyles(textOf("xl/sharedStrings.xml"), textOf("xl/styles.xml"), workbook);
    const listed = sheetsOf(workbook, textOf("xl/_rels/workbook.xml.rels")).filter(({ part }) => parts.has(part));
    if (listed.length === 0) throw new IngestError("bad_archive", "the workbook holds no sheet that can be read: save it anew as XLSX");
    const hidden = listed.filter(({ isHidden }) => isHidden).map((one) => one.name);
    const sheets = listed.filter(({ isHidden }) => !isHidden).map((one) => ({ ...readSheet(textOf(one.part), styles), name: one.name }));
    return [{ ...writeWorkbook(sheets, name), notices: [...hiddenNotices(hidden, sheets), ...gapNotices(sheets)] }];
  },
};

interface ListedSheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Of the file. */
  readonly part: string;
}

function sheetsOf(workbook: string, relations: string): ListedSheet[] {
  const targets = new Map<string, string>();
  walkXml(relations, {
    open(name, { Id = "", Target = "" }) {
      if (name === "Relationship" && /worksheets\/[^/]*\.xml$/.test(Target)) targets.set(Id, Target.replace(/^\/?(?:xl\/)?/, "xl/"));
    },
  });
  const sheets: ListedSheet[] = [];
  walkXml(workbook, {
    open(name, attributes) {
      if (name !== "sheet") return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? "";
      sheets.push({
        name: attributes.name ?? "",
        isHidden: /^(?:veryH|h)idden$/.test(attributes.state ?? ""),
        part: targets.get(id) ?? "",
      });
    },
  });
  return sheets;
}

type NamedSheet = Sheet & { readonly name: string };

function totalOf(sheets: readonly NamedSheet[], what: keyof LeftOutCells): number {
  return sheets.reduce((sum, { leftOut }) => sum + leftOut[what], 0);
}

function hiddenNotices(hiddenSheets: readonly string[], sheets: readonly NamedSheet[]): ReadingNotice[] {
  const notices: ReadingNotice[] = [];
  if (hiddenSheets.length > 0) notices.push({ code: "hidden_text", message: `hidden sheets were left out: ${hiddenSheets.join(", ")}` });
  const [columns, rows] = [totalOf(sheets, "columns"), totalOf(sheets, "rows")];
  if (columns + rows > 0) notices.push({ code: "hidden_text", message: `hidden columns (${columns}) and rows (${rows}) were left out` });
  return notices;
}

function gapNotices(sheets: readonly NamedSheet[]): ReadingNotice[] {
  const [errors, formulas] = [totalOf(sheets, "errors"), totalOf(sheets, "formulas")];
  if (errors + formulas === 0) return [];
  const message = `cells without a value: ${errors} with an error, ${formulas} with a formula whose result the file does not hold. Open the workbook in a spreadsheet, and save it anew`;
  return [{ code: "cells_without_value", message }];
}

function writeWorkbook(sheets: readonly NamedSheet[], title: string): FormatResult {
  const source: string[] = [];
  let length = 0;
  const add = (text: string) => {
    source.push(text);
    length += text.length;
    return { start: length - text.length, end: length };
  };
  const laid = sheets.map(({ name, rows, columns, merged }) => {
    const head = add(`${name}\n`);
    const cells = [...rows]
      .sort(([a], [b]) => a - b)
      .map(([row, texts]) => {
        const laidRow = columns.map((column): TableCell => {
          const range = add(texts.get(column) ?? "");
          add("\t");
          return { ...range, row, column, pieces: [range] };
        });
        add("\n");
        return laidRow;
      });
    return { name, head, merged, rows: cells.filter((row) => row.some(({ start, end }) => end > start)) };
  });
  const text = source.join("");
  const writer = new BlockWriter(text);
  const numbers: number[] = [];
  const onCell = (cell: readonly number[]) => {
    if ((cell[1] ?? 0) > (cell[0] ?? 0)) numbers.push(...cell);
  };
  for (const { head, rows, merged } of laid) {
    if (laid.length > 1) {
      writer.beginHeading(1);
      writer.text(head.start, head.end - 1);
      writer.end();
    }
    writeSheet(writer, text, { rows, merged }, onCell);
  }
  return {
    ...writer.finish(),
    metadata: plainMetadata(title),
    access: null,
    tenant: null,
    unit: "extracted_utf16",
    places: { type: "cells", cells: numbers, sheets: laid.map(({ name, head }) => [head.start, name] as const) },
  };
}

/** Lines of one cell above a table are its caption; the first row with more names the columns. */
function writeSheet(
  writer: BlockWriter,
  text: string,
  { rows, merged }: { readonly rows: readonly (readonly TableCell[])[]; readonly merged: readonly ShownCells[] },
  onCell: (cell: readonly [number, number, number, number]) => void,
): void {
  const filled = (row: readonly TableCell[]) => row.filter(({ start, end }) => end > start);
  const first = rows.findIndex((row) => filled(row).length > 1);
  const above = first < 0 ? rows : rows.slice(0, first);
  for (const row of above) {
    for (const { start, end, row: number, column } of filled(row)) {
      writer.paragraph();
      writer.text(start, end);
      onCell([start, end, number, column]);
    }
  }
  if (first < 0) return;
  const body = withMergedCells(rows.slice(first), merged);
  const hasHeader = isHeaderRow(body.slice(0, 2).map((row) => row.map((cell, column) => nameIn(text, cell, row[column - 1]))));
  writeTable(writer, body, { hasHeader, onCell });
}

/** What a cell says, unless it is one with the cell before it. */
function nameIn(text: string, { pieces, below = [] }: TableCell, before: TableCell | undefined): string {
  const [first] = pieces;
  if (below.length === 0 && first !== undefined && first === before?.pieces[0]) return "";
  return [...pieces, ...below.flatMap((one) => one.pieces)].map(({ start, end }) => text.slice(start, end)).join(" ");
}
