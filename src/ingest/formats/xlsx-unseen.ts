import { decodeXML, escapeUTF8 } from "entities";
import { columnNumber, type HiddenLines, readMerged, type ShownCells, shownCells } from "./xlsx-merged.ts";

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
