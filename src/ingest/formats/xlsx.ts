import { IngestError } from "../../shared/errors.ts";
import type { ReadingNotice } from "../../shared/types.ts";
import { BlockWriter } from "../block-writer.ts";
import type { Format } from "./format.ts";
import { descendants, partOf, partText, prefixed, relationsOf, type XmlElement } from "./office/xml.ts";
import { type FormatResult, plainMetadata } from "./parsed.ts";
import { isFilled, type SheetCell, sheetMarkup } from "./sheet-markup.ts";
import { walkMarkup } from "./walk-markup.ts";
import { readSheet, readValueStyles, type Sheet } from "./xlsx-sheet.ts";
import { type ArchiveParts, unpackXml } from "./zip.ts";

const WORKBOOK = "xl/workbook.xml";

/** Reads workbooks: the filled rows of all visible sheets, as tables. Numbers are formatted as displayed. */
export const xlsxFormat: Format = {
  name: "xlsx",
  extensions: [".xlsx", ".xlsm"],
  version: 6,
  read({ bytes, name }) {
    const parts = unpackXml(bytes);
    const workbook = partOf(parts, WORKBOOK);
    const styles = readValueStyles(partText(parts, "xl/sharedStrings.xml"), partOf(parts, "xl/styles.xml"), workbook);
    const listed = sheetsOf(parts, workbook).filter(({ part }) => parts.has(part) && /\/worksheets\/[^/]*$/.test(part));
    if (listed.length === 0) throw new IngestError("bad_archive", "the workbook contains no readable sheet: save it again as XLSX");
    const hidden = listed.filter(({ isHidden }) => isHidden).map((one) => one.name);
    const shown = listed.filter(({ isHidden }) => !isHidden);
    const sheets = shown.map((one) => ({ ...readSheet(partText(parts, one.part), styles), name: one.name }));
    return [{ ...writeWorkbook(sheets, name), notices: noticesOf(hidden, sheets) }];
  },
};

function sheetsOf(parts: ArchiveParts, workbook: XmlElement) {
  const relations = relationsOf(parts, WORKBOOK);
  return [...descendants(workbook, "sheet")].map((sheet) => ({
    name: sheet.attributes.name ?? "",
    isHidden: /^(?:veryH|h)idden$/.test(sheet.attributes.state ?? ""),
    part: relations.get(prefixed(sheet, "id") ?? "")?.part ?? "",
  }));
}

type NamedSheet = Sheet & { readonly name: string };

export function noticesOf(hiddenSheets: readonly string[], sheets: readonly NamedSheet[]): ReadingNotice[] {
  const total = (what: keyof Sheet["leftOut"]) => sheets.reduce((sum, { leftOut }) => sum + leftOut[what], 0);
  const [columns, rows, errors, formulas] = [total("columns"), total("rows"), total("errors"), total("formulas")];
  const notices: ReadingNotice[] = [];
  if (hiddenSheets.length > 0) notices.push({ code: "hidden_text", message: `hidden sheets were left out: ${hiddenSheets.join(", ")}` });
  if (columns + rows > 0) notices.push({ code: "hidden_text", message: `hidden columns (${columns}) and rows (${rows}) were left out` });
  const gaps = `${errors} with an error, ${formulas} with a formula whose result is not in the file`;
  const message = `cells without a value: ${gaps}. Open the workbook in a spreadsheet program, and save it again`;
  if (errors + formulas > 0) notices.push({ code: "cells_without_value", message });
  return notices;
}

/** Writes the sheets, with the row and column of each cell. If there are several sheets, each gets its name as heading. */
export function writeWorkbook(sheets: readonly NamedSheet[], title: string): FormatResult {
  const source: string[] = [];
  let length = 0;
  const add = (text: string) => {
    source.push(text);
    length += text.length;
    return { start: length - text.length, end: length };
  };
  const layRow = ([row, texts]: readonly [number, ReadonlyMap<number, string>], columns: readonly number[]) => {
    const cells = columns.map((column): SheetCell => {
      const range = add(texts.get(column) ?? "");
      add("\t");
      return { ...range, row, column };
    });
    add("\n");
    return cells;
  };
  const laid = sheets.map(({ name, rows, columns, merged }) => {
    const head = add(`${name}\n`);
    const laidRows = [...rows].sort(([a], [b]) => a - b).map((row) => layRow(row, columns));
    return { name, head, merged, rows: laidRows.filter((row) => row.some(isFilled)) };
  });
  const filled = laid.flatMap(({ rows }) => rows.flat().filter(isFilled));
  const cells = filled.flatMap(({ start, end, row, column }) => [start, end, row, column]);
  const text = source.join("");
  const writer = new BlockWriter(text);
  for (const { head, rows, merged } of laid) {
    if (laid.length > 1) {
      writer.beginHeading(1);
      writer.text(head.start, head.end - 1);
      writer.end();
    }
    walkMarkup(sheetMarkup(text, rows, merged), writer, { inline: ({ start, end }) => writer.text(start, end) });
  }
  return {
    ...writer.finish(),
    metadata: plainMetadata(title),
    unit: "extracted_utf16",
    places: { type: "cells", cells, sheets: laid.map(({ name, head }) => [head.start, name] as const) },
  };
}
