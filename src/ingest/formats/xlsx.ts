import { decodeXML } from "entities";
import { zipSync } from "fflate";
import { IngestError, messageOf } from "../../errors.ts";
import type { ReadingNotice } from "../../types.ts";
import { BlockWriter } from "../block-writer.ts";
import { MAX_SHEET_CELLS, MAX_TABLE_ROWS } from "../limits.ts";
import type { Format } from "./format.ts";
import { type FormatResult, plainMetadata } from "./parsed.ts";
import { isHeaderRow, type TableCell, writeTable } from "./table.ts";
import {
  attribute,
  columnNumber,
  type LeftOutCells,
  readNumberStyles,
  readSeenSheet,
  type SeenSheet,
  type ShownCells,
  withMergedCells,
  withShownNumbers,
} from "./xlsx-unseen.ts";
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
    const seen = new Map<string, SeenSheet>();
    const packed = Object.fromEntries(
      [...parts].map(([part, content]) => {
        if (!SHEET_PART.test(part)) return [part, [content, { level: 0 as const }] as const];
        const sheet = textOf(part);
        assertSize(sheet);
        const one = readSeenSheet(sheet);
        seen.set(part, one);
        return [part, [Buffer.from(withShownNumbers(one.sheet, styles)), { level: 0 as const }] as const];
      }),
    );
    const hidden = hiddenSheets(textOf("xl/workbook.xml"));
    const sheets = (await readSheets(Buffer.from(zipSync(packed as Parameters<typeof zipSync>[0])))).filter(
      ({ sheet }) => !hidden.includes(sheet),
    );
    const partOf = partsOfSheets(textOf("xl/workbook.xml"), textOf("xl/_rels/workbook.xml.rels"));
    const shown = sheets.map((one) => {
      return { ...one, seen: seen.get(partOf.get(one.sheet) ?? "") ?? null };
    });
    return [{ ...writeWorkbook(shown, name), notices: [...hiddenNotices(hidden, shown), ...gapNotices(shown)] }];
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

/** With what its readers do not see; `null`: not known. */
interface ShownSheet extends SheetRows {
  readonly seen: SeenSheet | null;
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
  return [...workbook.matchAll(HIDDEN_SHEET)].map(([, name = ""]) => decodeXML(name));
}

/** The part of the file that holds each sheet, by the sheet's name. */
function partsOfSheets(workbook: string, relations: string): ReadonlyMap<string, string> {
  const targets = new Map(
    [...relations.matchAll(/<(?:\w{1,8}:)?Relationship\b([^<>]*)>/g)].map(([, attributes = ""]) => [
      attribute(attributes, "Id"),
      (attribute(attributes, "Target") ?? "").replace(/^\/?(?:xl\/)?/, "xl/"),
    ]),
  );
  return new Map(
    [...workbook.matchAll(/<(?:\w{1,8}:)?sheet\b([^<>]*)>/g)].map(([, attributes = ""]) => [
      decodeXML(attribute(attributes, "name") ?? ""),
      targets.get(attribute(attributes, "\\w{1,8}:id")) ?? "",
    ]),
  );
}

function totalOf(sheets: readonly ShownSheet[], what: keyof LeftOutCells): number {
  return sheets.reduce((sum, { seen }) => sum + (seen?.leftOut[what] ?? 0), 0);
}

function hiddenNotices(hiddenSheets: readonly string[], sheets: readonly ShownSheet[]): ReadingNotice[] {
  const notices: ReadingNotice[] = [];
  if (hiddenSheets.length > 0) notices.push({ code: "hidden_text", message: `hidden sheets were left out: ${hiddenSheets.join(", ")}` });
  const [columns, rows] = [totalOf(sheets, "columns"), totalOf(sheets, "rows")];
  if (columns + rows > 0) notices.push({ code: "hidden_text", message: `hidden columns (${columns}) and rows (${rows}) were left out` });
  return notices;
}

function gapNotices(sheets: readonly ShownSheet[]): ReadingNotice[] {
  const [errors, formulas] = [totalOf(sheets, "errors"), totalOf(sheets, "formulas")];
  if (errors + formulas === 0) return [];
  const message = `cells without a value: ${errors} with an error, ${formulas} with a formula whose result the file does not hold. Open the workbook in a spreadsheet, and save it anew`;
  return [{ code: "cells_without_value", message }];
}

function writeWorkbook(sheets: readonly ShownSheet[], name: string): FormatResult {
  const source: string[] = [];
  let length = 0;
  const add = (text: string) => {
    source.push(text);
    length += text.length;
    return { start: length - text.length, end: length };
  };
  const laid = sheets.map(({ sheet, data, seen }) => {
    const merged = seen?.merged ?? [];
    const shows = shownElsewhere(data, merged);
    const title = add(`${sheet}\n`);
    if (data.length > MAX_TABLE_ROWS)
      throw new IngestError("file_too_large", `sheet ${sheet} has more than ${MAX_TABLE_ROWS} rows: split it`);
    const rows: TableCell[][] = [];
    for (const [r, values] of data.entries()) {
      if (seen?.hidden.rows.has(r + 1)) continue;
      const cells = values.flatMap((value, c): TableCell[] => {
        if (seen?.hidden.columns.has(c + 1)) return [];
        const range = add(cellText(shows.get(r)?.get(c) ?? value));
        add("\t");
        return [{ ...range, row: r + 1, column: c + 1, pieces: [range] }];
      });
      add("\n");
      if (cells.some(({ start, end }) => end > start)) rows.push(cells);
    }
    return { sheet, title, rows, merged };
  });
  const text = source.join("");
  const writer = new BlockWriter(text);
  const numbers: number[] = [];
  const onCell = (cell: readonly number[]) => {
    if ((cell[1] ?? 0) > (cell[0] ?? 0)) numbers.push(...cell);
  };
  for (const { title, rows, merged } of laid) {
    if (laid.length > 1) {
      writer.beginHeading(1);
      writer.text(title.start, title.end - 1);
      writer.end();
    }
    writeSheet(writer, text, { rows, merged }, onCell);
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

/** What merged cells show in another cell than the one that holds it, by row and column from 0. */
function shownElsewhere(data: ShownSheet["data"], merged: readonly ShownCells[]): ReadonlyMap<number, ReadonlyMap<number, unknown>> {
  const shows = new Map<number, Map<number, unknown>>();
  for (const { top, left, anchor } of merged) {
    if (top === anchor.row && left === anchor.column) continue;
    const row = shows.get(top - 1) ?? new Map<number, unknown>();
    shows.set(top - 1, row.set(left - 1, data[anchor.row - 1]?.[anchor.column - 1]));
  }
  return shows;
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

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) {
    const iso = value.toISOString();
    return iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ");
  }
  if (typeof value === "number") return String(Number(value.toPrecision(DOUBLE_DIGITS)));
  return String(value).replace(/\s+/g, " ").trim();
}
