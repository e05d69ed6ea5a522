import { IngestError } from "../../../shared/errors.ts";
import type { Format } from "../format.ts";
import { plainMetadata, statedDay, titleOf, topLines } from "../parsed.ts";
import { picturesIn } from "../pictures.ts";
import { leftOutNotices } from "../unseen-text.ts";
import { ExtractedText, type Slide, writeSlides } from "./extracted-text.ts";
import { openOdf } from "./odf.ts";
import { spokenIn, writeOdfBlocks, writeOdfBody } from "./odf-text.ts";
import { elementsOf, firstOf, prefixed, type XmlElement } from "./xml.ts";

/** Reads OpenDocument texts. Each footnote follows the block that refers to it. Offsets refer to the extracted text. */
export const odtFormat: Format = {
  name: "odt",
  extensions: [".odt", ".ott"],
  version: 2,
  async read({ bytes, name, recogniser }) {
    const { content, styles, title, subject, margins } = openOdf(bytes);
    const body = firstOf(content, "text");
    if (body === undefined) throw new IngestError("bad_archive", "the file contains no text document: save it again as ODT");
    const out = new ExtractedText(await picturesIn(bytes, recogniser));
    const leftOut = new Set<string>();
    writeOdfBody(elementsOf(body), { out, styles, leftOut, numbers: new Map() });
    const written = out.finish();
    const known = { description: subject, asOf: statedDay([...topLines(written), ...margins]) };
    const metadata = plainMetadata(titleOf(written) ?? title ?? name, known);
    return [{ ...written, metadata, unit: "extracted_utf16", notices: [...out.notices(), ...leftOutNotices(leftOut, margins)] }];
  },
};

/** Kinds of placeholders that repeat on every slide. They are left out. */
const FURNITURE: ReadonlySet<string> = new Set(["header", "footer", "date-time", "page-number", "page"]);

/** Reads OpenDocument presentations: slides in order with titles, text, tables and speaker notes. Offsets refer to the extracted text. */
export const odpFormat: Format = {
  name: "odp",
  extensions: [".odp", ".otp"],
  version: 2,
  async read({ bytes, name, recogniser }) {
    const { content, styles, title } = openOdf(bytes);
    const pages = elementsOf(firstOf(content, "presentation")).filter((one) => one.name === "page");
    if (pages.length === 0) throw new IngestError("bad_archive", "the presentation contains no slide: save it again as ODP");
    const leftOut = new Set<string>();
    const numbers = new Map<string, number>();
    const writerTo = (blocks: readonly XmlElement[]) => (out: ExtractedText) => writeOdfBlocks(blocks, { out, styles, leftOut, numbers });
    const slides = pages.map((page): Slide => {
      const shapes = elementsOf(page).filter((shape) => !FURNITURE.has(prefixed(shape, "class") ?? ""));
      const named = shapes.find((shape) => prefixed(shape, "class") === "title" && spokenIn(shape) !== "");
      const body = writerTo(shapes.filter((shape) => shape !== named));
      const drawing = firstOf(styles.properties("drawing-page", prefixed(page, "style-name")), "drawing-page-properties");
      const isHidden = drawing !== undefined && prefixed(drawing, "visibility") === "hidden";
      return { title: named === undefined ? "" : spokenIn(named), isHidden, body, notes: writerTo(notesOf(page)) };
    });
    const takeText = await picturesIn(bytes, recogniser);
    return [writeSlides(slides, { name, title, notices: () => leftOutNotices(leftOut, []), takeText })];
  },
};

/** Returns the shapes with content in the speaker notes of a slide. */
function notesOf(page: XmlElement): XmlElement[] {
  const notes = elementsOf(page).find(({ name }) => name === "notes");
  return elementsOf(notes).filter((shape) => prefixed(shape, "class") === "notes" && spokenIn(shape) !== "");
}
