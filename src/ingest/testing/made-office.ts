import { escapeXml, type MadeBlock, type MoreParts, zip } from "./made-files.ts";

export type MadeOfficeFormat = "pptx" | "odt" | "ods" | "odp" | "rtf" | "vtt" | "srt";

/** Generates a file of the format with exactly these blocks. In a presentation, each heading begins a slide. */
export function makeOfficeFile(
  format: MadeOfficeFormat,
  blocks: readonly MadeBlock[],
): { readonly path: string; readonly bytes: Uint8Array } {
  const bytes = WRITERS[format](blocks);
  return { path: `made.${format}`, bytes: typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes };
}

const WRITERS: Readonly<Record<MadeOfficeFormat, (blocks: readonly MadeBlock[]) => string | Uint8Array>> = {
  pptx: (blocks) => pptxOf(slidesOf(blocks).map(({ title, body }) => ({ shapes: shapesOf(title, body) }))),
  odp: (blocks) =>
    odpOf(
      slidesOf(blocks)
        .map(({ title, body }) => odpPage(title, body))
        .join(""),
    ),
  odt: (blocks) => odtOf(blocks.map(toOdf).join("")),
  ods: (blocks) => odsOf([{ name: "Made", rows: blocks.flatMap(rowsOf) }]),
  rtf: (blocks) => rtfOf(blocks.map(toRtf).join("\n")),
  vtt: (blocks) => Buffer.from(`WEBVTT\n\n${cuesOf(blocks, ".").join("\n")}`),
  srt: (blocks) =>
    Buffer.from(
      cuesOf(blocks, ",")
        .map((cue, i) => `${i + 1}\r\n${cue.replaceAll("\n", "\r\n")}`)
        .join("\r\n"),
    ),
};

function rowsOf(block: MadeBlock): string[][] {
  return block.type === "table" ? block.rows.map((row) => [...row]) : [[block.text, ""]];
}

interface MadeSlide {
  readonly title: string;
  readonly body: readonly MadeBlock[];
}

function slidesOf(blocks: readonly MadeBlock[]): MadeSlide[] {
  const slides: { title: string; body: MadeBlock[] }[] = [];
  for (const block of blocks) {
    if (block.type === "heading") slides.push({ title: block.text, body: [] });
    else if (slides.length === 0) slides.push({ title: "", body: [block] });
    else slides.at(-1)?.body.push(block);
  }
  return slides;
}

export function drawingParagraph(text: string, properties = ""): string {
  return `<a:p>${properties}<a:r><a:rPr lang="en-GB"/><a:t>${escapeXml(text)}</a:t></a:r></a:p>`;
}

/**
 * Returns a shape of a slide.
 * @param placeholder type of the placeholder, or `""` for a text box
 */
export function slideShape(paragraphs: string, placeholder = "", attributes = ""): string {
  const holder = placeholder === "" ? "" : `<p:ph type="${placeholder}"/>`;
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape" ${attributes}/><p:nvPr>${holder}</p:nvPr></p:nvSpPr><p:txBody><a:bodyPr/>${paragraphs}</p:txBody></p:sp>`;
}

export function slideTable(rows: readonly (readonly string[])[], cellAttributes = ""): string {
  const cell = (text: string) => `<a:tc ${cellAttributes}><a:txBody>${drawingParagraph(text)}</a:txBody></a:tc>`;
  const body = rows.map((row) => `<a:tr>${row.map(cell).join("")}</a:tr>`).join("");
  return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="Table"/></p:nvGraphicFramePr><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/>${body}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
}

function shapesOf(title: string, body: readonly MadeBlock[]): string {
  const shapes = body.map((block) => {
    if (block.type === "table") return slideTable(block.rows);
    return block.type === "item" ? slideShape(drawingParagraph(block.text), "body") : slideShape(drawingParagraph(block.text));
  });
  return [title === "" ? "" : slideShape(drawingParagraph(title), "title"), ...shapes].join("");
}

export function pptxOf(
  slides: readonly { readonly shapes: string; readonly notes?: string; readonly isHidden?: boolean; readonly relations?: string }[],
  more: MoreParts = {},
): Uint8Array {
  const drawing = "http://schemas.openxmlformats.org/drawingml/2006/main";
  const main = "http://schemas.openxmlformats.org/presentationml/2006/main";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const names = `xmlns:a="${drawing}" xmlns:p="${main}" xmlns:r="${office}"`;
  const relations = (content: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${content}</Relationships>`;
  const relation = (id: string, type: string, target: string) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  const parts = slides.flatMap(({ shapes, notes, isHidden = false, relations: own = "" }, i) => [
    [
      `ppt/slides/slide${i + 1}.xml`,
      `<p:sld ${names}${isHidden ? ' show="0"' : ""}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    ],
    [
      `ppt/slides/_rels/slide${i + 1}.xml.rels`,
      relations(`${own}${notes === undefined ? "" : relation("n", "notesSlide", `../notesSlides/notesSlide${i + 1}.xml`)}`),
    ],
    ...(notes === undefined
      ? []
      : [[`ppt/notesSlides/notesSlide${i + 1}.xml`, `<p:notes ${names}><p:cSld><p:spTree>${notes}</p:spTree></p:cSld></p:notes>`]]),
  ]);
  return zip({
    "[Content_Types].xml": "<Types/>",
    "ppt/presentation.xml": `<p:presentation ${names}><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="s${i + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relations(slides.map((_, i) => relation(`s${i + 1}`, "slide", `slides/slide${i + 1}.xml`)).join("")),
    ...Object.fromEntries(parts),
    ...more,
  });
}

const ODF = ["office", "text", "table", "draw", "style", "presentation"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(" ");

function odfOf(kind: string, body: string, { styles = "", more = {} }: OdfParts): Uint8Array {
  const names = `${ODF} xmlns:fo="urn:fo" xmlns:svg="urn:svg" xmlns:calcext="urn:calcext"`;
  return zip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "META-INF/manifest.xml": "<manifest:manifest/>",
    "content.xml": `<office:document-content ${names}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ...more,
  });
}

