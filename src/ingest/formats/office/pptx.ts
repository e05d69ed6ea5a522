import { IngestError } from "../../../shared/errors.ts";
import type { ReadingNotice } from "../../../shared/types.ts";
import type { Format } from "../format.ts";
import { type OrdinalForm, ordinal } from "../ordinal.ts";
import { oneLine } from "../parsed.ts";
import { picturesIn } from "../pictures.ts";
import { leftOutNotices } from "../unseen-text.ts";
import { type ArchiveParts, unpackXml } from "../zip.ts";
import { type ExtractedText, type Slide, writeSlides } from "./extracted-text.ts";
import { descendants, elementsOf, firstOf, partOf, prefixed, relationsOf, textOf, type XmlElement } from "./xml.ts";

/** Reads presentations: slides in order with titles, text, tables and speaker notes. Offsets refer to the extracted text. */
export const pptxFormat: Format = {
  name: "pptx",
  extensions: [".pptx", ".pptm", ".ppsx"],
  version: 2,
  async read({ bytes, name, recogniser }) {
    const parts = unpackXml(bytes);
    const presentation = partOf(parts, MAIN_PART);
    const relations = relationsOf(parts, MAIN_PART);
    const listed = [...descendants(presentation, "sldId")].map((slide) => relations.get(prefixed(slide, "id") ?? "")?.part ?? "");
    const present = listed.filter((part) => parts.has(part));
    if (!parts.has(MAIN_PART) || (present.length === 0 && listed.length > 0))
      throw new IngestError("bad_archive", "the presentation contains no readable slide: save it again as PPTX");
    const leftOut: LeftOutOfSlides = { hidden: 0, margins: new Set(), hasComments: false };
    const slides = present.map((part) => readSlide(parts, part, leftOut));
    const title = oneLine(textOf(firstOf(partOf(parts, "docProps/core.xml"), "title")));
    const notices = () => noticesOf(leftOut, listed.length - present.length);
    return [writeSlides(slides, { name, title: title || null, notices, takeText: await picturesIn(bytes, recogniser) })];
  },
};

const MAIN_PART = "ppt/presentation.xml";

interface LeftOutOfSlides {
  /** Number of characters in hidden shapes. */
  hidden: number;
  /** Texts of headers and footers. */
  readonly margins: Set<string>;
  hasComments: boolean;
}

function noticesOf({ hidden, margins, hasComments }: LeftOutOfSlides, missing: number): ReadingNotice[] {
  const notices = leftOutNotices(hasComments ? ["comments"] : [], [...margins]);
  if (hidden > 0) notices.push({ code: "hidden_text", message: `${hidden} characters of hidden shapes were left out` });
  if (missing > 0) notices.push({ code: "left_out", message: `${missing} slides are missing, although the presentation lists them` });
  return notices;
}

/** Types of placeholders that repeat on every slide. They are left out. */
const FURNITURE: ReadonlySet<string> = new Set(["dt", "ftr", "hdr", "sldNum", "sldImg"]);
const MARGINS: ReadonlySet<string> = new Set(["ftr", "hdr"]);
const TITLES: ReadonlySet<string> = new Set(["title", "ctrTitle"]);

function readSlide(parts: ArchiveParts, part: string, leftOut: LeftOutOfSlides): Slide {
  const slide = partOf(parts, part);
  const shapes = shapesIn(firstOf(slide, "spTree")).filter((shape) => {
    if (isHidden(shape)) leftOut.hidden += spokenIn(shape).length;
    return !isHidden(shape);
  });
  const title = shapes.find((shape) => TITLES.has(placeholderOf(shape) ?? "") && spokenIn(shape) !== "");
  const body = shapes.filter((shape) => shape !== title && !FURNITURE.has(placeholderOf(shape) ?? ""));
  for (const shape of shapes) if (MARGINS.has(placeholderOf(shape) ?? "") && spokenIn(shape) !== "") leftOut.margins.add(spokenIn(shape));
  const byId = relationsOf(parts, part);
  const relations = [...byId.values()];
  leftOut.hasComments ||= relations.some(({ type }) => type === "comments");
  const notes = partOf(parts, relations.find(({ type }) => type === "notesSlide")?.part ?? "");
  const spoken = shapesIn(firstOf(notes, "spTree")).filter((shape) => placeholderOf(shape) === "body" && spokenIn(shape) !== "");
  return {
    title: title === undefined ? "" : spokenIn(title),
    isHidden: ["0", "false"].includes(firstOf(slide, "sld")?.attributes.show ?? ""),
    body(out) {
      for (const shape of body) writeShape(out, shape, byId);
    },
    notes(out) {
      for (const shape of spoken) writeParagraphs(out, firstOf(shape, "txBody"), false);
    },
  };
}

const isHidden = (shape: XmlElement): boolean => firstOf(shape, "cNvPr")?.attributes.hidden === "1";

/** Returns the shapes of a slide in reading order. A group is replaced by its members. */
function shapesIn(tree: XmlElement | undefined): XmlElement[] {
  return elementsOf(tree).flatMap((shape) => {
    if (shape.name === "grpSp") return isHidden(shape) ? [shape] : shapesIn(shape);
    if (shape.name === "AlternateContent") return shapesIn(firstOf(shape, "Choice"));
    return ["sp", "pic", "graphicFrame", "cxnSp"].includes(shape.name) ? [shape] : [];
  });
}

