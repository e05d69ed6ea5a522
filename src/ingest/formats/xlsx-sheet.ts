import { format, isDateFormat } from "numfmt";
import { IngestError } from "../../shared/errors.ts";
import { MAX_SHEET_CELLS, MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from "../limits.ts";
import { descendants, elementsOf, firstOf, walkXml, type XmlElement } from "./office/xml.ts";
import { oneLine } from "./parsed.ts";

/** The data of a workbook that cell values refer to: shared strings and number formats. */
export type ValueStyles = ReturnType<typeof readValueStyles>;

interface NumberStyle {
  /** Pattern of the number format; `null` if the number is shown without one. */
  readonly pattern: string | null;
  /** True for a date whose pattern depends on the locale. Such a date is shown in ISO format. */
  readonly isDate: boolean;
}

/** Built-in number formats: ECMA-376, part 1, 18.8.30. Formats 14 and 22 are missing, because they depend on the locale. */
const BUILT_IN: Readonly<Record<number, string>> = {
  ...{ 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??" },
  ...{ 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss" },
  ...{ 37: "#,##0 ;(#,##0)", 38: "#,##0 ;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)" },
  ...{ 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0", 48: "##0.0E+0" },
};
/** Number of days between the two start dates of spreadsheets, in 1900 and 1904. */
const DAYS_TO_1904 = 1_462;
/** Maximum length of a pattern, in characters; spreadsheets allow 255. */
const MAX_PATTERN = 255;

/** Numbers of the built-in date formats that depend on the locale. */
const DATES: ReadonlySet<number> = new Set([14, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58]);
/** Day numbers, as in a spreadsheet, of 1 January 1970 and of the last day of the year 9999. */
const DAY_1970 = 25_569;
const LAST_DAY = 2_958_465;
/** Number of digits that a double always represents exactly. Spreadsheets show no more. */
const DOUBLE_DIGITS = 15;

/**
 * Reads shared strings and number formats.
 * @param strings content of `xl/sharedStrings.xml`
 * @param styles content of `xl/styles.xml`
 * @param workbook content of `xl/workbook.xml`
 */
export function readValueStyles(strings: string, styles: XmlElement, workbook: XmlElement) {
  const own = new Map(
    [...descendants(styles, "numFmt")].map(({ attributes: { numFmtId, formatCode = "" } }) => [Number(numFmtId), formatCode]),
  );
  const numbers = elementsOf(firstOf(styles, "cellXfs")).map(({ attributes }): NumberStyle => {
    const id = Number(attributes.numFmtId ?? 0);
    const pattern = usable(own.get(id) ?? BUILT_IN[id] ?? null);
    return { pattern, isDate: DATES.has(id) || (pattern === null && isDateFormat(own.get(id) ?? "") === true) };
  });
  const from1904 = ["1", "true"].includes(firstOf(workbook, "workbookPr")?.attributes.date1904 ?? "");
  return { strings: readStrings(strings), numbers, from1904 };
}

function readStrings(xml: string): string[] {
  const strings: string[] = [];
  let isText = false;
  walkXml(xml, {
    open(name) {
      if (name === "si") strings.push("");
      isText = name === "t";
    },
    text(text) {
      if (isText && strings.length > 0) strings.push(strings.pop() + text);
    },
    close() {
      isText = false;
    },
  });
  return strings;
}

/** Formats a number as the spreadsheet shows it: 0.075 with the pattern `0.0%` is "7.5%". */
function showNumber(value: number, { pattern, isDate }: NumberStyle, from1904: boolean): string {
  const day = from1904 ? value + DAYS_TO_1904 : value;
  if (pattern !== null) {
    const shown = showPattern(value, pattern, day);
    if (shown !== null) return shown;
  } else if (isDate && day > 0 && day < LAST_DAY) {
    const iso = new Date(Math.floor((day - DAY_1970) * 86_400_000)).toISOString();
    return iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ");
  }
  return String(Number(value.toPrecision(DOUBLE_DIGITS)));
}

/** Formats a number by a pattern; `null` if the pattern shows nothing or cannot format this number. */
function showPattern(value: number, pattern: string, day: number): string | null {
  try {
    const isDate = isDateFormat(pattern);
    if (isDate && value < 0) return null;
    const shown = format(pattern, isDate ? day : value, { dateErrorThrows: true }).trim();
    return shown === "" || /^#+$/.test(shown) ? null : shown;
  } catch {
    // The pattern or the date is invalid. The caller then shows the plain number.
    return null;
  }
}

function usable(pattern: string | null): string | null {
  if (pattern === null || pattern.length > MAX_PATTERN || /^(?:general|@)?$/i.test(pattern.trim())) return null;
  // Patterns that depend on the locale give different results on different computers.
  return /^\[\$-F[48]00\]/i.test(pattern) ? null : pattern;
}

/** The visible content of a sheet. */
export interface Sheet {
  /** Text of the visible cells: row → column → text, both from 1. */
  readonly rows: ReadonlyMap<number, ReadonlyMap<number, string>>;
  /** Visible columns up to the last filled one. */
  readonly columns: readonly number[];
  readonly merged: readonly MergedCells[];
  /** Counts of hidden rows and columns with content, and of cells without a readable value. */
  readonly leftOut: Readonly<Record<"columns" | "rows" | "errors" | "formulas", number>>;
}

interface Cell {
  readonly row: number;
  readonly column: number;
  readonly type: string;
  readonly style: number;
  /** Text of the `v`, `f` and `t` elements of the cell; `f` is `null` without a formula. */
  v: string;
  f: string | null;
  t: string;
}

/**
 * Reads a sheet. Omits rows and columns that are hidden, filtered out or of zero size. Keeps collapsed groups, because
 * readers can expand them. An error, or a formula without a stored result, is read as text.
 */
export function readSheet(xml: string, styles: ValueStyles): Sheet {
  const rows = new Map<number, Map<number, string>>();
  const merged: MergedCells[] = [];
  const count = { errors: 0, formulas: 0 };
  const [hiddenRows, hiddenColumns] = [new Set<number>(), new Set<number>()];
  const [leftRows, leftColumns] = [new Set<number>(), new Set<number>()];
  let [row, column, hiddenTo, lastRow, lastColumn] = [0, 0, 0, 0, 0];
  let cell: Cell | null = null;
  let into: "v" | "f" | "t" | null = null;
  walkXml(xml, {
    open(name, attributes) {
      into = name === "v" || name === "f" || name === "t" ? name : null;
      if (name === "col") {
        // `col` elements are in order, do not overlap, and come before the rows.
        const to = Math.min(MAX_TABLE_COLUMNS, Number(attributes.max));
        if (isUnseen(attributes, "width"))
          for (let one = Math.max(Number(attributes.min), hiddenTo + 1); one <= to; one++) hiddenColumns.add(one);
        hiddenTo = Math.max(hiddenTo, to);
      } else if (name === "row") {
        row = /^\d{1,7}$/.test(attributes.r ?? "") ? Number(attributes.r) : row + 1;
        column = 0;
        if (isUnseen(attributes, "ht")) hiddenRows.add(row);
      } else if (name === "c") {
        const [, letters, number] = /^([A-Z]{1,3})(\d{1,7})$/.exec(attributes.r ?? "") ?? [];
        column = letters === undefined ? column + 1 : columnNumber(letters);
        const place = { row: Number(number ?? row), column, type: attributes.t ?? "n", style: Number(attributes.s ?? 0) };
        cell = { ...place, f: null, v: "", t: "" };
      } else if (name === "f" && cell !== null) cell.f ??= "";
      else if (name === "mergeCell") {
        const [, from = "", top, to = "", bottom] = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(attributes.ref ?? "") ?? [];
        if (top !== undefined) merged.push({ top: Number(top), left: columnNumber(from), bottom: Number(bottom), right: columnNumber(to) });
      }
    },
    text(text) {
      if (cell !== null && into !== null) cell[into] = (cell[into] ?? "") + text;
    },
    close(name) {
      into = null;
      if (name !== "c" || cell === null) return;
      take(cell);
      cell = null;
    },
  });
  assertSheetSize(lastRow, lastColumn);
  let last = 0;
  for (const texts of rows.values()) for (const one of texts.keys()) last = Math.max(last, one);
  const columns = Array.from({ length: last }, (_, i) => i + 1).filter((one) => !hiddenColumns.has(one));
  return { rows, columns, merged, leftOut: { ...count, rows: leftRows.size, columns: leftColumns.size } };

  function take(taken: Cell): void {
    const { row, column } = taken;
    [lastRow, lastColumn] = [Math.max(lastRow, row), Math.max(lastColumn, column)];
    const isFilled = taken.f !== null || taken.v !== "" || taken.t !== "";
    if (hiddenRows.has(row)) isFilled && leftRows.add(row);
    else if (hiddenColumns.has(column)) isFilled && leftColumns.add(column);
    else {
      const text = oneLine(textOf(taken, styles, count));
      if (text !== "") rows.set(row, (rows.get(row) ?? new Map<number, string>()).set(column, text));
    }
  }
}

/** Limits the size of a sheet, because a single distant cell would create billions of cells. @throws IngestError `file_too_large` */
export function assertSheetSize(rows: number, columns: number): void {
  if (rows * columns <= MAX_SHEET_CELLS && rows <= MAX_TABLE_ROWS) return;
  const message = `a sheet extends to row ${rows} and column ${columns}; the limit is ${MAX_SHEET_CELLS} cells. Remove cells far from the table`;
  throw new IngestError("file_too_large", message, { rows, columns });
}

/** Returns the text of a cell; for a cell without a value, the stored error or formula. */
function textOf({ type, style, f: formula, v: value, t: inline }: Cell, styles: ValueStyles, count: { errors: number; formulas: number }) {
  const { strings, numbers, from1904 } = styles;
  if (type === "s") return unescaped(strings[Number(value || Number.NaN)] ?? "");
  if (type === "inlineStr" || type === "str") return unescaped(type === "str" ? value : inline);
  if (formula !== null && value === "") {
    count.formulas++;
    // A cell may share the formula of another cell. Then only the other cell stores the formula's text.
    return formula.trim() === "" ? "" : `=${formula}`;
  }
  if (type === "e" && value !== "") count.errors++;
  if (type === "b") return value === "" ? "" : String(value === "1");
  const number = type === "n" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? showNumber(number, numbers[style] ?? { pattern: null, isDate: false }, from1904) : value;
}

/** Decodes characters that XML cannot hold, e.g. `_x0007_`: ECMA-376, part 1, 22.9.2.19. */
function unescaped(text: string): string {
  return text.replace(/_x([\da-fA-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function isUnseen(attributes: Readonly<Record<string, string>>, size: "width" | "ht"): boolean {
  const { hidden = "", outlineLevel = "0", [size]: length = "" } = attributes;
  if (length.trim() !== "" && Number(length) === 0) return true;
  return (hidden === "1" || hidden === "true") && !(Number(outlineLevel) > 0);
}

/** A merged range, with rows and columns from 1, both ends inclusive. */
export type MergedCells = Readonly<Record<"top" | "left" | "bottom" | "right", number>>;

/** Returns the number of a column, from 1; `AA` is 27. */
function columnNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}
