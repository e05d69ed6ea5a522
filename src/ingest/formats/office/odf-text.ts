import { ordinal } from "../ordinal.ts";
import { oneLine } from "../parsed.ts";
import type { ExtractedText } from "./extracted-text.ts";
import type { OdfStyles } from "./odf.ts";
import { descendants, elementsOf, firstOf, prefixed, textOf, type XmlElement, type XmlNode } from "./xml.ts";

/** Output and counters of the functions that read OpenDocument text. */
export interface OdfWriter {
  readonly out: ExtractedText;
  readonly styles: OdfStyles;
  /** Parts that were left out, such as comments. */
  readonly leftOut: Set<string>;
  /** Next number of a numbered list, by style and level (`style/level`). */
  readonly numbers: Map<string, number>;
}

/** Elements that are not part of the text: element → its name in the notice, or `null` if no notice is needed. */
const LEFT_OUT: ReadonlyMap<string, string | null> = new Map([
  ["table-of-content", "tables of contents"],
  ...["illustration-index", "table-index", "object-index", "alphabetical-index", "user-index"].map((name) => [name, "indexes"] as const),
  ["annotation", "comments in the margin"],
  ...["forms", "notes"].map((name) => [name, null] as const),
]);
/** Style names of quotations and of preformatted text, both of LibreOffice. */
const QUOTE = "Quotations";
const PREFORMATTED = "Preformatted Text";

/** Writes blocks. Footnotes follow the block, list or table that refers to them. */
export function writeOdfBody(blocks: readonly XmlElement[], writer: OdfWriter): void {
  for (const block of blocks) {
    writeOdfBlock(block, writer);
    writer.out.flushNotes();
  }
}

export function writeOdfBlocks(blocks: readonly XmlElement[], writer: OdfWriter): void {
  for (const block of blocks) writeOdfBlock(block, writer);
}

function writeOdfBlock(block: XmlElement, writer: OdfWriter): void {
  const { out, styles, leftOut } = writer;
  const skipped = LEFT_OUT.get(block.name);
  if (skipped !== undefined) {
    if (skipped !== null) leftOut.add(skipped);
  } else if (block.name === "tracked-changes") {
    for (const deleted of descendants(block, "deletion"))
      out.leftOut.struck += [...descendants(deleted, "p", "h")].map(textOf).join("").length;
  } else if (block.name === "h" || block.name === "p") writeParagraph(block, writer);
  else if (block.name === "list") writeList(block, writer, { style: "", level: 1 });
  else if (block.name === "table") writeTable(block, writer);
  else if (block.name === "frame") writeFrame(block, writer);
  else if (block.name === "section" && prefixed(block, "display") === "none") out.leftOut.hidden += textOf(block).trim().length;
  else if (!styles.looks("graphic", prefixed(block, "style-name")).isHidden) writeOdfBlocks(elementsOf(block), writer);
}

function writeParagraph(block: XmlElement, writer: OdfWriter): void {
  const { out, styles } = writer;
  const { names, isBold, isHidden, isStruck } = styles.looks("paragraph", prefixed(block, "style-name"));
  if (isHidden) {
    out.leftOut.hidden += textOf(block).trim().length;
    return;
  }
  if (isStruck) out.leftOut.struck += spokenIn(block).length;
  else {
    const level = Number.parseInt(prefixed(block, "outline-level") ?? "1", 10) || 1;
    const write = () => writeInline(block.children, writer);
    if (block.name === "h") out.element(`h${Math.min(6, Math.max(1, level))}`, write);
    else if (names.includes("Title")) out.element("h1", write);
    else if (names.includes("Subtitle")) out.element("h2", write);
    else if (names.includes(QUOTE)) out.element("blockquote", write);
    else if (names.includes(PREFORMATTED)) out.element("pre", write);
    else out.element("p", () => (isBold ? out.element("b", write) : write()));
  }
  // Text boxes and pictures that are anchored in a paragraph follow it.
  for (const frame of descendants(block, ...DRAWN)) writeOdfBlock(frame, writer);
}

/** Drawings that are anchored in a paragraph. */
const DRAWN = ["frame", "custom-shape", "rect", "ellipse", "g", "line", "connector", "polygon", "path"] as const;
const IS_DRAWN: ReadonlySet<string> = new Set(DRAWN);

const BLANKS: ReadonlySet<string> = new Set(["line-break", "tab", "s"]);

/** Returns the text of a block without that of the drawings inside it. */
export function spokenIn(block: XmlElement): string {
  const inner = block.children.map((child) => {
    if (typeof child === "string") return child;
    return BLANKS.has(child.name) ? " " : IS_DRAWN.has(child.name) ? "" : spokenIn(child);
  });
  return oneLine(inner.join(block.name === "text-box" ? " " : ""));
}

/** Maximum number of spaces that one `text:s` element may represent. A higher number cannot be meant as text. */
const MAX_BLANKS = 100;

