import { strToU8, zipSync } from "fflate";

/** A block of a generated file. It is also what a reader of the file should return. */
export type MadeBlock =
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "paragraph"; readonly text: string }
  | { readonly type: "item"; readonly text: string }
  | { readonly type: "table"; readonly rows: readonly (readonly string[])[] };

export type MadeFormat = "docx" | "epub" | "xlsx" | "csv" | "html" | "eml" | "json" | "yaml";

/** Generates a file of the format with exactly these blocks. */
export function makeFile(format: MadeFormat, blocks: readonly MadeBlock[]): { readonly path: string; readonly bytes: Uint8Array } {
  const bytes = WRITERS[format](blocks);
  return { path: `made.${format}`, bytes: typeof bytes === "string" ? strToU8(bytes) : bytes };
}

const WRITERS: Readonly<Record<MadeFormat, (blocks: readonly MadeBlock[]) => string | Uint8Array>> = {
  html: (blocks) => `<!DOCTYPE html><html><head><title>Made</title></head><body>${blocks.map(toHtml).join("\n")}</body></html>`,
  docx: (blocks) => docxOf(blocks.map(toWord).join("")),
  epub: (blocks) => epubOf([`<html><body>${blocks.map(toHtml).join("\n")}</body></html>`]),
  xlsx: (blocks) => xlsxOf([{ name: "Made", rows: rowsOf(blocks) }]),
  csv: (blocks) => csvOf(rowsOf(blocks)),
  eml: (blocks) => emlOf(blocks.map(toHtml).join("\n")),
  json: (blocks) => JSON.stringify(recordsOf(blocks)),
  yaml: (blocks) =>
    recordsOf(blocks)
      .map(({ title, text }) => `- title: ${JSON.stringify(title)}\n  text: ${JSON.stringify(text)}\n`)
      .join(""),
};

function rowsOf(blocks: readonly MadeBlock[]): string[][] {
  return blocks.flatMap((block) => (block.type === "table" ? block.rows.map((row) => [...row]) : [[block.text, ""]]));
}

function recordsOf(blocks: readonly MadeBlock[]): { title: string; text: string }[] {
  return rowsOf(blocks).map(([title = "", ...rest]) => ({ title, text: rest.join(" ") }));
}

