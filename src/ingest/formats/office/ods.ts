import { IngestError } from "../../../shared/errors.ts";
import { MAX_TABLE_COLUMNS, MAX_TEXT_BYTES } from "../../limits.ts";
import type { Format } from "../format.ts";
import { oneLine } from "../parsed.ts";
import { noticesOf, writeWorkbook } from "../xlsx.ts";
import { assertSheetSize, type MergedCells, type Sheet } from "../xlsx-sheet.ts";
import { walkXml } from "../zip.ts";
import { unpackOdf } from "./odf.ts";

/** Reads OpenDocument spreadsheets as XLSX: every filled row of every visible sheet with its header, values as displayed. */
export const odsFormat: Format = {
  name: "ods",
  extensions: [".ods", ".ots"],
  version: 1,
  read({ bytes, name }) {
    const sheets = readSheets(unpackOdf(bytes)("content.xml"));
    if (sheets.length === 0) throw new IngestError("bad_archive", "the file contains no sheet: save it again as ODS");
    const hidden = sheets.filter(({ isHidden }) => isHidden).map((sheet) => sheet.name);
    const shown = sheets.filter(({ isHidden }) => !isHidden);
    return [{ ...writeWorkbook(shown, name), notices: noticesOf(hidden, shown) }];
  },
};

type Attributes = Readonly<Record<string, string>>;

interface OdsSheet extends Sheet {
  readonly name: string;
  readonly isHidden: boolean;
}

interface OpenCell {
  text: string;
  readonly repeats: number;
  readonly attributes: Attributes;
}

/** Elements of a cell that are not its value. */
const BESIDE: ReadonlySet<string> = new Set(["annotation", "frame", "shapes", "table", "custom-shape"]);

function readSheets(xml: string): OdsSheet[] {
  const sheets: OdsSheet[] = [];
  const hiddenStyles = new Set<string>();
  let style = "";
  let sheet: SheetReader | null = null;
  /** Open elements beside the value of a cell. */
  let beside = 0;
  walkXml(xml, {
    open(name, attributes) {
      if (sheet !== null && (beside > 0 || BESIDE.has(name))) beside++;
      else if (name === "style") style = attributes["style:name"] ?? "";
      else if (name === "table-properties" && attributes["table:display"] === "false") hiddenStyles.add(style);
      else if (name === "table")
        sheet = new SheetReader(attributes["table:name"] ?? "", hiddenStyles.has(attributes["table:style-name"] ?? ""));
      else sheet?.open(name, attributes);
    },
    text(text) {
      if (beside === 0) sheet?.text(text);
    },
    close(name) {
      if (beside > 0) beside--;
      else if (name === "table" && sheet !== null) {
        sheets.push(sheet.finish());
        sheet = null;
      } else sheet?.close(name);
    },
  });
  return sheets;
}

/** Collects the cells of one sheet. */
class SheetReader {
  readonly #name: string;
  readonly #isHidden: boolean;
  readonly #rows = new Map<number, Map<number, string>>();
  readonly #hiddenColumns = new Set<number>();
  readonly #merged: MergedCells[] = [];
  readonly #count = { columns: 0, rows: 0, errors: 0, formulas: 0 };
  readonly #filledHidden = new Set<number>();
  #cells: OpenCell[] = [];
  #cell: OpenCell | null = null;
  #isText = false;
  #row = 0;
  #lastColumn = 0;
  #rowAttributes: Attributes = {};
  /** Last filled visible column. */
  #width = 0;
  #characters = 0;

  constructor(name: string, isHidden: boolean) {
    this.#name = name;
    this.#isHidden = isHidden;
  }

