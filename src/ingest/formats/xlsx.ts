import { zipSync } from "fflate";
import { IngestError, messageOf } from "../../errors.ts";
import type { ReadingNotice } from "../../types.ts";
import { BlockWriter } from "../block-writer.ts";
import { MAX_SHEET_CELLS, MAX_TABLE_ROWS } from "../limits.ts";
import type { Format } from "./format.ts";
import { type FormatResult, plainMetadata } from "./parsed.ts";
import { isHeaderRow, type TableCell, writeTable } from "./table.ts";
import { columnNumber, type MergedCells, readMerged, withMergedCells } from "./xlsx-merged.ts";
import { readNumberStyles, withShownNumbers } from "./xlsx-numbers.ts";
import { unpackZip } from "./zip.ts";

/** Digits that a double holds for sure; a spreadsheet shows no more. */
const DOUBLE_DIGITS = 15;
const SHEET_PART = /worksheets\/[^/]*\.xml$/;
/** A sheet's hidden state stands in the workbook. */
const HIDDEN_SHEET = /<sheet\b[^>]*\bname="([^"]*)"[^>]*\bstate="(?:hidden|veryHidden)"/g;

/** Workbooks: every filled row of every sheet with its header, its numbers as they are shown there. */
export const xlsxFormat: Format = {
  name: "xlsx",
  extensions: [".xlsx", ".xlsm"],
  version: 3,
  async read({ bytes, name }) {
    const parts = unpackZip(bytes, (part) => part.endsWith(".xml") || part.endsWith(".rels"));
    const textOf = (part: string) => Buffer.from(parts.get(part) ?? []).toString("utf8");
    const styles = readNumberStyles(textOf("xl/styles.xml"), textOf("xl/workbook.xml"));
    const packed = Object.fromEntries(
      [...parts].map(([part, content]) => {
        if (!SHEET_PART.test(part)) return [part, [content, { level: 0 as const }] as const];
        const sheet = textOf(part);
        assertSize(sheet);
        return [part, [Buffer.from(withShownNumbers(sheet, styles)), { level: 0 as const }] as const];
      }),
    );
    const hidden = hiddenSheets(textOf("xl/workbook.xml"));
    const sheets = (await readSheets(Buffer.from(zipSync(packed as Parameters<typeof zipSync>[0])))).filter(
      ({ sheet }) => !hidden.includes(sheet),
    );
    const notices: ReadingNotice[] =
      hidden.length === 0 ? [] : [{ code: "hidden_text", message: `hidden sheets were left out: ${hidden.join(", ")}` }];
    return [{ ...writeWorkbook(sheets, name, readMerged(textOf)), notices }];
  },
};

/** A sheet is laid out up to its last filled row and column: one cell far away would make it billions. */
function assertSize(sheet: string): void {
  let [rows, columns] = [0, 0];
  for (const [, letters = "", row = ""] of sheet.matchAll(/\br="([A-Z]{1,3})(\d{1,7})"/g)) {
    rows = Math.max(rows, Number(row));
    columns = Math.max(columns, columnNumber(letters));
  }
  if (rows * columns <= MAX_SHEET_CELLS) return;
  const message = `a sheet reaches to row ${rows} and column ${columns}: at most ${MAX_SHEET_CELLS} cells are read. Remove what stands far from the table`;
  throw new IngestError("file_too_large", message, { rows, columns });
}

interface SheetRows {
  readonly sheet: string;
  readonly data: readonly (readonly unknown[])[];
}

async function readSheets(content: Buffer): Promise<readonly SheetRows[]> {
  const { default: readWorkbook } = await import("read-excel-file/node");
  try {
    return await readWorkbook(content, { parseNumber: (text) => Number(text) });
  } catch (cause) {
    throw new IngestError("bad_archive", `the workbook cannot be read (${messageOf(cause)}): save it anew as XLSX`, {}, { cause });
  }
}

function hiddenSheets(workbook: string): string[] {
  return [...workbook.matchAll(HIDDEN_SHEET)].map(([, name = ""]) => name);
}

function writeWorkbook(sheets: readonly SheetRows[], name: string, merged: ReadonlyMap<string, readonly MergedCells[]>): FormatResult {
  const source: string[] = [];
  let length = 0;
  const add = (text: string) => {
    source.push(text);
    length += text.length;
    return { start: length - text.length, end: length };
  };
  const laid = sheets.map(({ sheet, data }) => {
    const title = add(`${sheet}\n`);
    if (data.length > MAX_TABLE_ROWS)
      throw new IngestError("file_too_large", `sheet ${sheet} has more than ${MAX_TABLE_ROWS} rows: split it`);
    const rows: TableCell[][] = [];
    for (const [r, values] of data.entries()) {
      const cells = values.map((value, c): TableCell => {
        const range = add(cellText(value));
        add("\t");
        return { ...range, row: r + 1, column: c + 1, pieces: [range] };
      });
      add("\n");
      if (cells.some(({ start, end }) => end > start)) rows.push(cells);
    }
    return { sheet, title, rows };
  });
  const text = source.join("");
  const writer = new BlockWriter(text);
  const numbers: number[] = [];
  const onCell = (cell: readonly number[]) => {
    if ((cell[1] ?? 0) > (cell[0] ?? 0)) numbers.push(...cell);
  };
  for (const { sheet, title, rows } of laid) {
    if (laid.length > 1) {
      writer.beginHeading(1);
      writer.text(title.start, title.end - 1);
      writer.end();
    }
    writeSheet(writer, text, { rows, merged: merged.get(sheet) ?? [] }, onCell);
  }
  return {
    ...writer.finish(),
    metadata: plainMetadata(name),
    access: null,
    tenant: null,
    unit: "extracted_utf16",
    places: { type: "cells", cells: numbers, sheets: laid.map(({ sheet, title }) => [title.start, sheet] as const) },
  };
}

/** Lines of one cell above a table are its caption; the first row with more names the columns. */
function writeSheet(
  writer: BlockWriter,
  text: string,
  { rows, merged }: { readonly rows: readonly (readonly TableCell[])[]; readonly merged: readonly MergedCells[] },
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

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) {
    const iso = value.toISOString();
    return iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ");
  }
  if (typeof value === "number") return String(Number(value.toPrecision(DOUBLE_DIGITS)));
  return String(value).replace(/\s+/g, " ").trim();
}