export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map((cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")).join("\r\n");
}

function toHtml(block: MadeBlock): string {
  if (block.type === "table") {
    const rows = block.rows.map(
      (row, i) => `<tr>${row.map((cell) => (i === 0 ? `<th>${escapeXml(cell)}</th>` : `<td>${escapeXml(cell)}</td>`)).join("")}</tr>`,
    );
    return `<table>${rows.join("")}</table>`;
  }
  if (block.type === "heading") return `<h${block.level}>${escapeXml(block.text)}</h${block.level}>`;
  return block.type === "item" ? `<ul><li>${escapeXml(block.text)}</li></ul>` : `<p>${escapeXml(block.text)}</p>`;
}

function toWord(block: MadeBlock): string {
  if (block.type === "table") {
    const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;
    return `<w:tbl>${block.rows.map((row, i) => `<w:tr>${i === 0 ? "<w:trPr><w:tblHeader/></w:trPr>" : ""}${row.map(cell).join("")}</w:tr>`).join("")}</w:tbl>`;
  }
  if (block.type === "heading") return wordParagraph(block.text, `<w:pPr><w:pStyle w:val="Heading${block.level}"/></w:pPr>`);
  return wordParagraph(
    block.text,
    block.type === "item" ? '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>' : "",
  );
}

export function wordParagraph(text: string, properties = ""): string {
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
}

/** Generates a Word document; `body` is the XML of its body. `more` adds files to the archive, by name. */
export function docxOf(body: string, more: MoreParts = {}): Uint8Array {
  const word =
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
  const heading = (level: number) => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`;
  const footnotes = "word/footnotes.xml" in more;
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  const relations = (content: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${content}</Relationships>`;
  return zip({
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    "_rels/.rels": relations(relation("r1", "officeDocument", "word/document.xml")),
    "word/_rels/document.xml.rels": relations(
      `${relation("r2", "styles", "styles.xml")}${relation("r4", "numbering", "numbering.xml")}${footnotes ? relation("r3", "footnotes", "footnotes.xml") : ""}`,
    ),
    "word/styles.xml": `<w:styles ${word}>${[1, 2, 3].map(heading).join("")}</w:styles>`,
    "word/numbering.xml": `<w:numbering ${word}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    "word/document.xml": `<w:document ${word}><w:body>${body}</w:body></w:document>`,
    ...Object.fromEntries(
      Object.entries(more).map(([name, content]) => [name, typeof content === "string" ? content.replace("XMLNS", word) : content]),
    ),
  });
}

export function epubOf(chapters: readonly string[], more: MoreParts = {}): Uint8Array {
  const items = chapters.map((_, i) => `<item id="c${i}" href="text/c${i}.xhtml" media-type="application/xhtml+xml"/>`).join("");
  return zip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    "OEBPS/book.opf": `<package><metadata><dc:title>A made book</dc:title><dc:creator>Nobody</dc:creator></metadata><manifest>${items}</manifest><spine>${chapters.map((_, i) => `<itemref idref="c${i}"/>`).join("")}</spine></package>`,
    ...Object.fromEntries(chapters.map((chapter, i) => [`OEBPS/text/c${i}.xhtml`, chapter])),
    ...more,
  });
}

/**
 * Generates a workbook. A cell that looks like a number becomes one. A cell such as "0.0%|0.075" becomes a number in
 * that format, if `patterns` contains "0.0%". `merged` contains ranges such as `B1:C1`.
 */
export function xlsxOf(
  sheets: readonly {
    readonly name: string;
    readonly rows: readonly (readonly string[])[];
    readonly hidden?: boolean;
    readonly merged?: readonly string[];
  }[],
  { patterns = [], from1904 = false }: { readonly patterns?: readonly string[]; readonly from1904?: boolean } = {},
): Uint8Array {
  const styleOf = (text: string) => patterns.findIndex((pattern) => text.startsWith(`${pattern}|`)) + 1;
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const mergedXml = (merged: readonly string[]) =>
    merged.length === 0 ? "" : `<mergeCells>${merged.map((ref) => `<mergeCell ref="${ref}"/>`).join("")}</mergeCells>`;
  const sheetXml = ({ rows, merged = [] }: (typeof sheets)[number]) =>
    `<worksheet xmlns="${main}"><sheetData>${rows
      .map(
        (row, r) =>
          `<row r="${r + 1}">${row.map((cell, c) => (cell === "" ? "" : cellXml(cell, `${columnName(c)}${r + 1}`, styleOf(cell)))).join("")}</row>`,
      )
      .join("")}</sheetData>${mergedXml(merged)}</worksheet>`;
  return zip({
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${office}">${from1904 ? '<workbookPr date1904="1"/>' : ""}<sheets>${sheets
      .map(
        ({ name, hidden }, i) =>
          `<sheet name="${escapeXml(name)}" sheetId="${i + 1}"${hidden === true ? ' state="hidden"' : ""} r:id="s${i + 1}"/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${sheets
      .map((_, i) => `<Relationship Id="s${i + 1}" Type="${office}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`)
      .join("")}<Relationship Id="st" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": `<styleSheet xmlns="${main}"><numFmts>${patterns
      .map((pattern, i) => `<numFmt numFmtId="${164 + i}" formatCode="${escapeXml(pattern)}"/>`)
      .join("")}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${patterns
      .map((pattern, i) => `<xf numFmtId="${/^\d{1,2}$/.test(pattern) ? pattern : 164 + i}"/>`)
      .join("")}</cellXfs></styleSheet>`,
    ...Object.fromEntries(sheets.map((sheet, i) => [`xl/worksheets/sheet${i + 1}.xml`, sheetXml(sheet)])),
  });
}

function cellXml(text: string, reference: string, style: number): string {
  if (style > 0) return `<c r="${reference}" s="${style}"><v>${text.slice(text.indexOf("|") + 1)}</v></c>`;
  if (/^-?\d{1,12}(?:\.\d{1,6})?$/.test(text) && String(Number(text)) === text) return `<c r="${reference}"><v>${text}</v></c>`;
  return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;
}

function columnName(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : columnName(Math.floor(index / 26) - 1) + columnName(index % 26);
}

function emlOf(html: string): string {
  const body = Buffer.from(html).toString("base64").replace(/.{76}/g, "$&\r\n");
  const head =
    "From: Ann Other <ann@example.com>\r\nTo: Bob <bob@example.com>\r\nSubject: =?utf-8?Q?Made_mail?=\r\nDate: Fri, 03 Jul 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n";
  return `${head}Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`;
}

export type MoreParts = Readonly<Record<string, string | Uint8Array>>;

export function zip(parts: MoreParts): Uint8Array {
  return zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, content]) => [name, typeof content === "string" ? strToU8(content) : content])),
  );
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