function writeInline(nodes: readonly XmlNode[], writer: OdfWriter): void {
  const { out, styles, leftOut } = writer;
  for (const node of nodes) {
    if (typeof node === "string") out.text(node.replace(/\s+/g, " "));
    else if (node.name === "s") out.text(" ".repeat(Math.min(MAX_BLANKS, Number.parseInt(prefixed(node, "c") ?? "1", 10) || 1)));
    else if (node.name === "tab") out.text("\t");
    else if (node.name === "line-break") out.element("br");
    else if (node.name === "note") writeNote(node, writer);
    else if (node.name === "annotation") leftOut.add("comments in the margin");
    else if (node.name === "hidden-text") out.leftOut.hidden += textOf(node).length;
    else if (node.name === "span") {
      const { isBold, isHidden, isStruck, raised } = styles.looks("text", prefixed(node, "style-name"));
      const write = () => writeInline(node.children, writer);
      if (isHidden) out.leftOut.hidden += textOf(node).trim().length;
      else if (isStruck) out.leftOut.struck += textOf(node).trim().length;
      else if (raised !== null) out.element(raised, write);
      else if (isBold) out.element("b", write);
      else write();
    } else if (!IS_DRAWN.has(node.name)) writeInline(node.children, writer);
  }
}

function writeNote(note: XmlElement, writer: OdfWriter): void {
  const { out } = writer;
  const mark = `[${oneLine(textOf(firstOf(note, "note-citation"))) || "*"}]`;
  out.text(mark);
  out.note(() => {
    const [first, ...others] = elementsOf(firstOf(note, "note-body") ?? note);
    if (first === undefined) return;
    out.element("p", () => {
      out.text(`${mark} `);
      writeInline(first.children, writer);
    });
    writeOdfBlocks(others, writer);
  });
}

/**
 * @param place `style`: the style of the list that contains this one, used if the list has no style itself; `level`:
 * the level of this list, from 1
 */
function writeList(list: XmlElement, writer: OdfWriter, place: { readonly style: string; readonly level: number }): void {
  const { out, styles, numbers } = writer;
  const style = prefixed(list, "style-name") ?? place.style;
  const { form, start } = styles.listLevel(style, place.level);
  const key = `${style}/${place.level}`;
  const isContinued = prefixed(list, "continue-numbering") === "true" || prefixed(list, "continue-list") !== undefined;
  let next = isContinued ? (numbers.get(key) ?? start) : start;
  for (const item of elementsOf(list).filter(({ name }) => name === "list-item" || name === "list-header")) {
    const own = elementsOf(item).filter(({ name }) => name !== "list");
    next = Number(prefixed(item, "start-value") ?? next) || next;
    const number = form === null || item.name === "list-header" ? null : `${ordinal(next, form)}.`;
    if (own.length > 0) out.item(place.level, number, () => writeOdfBlocks(own, writer));
    if (own.length > 0 && item.name === "list-item") next++;
    for (const inner of elementsOf(item)) if (inner.name === "list") writeList(inner, writer, { style, level: place.level + 1 });
  }
  numbers.set(key, next);
}

function writeTable(table: XmlElement, writer: OdfWriter): void {
  const { out } = writer;
  const isNamed = prefixed(table, "use-first-row-styles") === "true";
  let first = true;
  const writeRows = (rows: readonly XmlElement[], isHeader: boolean) => {
    for (const row of rows) {
      if (row.name === "table-header-rows") writeRows(elementsOf(row), true);
      else if (row.name === "table-rows" || row.name === "table-row-group") writeRows(elementsOf(row), isHeader);
      else if (row.name === "table-row") {
        const name = isHeader || (isNamed && first) ? "th" : "td";
        out.element("tr", () => writeCells(row, name, writer));
        first = false;
      }
    }
  };
  out.element("table", () => writeRows(elementsOf(table), false));
}

function writeCells(row: XmlElement, name: "th" | "td", writer: OdfWriter): void {
  for (const cell of elementsOf(row)) {
    if (cell.name !== "table-cell") continue;
    const spans = { colspan: prefixed(cell, "number-columns-spanned") ?? "1", rowspan: prefixed(cell, "number-rows-spanned") ?? "1" };
    writer.out.element(name, () => writeOdfBlocks(elementsOf(cell), writer), spans);
  }
}

/** Writes a frame: a text box, a table, or the description of a picture, chart or formula. */
function writeFrame(frame: XmlElement, writer: OdfWriter): void {
  const children = elementsOf(frame);
  const box = children.find(({ name }) => name === "text-box" || name === "table");
  const described = ["title", "desc"].flatMap((kind) => children.filter(({ name }) => name === kind));
  const description = oneLine(described.map(textOf).join(". "));
  if (box?.name === "table") writeTable(box, writer);
  else if (box !== undefined) writeOdfBlocks(elementsOf(box), writer);
  else if (children.some(({ name }) => ["image", "object", "object-ole", "plugin"].includes(name))) {
    const image = children.find(({ name }) => name === "image");
    writer.out.figure(description, image && prefixed(image, "href")?.replace(/^\.\//, ""));
  }
}