/** Returns the type of a placeholder (`obj` if the file states none); `null` for a shape that is not a placeholder. */
function placeholderOf(shape: XmlElement): string | null {
  const placeholder = firstOf(shape, "ph");
  return placeholder === undefined ? null : (placeholder.attributes.type ?? "obj");
}

/** Returns the text of a paragraph, with a space for each line break. */
function runsIn(paragraph: XmlElement): string {
  return [...descendants(paragraph, "t", "br")].map((part) => (part.name === "br" ? " " : textOf(part))).join("");
}

function spokenIn(shape: XmlElement): string {
  return oneLine([...descendants(shape, "p")].map(runsIn).join(" "));
}

function writeShape(out: ExtractedText, shape: XmlElement, relations: ReturnType<typeof relationsOf>): void {
  const table = firstOf(shape, "tbl");
  const text = firstOf(shape, "txBody");
  const { descr = "", title = "" } = firstOf(shape, "cNvPr")?.attributes ?? {};
  const isDecorative = firstOf(shape, "decorative")?.attributes.val === "1";
  if (table !== undefined) writeTable(out, table);
  else if (text !== undefined) writeParagraphs(out, text, ["body", "obj"].includes(placeholderOf(shape) ?? ""));
  const picture = firstOf(shape, "blip");
  const part = relations.get((picture && prefixed(picture, "embed")) ?? "")?.part;
  if ((shape.name === "pic" || (shape.name === "graphicFrame" && table === undefined)) && !isDecorative) out.figure(descr || title, part);
  else if (descr !== "" && !isDecorative) out.figure(descr);
}

function writeTable(out: ExtractedText, table: XmlElement): void {
  const hasHeader = firstOf(table, "tblPr")?.attributes.firstRow === "1";
  out.element("table", () => {
    for (const [r, row] of [...descendants(table, "tr")].entries()) {
      out.element("tr", () => {
        for (const cell of descendants(row, "tc")) {
          const { gridSpan = "1", rowSpan = "1", hMerge = "0", vMerge = "0" } = cell.attributes;
          if (hMerge === "1" || vMerge === "1") continue;
          const spans = { colspan: gridSpan, rowspan: rowSpan };
          out.element(hasHeader && r === 0 ? "th" : "td", () => writeParagraphs(out, firstOf(cell, "txBody"), false), spans);
        }
      });
    }
  });
}

const FORMS: Readonly<Record<string, OrdinalForm>> = { alphaLc: "a", alphaUc: "A", romanLc: "i", romanUc: "I" };
/** Maximum level of a list, from 1. */
const MAX_LEVEL = 9;

/** @param isList whether paragraphs are list items unless they state otherwise, as in the body of a slide */
function writeParagraphs(out: ExtractedText, body: XmlElement | undefined, isList: boolean): void {
  /** Last number at each level of the open lists. */
  let numbers: number[] = [];
  for (const paragraph of elementsOf(body)) {
    if (paragraph.name !== "p" || !/\S/.test(runsIn(paragraph))) continue;
    const properties = elementsOf(paragraph).find(({ name }) => name === "pPr");
    const level = Math.min(MAX_LEVEL, 1 + (Number.parseInt(properties?.attributes.lvl ?? "0", 10) || 0));
    const numbered = firstOf(properties, "buAutoNum")?.attributes;
    const isItem = isList ? firstOf(properties, "buNone") === undefined : firstOf(properties, "buChar", "buBlip") !== undefined;
    const write = () => writeRuns(out, paragraph);
    numbers = numbered !== undefined ? numbers.slice(0, level) : isItem ? numbers.slice(0, level - 1) : [];
    if (numbered !== undefined) {
      const before = numbers[level - 1];
      const number = before === undefined ? Number(numbered.startAt ?? "1") || 1 : before + 1;
      numbers[level - 1] = number;
      const form = FORMS[/^(?:alpha|roman)[LU]c/.exec(numbered.type ?? "")?.[0] ?? ""] ?? "1";
      out.item(level, `${ordinal(number, form)}.`, write);
    } else if (isItem) out.item(level, null, write);
    else out.element("p", write);
  }
}

const BOLD_OFF: ReadonlySet<string> = new Set(["0", "false", ""]);

/** Writes the runs of a paragraph (text with uniform formatting). Struck-through runs are counted, not written. */
function writeRuns(out: ExtractedText, paragraph: XmlElement): void {
  for (const run of descendants(paragraph, "r", "fld", "br")) {
    const { b = "", strike = "noStrike", baseline = "0" } = firstOf(run, "rPr")?.attributes ?? {};
    const text = [...descendants(run, "t")].map(textOf).join("");
    if (run.name === "br") out.element("br");
    else if (strike !== "noStrike") out.leftOut.struck += text.trim().length;
    else if (Number(baseline) !== 0) out.element(Number(baseline) > 0 ? "sup" : "sub", () => out.text(text));
    else if (BOLD_OFF.has(b)) out.text(text);
    else out.element("b", () => out.text(text));
  }
}
