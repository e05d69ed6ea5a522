import { IngestError } from "../../../shared/errors.ts";
import { MAX_TABLE_COLUMNS, MAX_TEXT_BYTES } from "../../limits.ts";
import type { Format } from "../format.ts";
import { oneLine } from "../parsed.ts";
import { noticesOf, writeWorkbook } from "../xlsx.ts";
import { assertSheetSize, type MergedCells, type Sheet } from "../xlsx-sheet.ts";
import { openOdf } from "./odf.ts";
import { spokenIn } from "./odf-text.ts";
import { descendants, elementsOf, firstOf, prefixed, type XmlElement } from "./xml.ts";

/** Reads OpenDocument spreadsheets: the filled rows of all visible sheets, as tables. Values are as displayed. */
export const odsFormat: Format = {
  name: "ods",
  extensions: [".ods", ".ots"],
  version: 1,
  read({ bytes, name }) {
    const { content, styles } = openOdf(bytes);
    const tables = elementsOf(firstOf(content, "spreadsheet") ?? content).filter((one) => one.name === "table");
    if (tables.length === 0) throw new IngestError("bad_archive", "the file contains no sheet: save it again as ODS");
    const isHidden = (table: XmlElement) => {
      const properties = firstOf(styles.properties("table", prefixed(table, "style-name")), "table-properties");
      return properties !== undefined && prefixed(properties, "display") === "false";
    };
    const nameOf = (table: XmlElement) => prefixed(table, "name") ?? "";
    const sheets = tables.filter((table) => !isHidden(table)).map((table) => ({ ...readSheet(table), name: nameOf(table) }));
    return [{ ...writeWorkbook(sheets, name), notices: noticesOf(tables.filter(isHidden).map(nameOf), sheets) }];
  },
};

/** Reads the cells of one sheet. A short file can repeat rows without end, so the size is checked before repeated rows are created. */
function readSheet(table: XmlElement): Sheet {
  const leftOut = { columns: 0, rows: 0, errors: 0, formulas: 0 };
  const [hidden, filledHidden] = [new Set<number>(), new Set<number>()];
  const rows = new Map<number, ReadonlyMap<number, string>>();
  const merged: MergedCells[] = [];
  let [row, width, characters, columns] = [0, 0, 0, 0];
  for (const element of descendants(table, "table-column", "table-row", "shapes")) {
    if (element.name === "table-column") {
      const end = Math.min(MAX_TABLE_COLUMNS, columns + countIn(element, "number-columns-repeated"));
      for (; columns < end; columns++) if (isUnseen(element)) hidden.add(columns + 1);
    }
    if (element.name !== "table-row") continue;
    const repeats = countIn(element, "number-rows-repeated");
    const texts = readCells(element);
    if (texts.size > 0 && isUnseen(element)) leftOut.rows += repeats;
    else if (texts.size > 0) {
      characters += repeats * [...texts.values()].reduce((sum, text) => sum + text.length, 0);
      width = Math.max(width, ...texts.keys());
      assertSheetSize(row + repeats, width);
      if (characters > MAX_TEXT_BYTES)
        throw new IngestError("file_too_large", `a sheet repeats its rows to more than ${MAX_TEXT_BYTES} characters: delete these rows`);
      for (let i = 1; i <= repeats; i++) rows.set(row + i, texts);
    }
    row += repeats;
  }
  const shown = Array.from({ length: width }, (_, i) => i + 1).filter((column) => !hidden.has(column));
  return { rows, columns: shown, merged, leftOut: { ...leftOut, columns: filledHidden.size } };

  /** Returns the visible cells of a row that have content, by column. */
  function readCells(element: XmlElement): Map<number, string> {
    const texts = new Map<number, string>();
    let column = 1;
    for (const cell of descendants(element, "table-cell", "covered-table-cell")) {
      const text = oneLine(valueOfCell(cell, leftOut));
      const end = Math.min(MAX_TABLE_COLUMNS + 1, column + countIn(cell, "number-columns-repeated"));
      for (let at = column; at < end && text !== ""; at++)
        if (hidden.has(at)) filledHidden.add(at);
        else texts.set(at, text);
      const [across, down] = [countIn(cell, "number-columns-spanned"), countIn(cell, "number-rows-spanned")];
      if (across > 1 || down > 1) merged.push({ top: row + 1, left: column, bottom: row + down, right: column + across - 1 });
      column = end;
    }
    return texts;
  }
}

const STORED = ["string-value", "date-value", "time-value", "boolean-value", "value"] as const;

/** Returns the displayed text of a cell. If the file stores no text for it, returns the value, else the formula. */
function valueOfCell(cell: XmlElement, leftOut: { errors: number; formulas: number }): string {
  if (cell.attributes["calcext:value-type"] === "error") leftOut.errors++;
  const paragraphs = elementsOf(cell).filter(({ name }) => name === "p");
  if (paragraphs.length > 0) return paragraphs.map(spokenIn).join(" ");
  const stored = STORED.map((name) => cell.attributes[`office:${name}`]).find((value) => value !== undefined);
  const formula = prefixed(cell, "formula");
  if (stored !== undefined || formula === undefined) return stored ?? "";
  leftOut.formulas++;
  return formula.replace(/^[a-z]+:/i, "");
}

function countIn(element: XmlElement, attribute: string): number {
  const value = prefixed(element, attribute) ?? "";
  return /^\d{1,7}$/.test(value) ? Math.max(1, Number(value)) : 1;
}

function isUnseen(element: XmlElement): boolean {
  return ["collapse", "filter"].includes(prefixed(element, "visibility") ?? "");
}