interface OdfParts {
  /** XML of the automatic styles. */
  readonly styles?: string;
  readonly more?: MoreParts;
}

export function odtOf(body: string, parts: OdfParts = {}): Uint8Array {
  return odfOf("text", body, parts);
}

export function odpOf(pages: string, parts: OdfParts = {}): Uint8Array {
  return odfOf("presentation", pages, parts);
}

export function odsOf(sheets: readonly { readonly name: string; readonly rows: readonly (readonly string[])[] }[]): Uint8Array {
  const cell = (text: string) =>
    text === ""
      ? "<table:table-cell/>"
      : `<table:table-cell office:value-type="string"><text:p>${escapeXml(text)}</text:p></table:table-cell>`;
  const row = (cells: readonly string[]) => `<table:table-row>${cells.map(cell).join("")}</table:table-row>`;
  const tables = sheets.map(({ name, rows }) => `<table:table table:name="${escapeXml(name)}">${rows.map(row).join("")}</table:table>`);
  return odsFrom(tables.join(""));
}

export function odsFrom(tables: string, parts: OdfParts = {}): Uint8Array {
  return odfOf("spreadsheet", tables, parts);
}

function odfTable(rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) =>
    `<table:table-row>${cells.map((text) => `<table:table-cell><text:p>${escapeXml(text)}</text:p></table:table-cell>`).join("")}</table:table-row>`;
  const [head = [], ...body] = rows;
  return `<table:table><table:table-header-rows>${row(head)}</table:table-header-rows>${body.map(row).join("")}</table:table>`;
}

function toOdf(block: MadeBlock): string {
  if (block.type === "table") return odfTable(block.rows);
  if (block.type === "heading") return `<text:h text:outline-level="${block.level}">${escapeXml(block.text)}</text:h>`;
  const paragraph = `<text:p>${escapeXml(block.text)}</text:p>`;
  return block.type === "item" ? `<text:list><text:list-item>${paragraph}</text:list-item></text:list>` : paragraph;
}

function odpPage(title: string, body: readonly MadeBlock[]): string {
  const box = (content: string, kind: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${content}</draw:text-box></draw:frame>`;
  const shapes = body.map((block) => (block.type === "table" ? `<draw:frame>${toOdf(block)}</draw:frame>` : box(toOdf(block), "outline")));
  return `<draw:page>${title === "" ? "" : box(`<text:p>${escapeXml(title)}</text:p>`, "title")}${shapes.join("")}</draw:page>`;
}

/** Generates an RTF file with `body` and the styles of three heading levels. */
export function rtfOf(body: string): string {
  const styles = [1, 2, 3].map((level) => `{\\s${level}\\outlinelevel${level - 1} heading ${level};}`).join("");
  return `{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fswiss\\fcharset0 Arial;}}{\\stylesheet{\\s0 Normal;}${styles}}\n${body}}`;
}

/** Escapes text for RTF: Latin-1 characters as bytes, all others as `\u`. */
export function escapeRtf(text: string): string {
  return [...text]
    .map((character) => {
      if (/[\\{}]/.test(character)) return `\\${character}`;
      const code = character.charCodeAt(0);
      if (code < 0x80) return character;
      if (code >= 0xa0 && code <= 0xff) return `\\'${code.toString(16)}`;
      return [...Array(character.length).keys()].map((i) => `\\u${(character.charCodeAt(i) << 16) >> 16}?`).join("");
    })
    .join("");
}

function toRtf(block: MadeBlock): string {
  if (block.type === "table") {
    const row = (cells: readonly string[], r: number) =>
      `\\trowd${r === 0 ? "\\trhdr" : ""}${cells.map((_, i) => `\\cellx${(i + 1) * 2000}`).join("")}${cells.map((text) => `\\pard\\intbl ${escapeRtf(text)}\\cell`).join("")}\\row`;
    return block.rows.map(row).join("\n");
  }
  const style = block.type === "heading" ? `\\s${block.level}` : block.type === "item" ? "{\\listtext\\'95\\tab}\\ls1\\ilvl0" : "";
  return `\\pard${style} ${escapeRtf(block.text)}\\par`;
}

/** Writes each line of the blocks as a cue (subtitle) of two seconds, with pauses of three seconds between them. */
function cuesOf(blocks: readonly MadeBlock[], point: string): string[] {
  const time = (seconds: number) => {
    const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
    return `${[hours, minutes, rest].map((n) => String(n).padStart(2, "0")).join(":")}${point}000`;
  };
  const lines = blocks.flatMap(rowsOf).map((cells) => cells.join(" ").trim());
  return lines.map((line, i) => `${time(i * 5)} --> ${time(i * 5 + 2)}\n${line.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}\n`);
}
