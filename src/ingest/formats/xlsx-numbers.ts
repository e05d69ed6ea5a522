import { decodeXML, escapeUTF8 } from "entities";
import { format, isDateFormat } from "numfmt";
import { attribute } from "./xlsx-unseen.ts";

/** What a workbook says of how its numbers are shown. */
export interface NumberStyles {
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