  open(name: string, attributes: Attributes): void {
    if (name === "table-column") {
      const to = Math.min(MAX_TABLE_COLUMNS, this.#lastColumn + repeatsIn(attributes, "table:number-columns-repeated"));
      if (isUnseen(attributes)) for (let column = this.#lastColumn + 1; column <= to; column++) this.#hiddenColumns.add(column);
      this.#lastColumn = to;
    } else if (name === "table-row") {
      this.#rowAttributes = attributes;
      this.#cells = [];
    } else if (name === "table-cell" || name === "covered-table-cell") {
      this.#cell = { text: "", repeats: repeatsIn(attributes, "table:number-columns-repeated"), attributes };
    } else if (name === "p" && this.#cell !== null) {
      this.#isText = true;
      if (this.#cell.text !== "") this.#cell.text += " ";
    } else if (this.#cell !== null && ["s", "tab", "line-break"].includes(name)) this.#cell.text += " ";
  }

  text(text: string): void {
    if (this.#cell !== null && this.#isText) this.#cell.text += text;
  }

  close(name: string): void {
    if (name === "p") this.#isText = false;
    else if ((name === "table-cell" || name === "covered-table-cell") && this.#cell !== null) {
      this.#cells.push(this.#cell);
      this.#cell = null;
    } else if (name === "table-row") this.#endRow();
  }

  finish(): OdsSheet {
    const columns = Array.from({ length: this.#width }, (_, i) => i + 1).filter((column) => !this.#hiddenColumns.has(column));
    const leftOut = { ...this.#count, columns: this.#filledHidden.size };
    return { name: this.#name, isHidden: this.#isHidden, rows: this.#rows, columns, merged: this.#merged, leftOut };
  }

  #endRow(): void {
    const repeats = repeatsIn(this.#rowAttributes, "table:number-rows-repeated");
    const texts = this.#readCells();
    if (texts.size > 0 && isUnseen(this.#rowAttributes)) this.#count.rows += repeats;
    else if (texts.size > 0) {
      // Checked before the rows are made: a short file can repeat them without end.
      this.#characters += repeats * [...texts.values()].reduce((sum, text) => sum + text.length, 0);
      if (this.#characters > MAX_TEXT_BYTES) throw tooLarge(this.#characters);
      this.#width = Math.max(this.#width, ...texts.keys());
      assertSheetSize(this.#row + repeats, this.#width);
      for (let i = 1; i <= repeats; i++) this.#rows.set(this.#row + i, texts);
    }
    this.#row += repeats;
  }

  /** Returns the filled cells of the row by column. */
  #readCells(): Map<number, string> {
    const texts = new Map<number, string>();
    let column = 1;
    for (const cell of this.#cells) {
      const text = oneLine(this.#valueOf(cell));
      const end = Math.min(MAX_TABLE_COLUMNS + 1, column + cell.repeats);
      if (text !== "")
        for (let at = column; at < end; at++) {
          if (this.#hiddenColumns.has(at)) this.#filledHidden.add(at);
          else texts.set(at, text);
        }
      const width = repeatsIn(cell.attributes, "table:number-columns-spanned");
      const height = repeatsIn(cell.attributes, "table:number-rows-spanned");
      if (width > 1 || height > 1)
        this.#merged.push({ top: this.#row + 1, left: column, bottom: this.#row + height, right: column + width - 1 });
      column = end;
    }
    return texts;
  }

  /** Returns the displayed text, or the stored value of a program that stores no text. */
  #valueOf({ text, attributes }: OpenCell): string {
    if (attributes["calcext:value-type"] === "error") this.#count.errors++;
    if (text.trim() !== "") return text;
    const stored = VALUES.map((name) => attributes[name]).find((value) => value !== undefined);
    const formula = attributes["table:formula"];
    if (stored !== undefined || formula === undefined) return stored ?? "";
    this.#count.formulas++;
    return formula.replace(/^[a-z]+:/i, "");
  }
}

const VALUES = ["office:string-value", "office:date-value", "office:time-value", "office:boolean-value", "office:value"] as const;

function repeatsIn(attributes: Attributes, name: string): number {
  return /^\d{1,7}$/.test(attributes[name] ?? "") ? Math.max(1, Number(attributes[name])) : 1;
}

function isUnseen(attributes: Attributes): boolean {
  return ["collapse", "filter"].includes(attributes["table:visibility"] ?? "");
}

function tooLarge(characters: number): IngestError {
  return new IngestError("file_too_large", `a sheet repeats rows to more than ${MAX_TEXT_BYTES} characters: remove the repeated rows`, {
    characters,
    limit: MAX_TEXT_BYTES,
  });
}
