import { decodeXML, escapeUTF8 } from "entities";
import { format, isDateFormat } from "numfmt";
import { MOST_HEAD_ROWS, SHORT_CHARACTERS, type TableCell } from "./table.ts";

/** What a workbook says of how its numbers are shown. */
interface NumberStyles {
  /** By the number of a cell's style: the pattern, `null` where a number is shown as it is. */
  readonly patterns: readonly (string | null)[];
  /** Days are counted from 1904, not from 1900. */
  readonly from1904: boolean;
}

/** Patterns that are named by number alone: ECMA-376, part 1, 18.8.30. 14 and 22 are not among them: they say "as this computer writes dates". */
const BUILT_IN: Readonly<Record<number, string>> = {
  ...{ 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??" },
  ...{ 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss" },
  ...{ 37: "#,##0 ;(#,##0)", 38: "#,##0 ;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)" },
  ...{ 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0", 48: "##0.0E+0" },
};
/** Days between the two calendars of spreadsheets. */
const DAYS_TO_1904 = 1_462;
/** No pattern is longer; a spreadsheet allows 255 characters. */
const MAX_PATTERN = 255;

const ATTRIBUTES = `((?:[^<>"']|"[^"<]*"|'[^'<]*')*)`;
const STYLE_TAG = new RegExp(String.raw`<(?:\w{1,8}:)?(numFmt|cellXfs|xf)\b${ATTRIBUTES}>|</(?:\w{1,8}:)?(cellXfs)>`, "g");
/** A cell with a value, and perhaps the formula that made it. Every part ends at the next tag: time grows with the length alone. */
const CELL =
  /<((?:\w{1,8}:)?c)\b([^<>]*)>((?:<(?:\w{1,8}:)?f\b[^<>]*(?:\/>|>[^<]*<\/(?:\w{1,8}:)?f>))?)<((?:\w{1,8}:)?v)>([^<]{1,40})<\/\4><\/\1>/g;

/** @param styles content of `xl/styles.xml`; @param workbook content of `xl/workbook.xml` */
export function readNumberStyles(styles: string, workbook: string): NumberStyles {
  const own = new Map<number, string>();
  const patterns: (string | null)[] = [];
  let isCellStyle = false;
  for (const [, tag, attributes = "", closed] of styles.matchAll(STYLE_TAG)) {
    if (closed !== undefined) isCellStyle = false;
    else if (tag === "cellXfs") isCellStyle = !attributes.endsWith("/");
    else if (tag === "numFmt") own.set(Number(attribute(attributes, "numFmtId")), decodeXML(attribute(attributes, "formatCode") ?? ""));
    else if (tag === "xf" && isCellStyle) {
      const id = Number(attribute(attributes, "numFmtId") ?? 0);
      patterns.push(usable(own.get(id) ?? BUILT_IN[id] ?? null));
    }
  }
  return { patterns, from1904: /<(?:\w{1,8}:)?workbookPr\b[^<>]*\bdate1904="(?:1|true)"/.test(workbook) };
}

/**
 * The sheet with its formatted numbers as text, as a spreadsheet shows them: 0.075 under `0.0%` is "7.5%". Numbers without a pattern, with one that
 * cannot be read, and dates "as this computer writes them" stay what they are.
 */
export function withShownNumbers(sheet: string, { patterns, from1904 }: NumberStyles): string {
  if (patterns.every((pattern) => pattern === null)) return sheet;
  return sheet.replace(CELL, (cell, c: string, attributes: string, formula: string, v: string, value: string) => {
    const type = attribute(attributes, "t");
    const pattern = patterns[Number(attribute(attributes, "s") ?? 0)] ?? null;
    if (pattern === null || (type !== null && type !== "n")) return cell;
    const shown = showNumber(Number(value), pattern, from1904);
    if (shown === null) return cell;
    return `<${c}${attributes.replace(/\st=("n"|'n')/, "")} t="str">${formula}<${v}>${escapeUTF8(shown)}</${v}></${c}>`;
  });
}

/** What a reader of the spreadsheet sees; `null` where the pattern shows nothing or cannot show this number. */
function showNumber(value: number, pattern: string, from1904: boolean): string | null {
  if (!Number.isFinite(value)) return null;
  try {
    const isDate = isDateFormat(pattern);
    if (isDate && value < 0) return null;
    const shown = format(pattern, isDate && from1904 ? value + DAYS_TO_1904 : value, { dateErrorThrows: true }).trim();
    return shown === "" || /^#+$/.test(shown) ? null : shown;
  } catch {
    // A pattern or a date that no spreadsheet knows: the number itself is read.
    return null;
  }
}

function usable(pattern: string | null): string | null {
  if (pattern === null || pattern.length > MAX_PATTERN || /^(?:general|@)?$/i.test(pattern.trim())) return null;
  // What a computer's own settings decide is shown otherwise on the next one.
  return /^\[\$-F[48]00\]/i.test(pattern) ? null : pattern;
}

/** Cells of a sheet that are one, as a spreadsheet counts rows and columns, from 1; both ends belong to it. */
interface MergedCells {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Merged cells without those before their first shown one, which shows what the first of all, the anchor, holds. */
export interface ShownCells extends MergedCells {
  readonly anchor: { readonly row: number; readonly column: number };
}

/** Rows and columns of a sheet that are hidden, from 1. */
interface HiddenLines {
  readonly rows: ReadonlySet<number>;
  readonly columns: ReadonlySet<number>;
}

const MERGED = /<(?:\w{1,8}:)?mergeCell\b[^<>]*\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g;
/** Cells that may be filled for each that the sheet has: more would be an attempt to fill the memory. */
const FILLED_PER_CELL = 8;

/** What is merged on a sheet, of which this is the part of the file. */
function readMerged(sheet: string): MergedCells[] {
  return [...sheet.matchAll(MERGED)].map(([, from = "", top, to = "", bottom]) => ({
    top: Number(top),
    left: columnNumber(from),
    bottom: Number(bottom),
    right: columnNumber(to),
  }));
}

/** What of the merged cells is shown; those of which nothing is are left out. Linear. */
function shownCells(merged: readonly MergedCells[], hidden: HiddenLines): ShownCells[] {
  const [shownRow, shownColumn] = [firstShown(hidden.rows), firstShown(hidden.columns)];
  return merged.flatMap((one) => {
    const [top, left] = [shownRow(one.top), shownColumn(one.left)];
    return top > one.bottom || left > one.right ? [] : [{ ...one, top, left, anchor: { row: one.top, column: one.left } }];
  });
}

/** The first line from a given one on that is shown. */
function firstShown(hidden: ReadonlySet<number>): (from: number) => number {
  const next = new Map<number, number>();
  for (const line of [...hidden].sort((a, b) => b - a)) next.set(line, next.get(line + 1) ?? line + 1);
  return (from) => next.get(from) ?? from;
}

/** `AA` is 27. */
export function columnNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/**
 * Rows of a table in which what is merged stands in each column and row that it covers, but what names a row once. Where the first rows name groups of columns and the
 * columns in them, they are one row: "Fee · Visitor".
 */
export function withMergedCells(rows: readonly (readonly TableCell[])[], merged: readonly ShownCells[]): readonly (readonly TableCell[])[] {
  const [first] = rows;
  const top = first?.[0]?.row;
  if (first === undefined || top === undefined || merged.length === 0) return rows;
  const filled = rows.map((row) => [...row]);
  const byNumber = new Map(filled.map((row) => [row[0]?.row, row]));
  // Hidden columns are not there: what stands in a column is found by its number, the same in each row.
  const longest = filled.reduce((most, row) => (row.length > most.length ? row : most), filled[0] ?? []);
  const placeOf = new Map(longest.map(({ column }, place) => [column, place]));
  let left = FILLED_PER_CELL * filled.reduce((sum, row) => sum + row.length, 0);
  const isGroup = (one: ShownCells) => one.top === top && one.right > one.anchor.column;
  const head = merged.reduce((most, one) => (one.top === top ? Math.max(most, one.bottom - top + 1) : most), 1);
  const below = filled.filter(([cell]) => (cell?.row ?? 0) >= top + head);
  const hasGroups = head > 1 && head <= MOST_HEAD_ROWS && merged.some(isGroup) && below.length > 0;
  for (const one of merged) {
    const cell = byNumber.get(one.top)?.[placeOf.get(one.left) ?? -1];
    if (cell === undefined || isEmpty(cell) || cell.end - cell.start > SHORT_CHARACTERS) continue;
    for (let row = one.top; row <= one.bottom && left > 0; row++) {
      left--;
      const cells = byNumber.get(row);
      if (cells === undefined) continue;
      // What names a row names it once.
      const right = one.left === cells[0]?.column && row > top ? one.left : Math.min(one.right, cells.at(-1)?.column ?? 0);
      for (let column = one.left; column <= right && left > 0; column++) {
        left--;
        const place = placeOf.get(column) ?? -1;
        const covered = cells[place];
        if (covered !== undefined && isEmpty(covered)) cells[place] = { ...covered, pieces: cell.pieces };
      }
    }
  }
  return hasGroups ? [namesOf(filled.slice(0, filled.length - below.length)), ...below] : filled;
}

/** The names above each column, each once. */
function namesOf([first = [], ...below]: readonly (readonly TableCell[])[]): TableCell[] {
  return first.map((cell, column) => {
    const names = [cell, ...below.flatMap((row) => row[column] ?? [])].filter(({ pieces }) => pieces.some(({ start, end }) => end > start));
    const distinct = names.filter(({ pieces }, i) => names.findIndex((other) => other.pieces[0]?.start === pieces[0]?.start) === i);
    return { ...cell, below: distinct.filter((one) => one !== cell) };
  });
}

/** It has no words of its own, nor any of what it is merged with. */
function isEmpty({ pieces }: TableCell): boolean {
  return pieces.every(({ start, end }) => start === end);
}

/** A sheet as its readers see it, and what of it is otherwise. */
export interface SeenSheet {
  /**
   * The sheet without its hidden cells, but for what merged cells show elsewhere; an error is text, and so is a formula whose result the file does not hold.
   */
  readonly sheet: string;
  readonly hidden: HiddenLines;
  readonly merged: readonly ShownCells[];
  readonly leftOut: LeftOutCells;
}

/** How many columns and rows with something in them were left out, and how many cells hold nothing that could be read. */
export interface LeftOutCells {
  readonly columns: number;
  readonly rows: number;
  readonly errors: number;
  readonly formulas: number;
}

/** No spreadsheet has more. */
const MAX_COLUMNS = 16_384;
const LINE_TAG = /<(\/?)(?:\w{1,8}:)?(col|row)(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/g;
const TAG = /<(\/?)(?:\w{1,8}:)?(row|c|f|v|is)(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/g;

interface Cell {
  readonly start: number;
  readonly attributes: string;
  readonly prefix: string;
  formula: string | null;
  value: string;
  isFilled: boolean;
}

/**
 * What is hidden, by its author or by a filter, or has no width or height, is left out; what is folded into a group is not: a reader opens it by its control.
 * Linear.
 */
export function readSeenSheet(sheet: string): SeenSheet {
  const hidden = hiddenLines(sheet);
  const merged = shownCells(readMerged(sheet), hidden);
  const anchors = new Set(merged.map(({ anchor }) => placeOf(anchor.row, anchor.column)));
  const filledColumns = new Set<number>();
  const count = { rows: 0, errors: 0, formulas: 0 };
  const parts: string[] = [];
  let written = 0;
  let [row, column] = [{ number: 0, isHidden: false, isFilled: false }, 0];
  let cell: Cell | null = null;
  let inner: { readonly name: string; readonly end: number } | null = null;
  const replace = (start: number, end: number, by: string) => {
    parts.push(sheet.slice(written, start), by);
    written = end;
  };
  const endCell = (end: number) => {
    if (cell === null) return;
    column = columnOf(cell.attributes) ?? column + 1;
    if ((row.isHidden || hidden.columns.has(column)) && !anchors.has(placeOf(row.number, column))) {
      if (cell.isFilled && row.isHidden) row.isFilled = true;
      else if (cell.isFilled) filledColumns.add(column);
      replace(cell.start, end, "");
    } else {
      const gap = gapOf(cell);
      if (gap !== null) {
        count[gap.kind]++;
        const { prefix, attributes } = cell;
        const kept = attributes.replace(/\st=(?:"[^"]*"|'[^']*')/, "").replace(/\/$/, "");
        replace(cell.start, end, `<${prefix}c${kept} t="str"><${prefix}v>${escapeUTF8(gap.shown)}</${prefix}v></${prefix}c>`);
      }
    }
    cell = null;
  };
  for (const { 0: tag, 1: slash, 2: name = "", 3: attributes = "", index } of sheet.matchAll(TAG)) {
    const end = index + tag.length;
    const isEmpty = attributes.endsWith("/");
    if (name === "row") {
      if (row.isFilled) count.rows++;
      if (slash === "") row = { number: rowOf(attributes) ?? row.number + 1, isHidden: isUnseen(attributes, "ht"), isFilled: false };
      else row = { ...row, isHidden: false, isFilled: false };
      column = 0;
    } else if (name === "c") {
      if (slash === "")
        cell = { start: index, attributes, prefix: /^<((?:\w{1,8}:)?)/.exec(tag)?.[1] ?? "", formula: null, value: "", isFilled: false };
      if (slash !== "" || isEmpty) endCell(end);
    } else if (cell !== null) {
      if (slash === "") inner = isEmpty ? null : { name, end };
      if (name === "f") cell.formula ??= "";
      if (name === "is") cell.isFilled = true;
      if (slash !== "" && inner?.name === name) {
        const text = sheet.slice(inner.end, index);
        if (name === "f") cell.formula = text;
        else if (name === "v") cell.value = text;
        inner = null;
      }
      cell.isFilled ||= cell.formula !== null || cell.value !== "";
    }
  }
  if (row.isFilled) count.rows++;
  parts.push(sheet.slice(written));
  return { sheet: parts.join(""), hidden, merged, leftOut: { ...count, columns: filledColumns.size } };
}

function hiddenLines(sheet: string): HiddenLines {
  const [rows, columns] = [new Set<number>(), new Set<number>()];
  let [row, lastColumn] = [0, 0];
  for (const [, slash, name, attributes = ""] of sheet.matchAll(LINE_TAG)) {
    if (slash !== "") continue;
    if (name === "row") {
      row = rowOf(attributes) ?? row + 1;
      if (isUnseen(attributes, "ht")) rows.add(row);
      continue;
    }
    // In order and apart from each other.
    const [from, to] = [Number(attribute(attributes, "min")), Math.min(MAX_COLUMNS, Number(attribute(attributes, "max")))];
    if (isUnseen(attributes, "width")) for (let one = Math.max(from, lastColumn + 1); one <= to; one++) columns.add(one);
    lastColumn = Math.max(lastColumn, to);
  }
  return { rows, columns };
}

/** What a cell shows that has no value: the error, or the formula, as it stands in the file. A text may be empty. */
function gapOf({ attributes, formula, value }: Cell): { readonly kind: "errors" | "formulas"; readonly shown: string } | null {
  const type = attribute(attributes, "t");
  if (type === "e" && value !== "") return { kind: "errors", shown: decodeXML(value) };
  if (formula === null || value !== "" || type === "str" || type === "s" || type === "inlineStr") return null;
  // A cell may share the formula of another, which alone holds its text.
  return { kind: "formulas", shown: formula.trim() === "" ? "" : `=${decodeXML(formula)}` };
}

function isUnseen(attributes: string, size: "width" | "ht"): boolean {
  const length = attribute(attributes, size);
  if (length !== null && length.trim() !== "" && Number(length) === 0) return true;
  return isTrue(attributes, "hidden") && !(Number(attribute(attributes, "outlineLevel") ?? 0) > 0);
}

function isTrue(attributes: string, name: string): boolean {
  return /^(?:1|true)$/.test(attribute(attributes, name) ?? "");
}

/** One number for a cell. */
function placeOf(row: number, column: number): number {
  return row * (MAX_COLUMNS + 1) + column;
}

function rowOf(attributes: string): number | null {
  const number = /^\d{1,7}$/.exec(attribute(attributes, "r") ?? "")?.[0];
  return number === undefined ? null : Number(number);
}

function columnOf(attributes: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(attribute(attributes, "r") ?? "")?.[0];
  return letters === undefined ? null : columnNumber(letters);
}

export function attribute(attributes: string, name: string): string | null {
  const found = new RegExp(String.raw`(?:^|\s)${name}\s*=\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found?.[1] ?? found?.[2] ?? null;
}
