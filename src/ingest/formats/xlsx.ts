import { IngestError } from "../../shared/errors.ts";
import type { ReadingNotice, TextRange } from "../../shared/types.ts";
import { BlockWriter } from "../block-writer.ts";
import type { Format } from "./format.ts";
import { closing, type MarkupEvent, opening } from "./markup.ts";
import { type FormatResult, plainMetadata } from "./parsed.ts";
import { isHeaderRow } from "./table-grid.ts";
import { walkMarkup } from "./walk-markup.ts";
import { type LeftOutCells, readSheet, readValueStyles, type Sheet, type ShownCells } from "./xlsx-sheet.ts";
import { unpackZip, walkXml } from "./zip.ts";

/** Reads workbooks: every filled row of every visible sheet with its header, numbers formatted as displayed. */
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
    if (listed.length === 0) throw new IngestError("bad_archive", "the workbook contains no readable sheet: save it again as XLSX");
    const hidden = listed.filter(({ isHidden }) => isHidden).map((one) => one.name);
    const sheets = listed.filter(({ isHidden }) => !isHidden).map((one) => ({ ...readSheet(textOf(one.part), styles), name: one.name }));
    return [{ ...writeWorkbook(sheets, name), notices: noticesOf(hidden, sheets) }];
  },
};

interface ListedSheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Path in the archive. */
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

function noticesOf(hiddenSheets: readonly string[], sheets: readonly NamedSheet[]): ReadingNotice[] {
  const total = (what: keyof LeftOutCells) => sheets.reduce((sum, { leftOut }) => sum + leftOut[what], 0);
  const [columns, rows, errors, formulas] = [total("columns"), total("rows"), total("errors"), total("formulas")];
  const notices: ReadingNotice[] = [];
  if (hiddenSheets.length > 0) notices.push({ code: "hidden_text", message: `hidden sheets were left out: ${hiddenSheets.join(", ")}` });
  if (columns + rows > 0) notices.push({ code: "hidden_text", message: `hidden columns (${columns}) and rows (${rows}) were left out` });
  const gaps = `${errors} with an error, ${formulas} with a formula whose result the file does not hold`;
  const message = `cells without a value: ${gaps}. Open the workbook in a spreadsheet, and save it anew`;
  if (errors + formulas > 0) notices.push({ code: "cells_without_value", message });
  return notices;
}

function writeWorkbook(sheets: readonly NamedSheet[], title: string): FormatResult {
  const source: string[] = [];
  let length = 0;
  const add = (text: string) => {
    source.push(text);
    length += text.length;
    return { start: length - text.length, end: length };
  };
  const numbers: number[] = [];
  const laid = sheets.map(({ name, rows, columns, merged }) => {
    const head = add(`${name}\n`);
    const cells = [...rows]
      .sort(([a], [b]) => a - b)
      .map(([row, texts]) => {
        const laidRow = columns.map((column): SheetCell => {
          const range = add(texts.get(column) ?? "");
          if (range.end > range.start) numbers.push(range.start, range.end, row, column);
          add("\t");
          return { ...range, row, column };
        });
        add("\n");
        return laidRow;
      });
    return { name, head, merged, rows: cells.filter((row) => row.some(isFilled)) };
  });
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
    places: { type: "cells", cells: numbers, sheets: laid.map(({ name, head }) => [head.start, name] as const) },
  };
}

/** The range of a cell's text in the workbook's text. */
interface SheetCell extends TextRange {
  /** From 1, as in a spreadsheet. */
  readonly row: number;
  readonly column: number;
}

function isFilled({ start, end }: TextRange): boolean {
  return end > start;
}

/** Converts a sheet to markup. Single-cell rows above the first longer row are captions; that row may be the header. */
function sheetMarkup(text: string, rows: readonly (readonly SheetCell[])[], merged: readonly ShownCells[]): MarkupEvent[] {
  const events: MarkupEvent[] = [];
  const write = (name: string, { start, end }: TextRange, attributes = {}) => {
    events.push(opening(name, start, attributes));
    if (end > start) events.push({ type: "text", text: text.slice(start, end), start, end });
    events.push(closing(name, end));
  };
  const first = rows.findIndex((row) => row.filter(isFilled).length > 1);
  for (const cell of (first < 0 ? rows : rows.slice(0, first)).flat().filter(isFilled)) write("p", cell);
  if (first < 0) return events;
  const body = rows.slice(first);
  const { spans, covered } = spansOf(body, merged);
  const hasHeader = isHeaderRow(body.slice(0, 2).map((row) => row.map(({ start, end }) => text.slice(start, end))));
  const at = body[0]?.[0]?.start ?? 0;
  events.push(opening("table", at));
  for (const [r, row] of body.entries()) {
    events.push(opening("tr", at));
    for (const cell of row) if (!covered.has(cell)) write(hasHeader && r === 0 ? "th" : "td", cell, spans.get(cell));
    events.push(closing("tr", at));
  }
  events.push(closing("table", at));
  return events;
}

/** Maximum covered cells per cell of the sheet. More indicates an attack on processing time. */
const COVERED_PER_CELL = 8;

/** Returns the spans of merged cells and the cells that they cover. Ranges with a second filled cell are not merged. */
function spansOf(rows: readonly (readonly SheetCell[])[], merged: readonly ShownCells[]) {
  const spans = new Map<SheetCell, { readonly colspan: string; readonly rowspan: string }>();
  const covered = new Set<SheetCell>();
  let left = COVERED_PER_CELL * rows.reduce((sum, row) => sum + row.length, 0);
  const byNumber = new Map(rows.map((row, r) => [row[0]?.row, r]));
  const places = new Map((rows[0] ?? []).map(({ column }, place) => [column, place]));
  for (const { top, left: from, bottom, right } of merged) {
    const [r, place] = [byNumber.get(top), places.get(from)];
    if (r === undefined || place === undefined) continue;
    let [height, width] = [1, 1];
    while ((rows[r + height]?.[0]?.row ?? Number.POSITIVE_INFINITY) <= bottom) height++;
    while ((rows[r]?.[place + width]?.column ?? Number.POSITIVE_INFINITY) <= right) width++;
    left -= height * width;
    if (left < 0) break;
    const [cell, ...others] = rows.slice(r, r + height).flatMap((row) => row.slice(place, place + width));
    if (cell === undefined || covered.has(cell) || others.some(isFilled)) continue;
    spans.set(cell, { colspan: String(width), rowspan: String(height) });
    for (const other of others) covered.add(other);
  }
  return { spans, covered };
}
