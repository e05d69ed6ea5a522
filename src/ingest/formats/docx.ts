import { zipSync } from "fflate";
import { IngestError, messageOf } from "../../errors.ts";
import type { ReadingNotice } from "../../types.ts";
import { markUnseenLevels, PLACED_STYLES, placeParagraphs, type WordElement } from "./docx-paragraphs.ts";
import { withBoldFirstRows } from "./docx-tables.ts";
import type { Format } from "./format.ts";
import { parseHtml } from "./html.ts";
import { titleOf } from "./parsed.ts";
import { withoutRepeatedTitle } from "./title-block.ts";
import { unpackZip } from "./zip.ts";

/** A run of text; one that holds further runs (a text box) is left as it is. */
const RUN = /<w:r(?: [^<>]*)?>(?:(?!<w:r[ >]|<\/w:r>)[\s\S])*<\/w:r>/g;
/** What Word itself does not show, and letters of at most one point. */
const INVISIBLE = /<w:vanish\s*\/>|<w:vanish w:val="(?:1|true|on)"|<w:sz w:val="[012]"\s*\/>/;
const WHITE = /<w:color [^<>]*w:val="(?:FFFFFF|ffffff)"/;
const DARK_GROUND = /<w:shd [^<>]*w:fill="(?!auto|FFFFFF|ffffff)/;
/** How a run looked before a tracked change of its looks. */
const FORMER_LOOKS = /<w:rPrChange(?: [^<>]*)?>(?:(?!<w:rPrChange[ >]|<\/w:rPrChange>)[\s\S])*<\/w:rPrChange>/g;
const LOOKS = /<w:rPr(?: [^<>]*)?>(?:(?!<w:rPr[ >]|<\/w:rPr>)[\s\S])*<\/w:rPr>/g;
/** Struck once or twice. */
const STRIKE = /<w:d?strike(?: [^<>]*)?(?:\/>|>\s*<\/w:d?strike>)/g;
const IS_OFF = / w:val="(?:0|false|off)"/;
/** What Mammoth reads text from. */
const TEXT_PARTS = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"];
/** Text that a tracked change deleted: Mammoth leaves it out. */
const DELETED = /<w:delText(?: [^<>]*)?>([^<]*)<\/w:delText>/g;
/** Mammoth's own words for a note: its number where it is called, its text at the end. */
const NOTE_TEXT = /<li id="((?:foot|end)note-[^"]{1,40})">([\s\S]*?)<\/li>/g;
const NOTE_CALL = /<sup><a href="#((?:foot|end)note-[^"]{1,40})"[^>]*>\[(\d+)\]<\/a><\/sup>/g;
const NOTE_RETURN = /(?<!\s)\s*<a href="#(?:foot|end)note-ref-[^"]{1,40}">[^<]*<\/a>/g;

/** Documents of Word: headings, lists, tables; notes stand after the paragraph that calls them. Offsets count the text that was taken out. */
export const docxFormat: Format = {
  name: "docx",
  extensions: [".docx", ".docm"],
  version: 8,
  async read({ bytes, name }) {
    const parts = new Map(unpackZip(bytes, (part) => part.endsWith(".xml") || part.endsWith(".rels")));
    if (!parts.has("word/document.xml")) throw new IngestError("bad_archive", "it has no word/document.xml: save it anew as DOCX");
    const leftOut = { hidden: 0, struck: 0 };
    for (const part of TEXT_PARTS) {
      const content = parts.get(part);
      if (content === undefined) continue;
      const { xml, hidden } = withoutHidden(withOneStrike(Buffer.from(content).toString("utf8")));
      parts.set(part, Buffer.from(xml));
      leftOut.hidden += hidden;
      leftOut.struck += deletedIn(xml);
    }
    const body = Buffer.from(parts.get("word/document.xml") ?? []).toString("utf8");
    const styles = Buffer.from(parts.get("word/styles.xml") ?? []).toString("utf8");
    parts.set("word/document.xml", Buffer.from(withBoldFirstRows(body, styles)));
    const numbering = parts.get("word/numbering.xml");
    if (numbering !== undefined) parts.set("word/numbering.xml", Buffer.from(markUnseenLevels(Buffer.from(numbering).toString("utf8"))));
    const { html, date } = await toHtml(parts);
    const { title, subject } = coreProperties(parts.get("docProps/core.xml"));
    const read = parseHtml(notesToTheirCalls(html), name, { struck: leftOut.struck });
    const result = { ...read, ...withoutRepeatedTitle(read) };
    const notices: ReadingNotice[] = [...(read.notices ?? [])];
    if (leftOut.hidden > 0)
      notices.push({ code: "hidden_text", message: `${leftOut.hidden} characters that Word does not show were left out` });
    if (/<w:comment[ >]/.test(Buffer.from(parts.get("word/comments.xml") ?? []).toString("utf8")))
      notices.push({ code: "left_out", message: "comments in the margin were left out" });
    return [
      {
        ...result,
        metadata: { ...result.metadata, title: (titleOf(result) ?? title ?? name).slice(0, 300), description: subject, asOf: date },
        unit: "extracted_utf16",
        notices,
      },
    ];
  },
};

async function toHtml(parts: ReadonlyMap<string, Uint8Array>): Promise<{ readonly html: string; readonly date: string | null }> {
  const packed = Object.fromEntries(
    [...parts].map(([part, content]) => [part, [content, { level: 0 as const }] as [Uint8Array, { level: 0 }]]),
  );
  let date: string | null = null;
  // Loaded with the first such file, as the other libraries of rarer formats: most runs never read one.
  const { default: mammoth } = await import("mammoth");
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(zipSync(packed)) },
      {
        convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
        externalFileAccess: false,
        transformDocument: (document: WordElement) => {
          const placed = placeParagraphs(document);
          date = placed.date;
          return placed.document;
        },
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh", ...PLACED_STYLES],
      },
    );
    return { html: value, date };
  } catch (cause) {
    throw new IngestError("bad_archive", `the document cannot be read (${messageOf(cause)}): save it anew as DOCX`, {}, { cause });
  }
}

/** How many characters tracked changes deleted: they are no text any more. */
function deletedIn(xml: string): number {
  return [...xml.matchAll(DELETED)].reduce((sum, [, text = ""]) => sum + text.trim().length, 0);
}

/** The document with what is struck in any way struck once, and without how it looked before: of two strikes Mammoth reads the first alone, and none that is double. */
function withOneStrike(xml: string): string {
  return xml.replace(FORMER_LOOKS, "").replace(LOOKS, (looks) => {
    const isStruck = looks.match(STRIKE)?.some((strike) => !IS_OFF.test(strike)) === true;
    return looks.replace(STRIKE, "").replace("</w:rPr>", isStruck ? "<w:strike/></w:rPr>" : "</w:rPr>");
  });
}

/** The document without runs that readers do not see, and how many characters they had. */
function withoutHidden(xml: string): { readonly xml: string; readonly hidden: number } {
  let hidden = 0;
  const kept = xml.replace(RUN, (run, at: number) => {
    if (!INVISIBLE.test(run) && !(WHITE.test(run) && !DARK_GROUND.test(run) && !isOnDarkGround(xml, at))) return run;
    hidden += run.replace(/<[^>]*>/g, "").trim().length;
    return "";
  });
  return { xml: kept, hidden };
}

/** Whether the cell or paragraph around is coloured: white letters are what readers see there. */
function isOnDarkGround(xml: string, at: number): boolean {
  const before = xml.slice(Math.max(0, at - 4_000), at);
  const from = Math.max(before.lastIndexOf("<w:tc>"), before.lastIndexOf("<w:tc "));
  return DARK_GROUND.test(before.slice(from < 0 ? Math.max(0, before.lastIndexOf("<w:p")) : from));
}

function notesToTheirCalls(html: string): string {
  const notes = new Map([...html.matchAll(NOTE_TEXT)].map(([, id = "", text = ""]) => [id, text.replace(NOTE_RETURN, "")]));
  if (notes.size === 0) return html;
  const body = html.replace(NOTE_TEXT, "").replace(/<ol>\s*<\/ol>/g, "");
  const called: { readonly at: number; readonly note: string }[] = [];
  for (const call of body.matchAll(NOTE_CALL)) {
    const text = notes.get(call[1] ?? "");
    if (text === undefined) continue;
    notes.delete(call[1] ?? "");
    called.push({ at: endOfBlock(body, call.index), note: text.replace(/^<p>/, `<p>[${call[2]}] `) });
  }
  const pieces: string[] = [];
  let from = 0;
  for (const { at, note } of called.sort((a, b) => a.at - b.at)) {
    pieces.push(body.slice(from, at), note);
    from = at;
  }
  return [...pieces, body.slice(from), ...notes.values()].join("");
}

/** Behind the table in which a note is called, else behind its paragraph, heading or item. */
function endOfBlock(html: string, at: number): number {
  const close = /<\/(?:p|li|h[1-6])>/g;
  close.lastIndex = at;
  const table = html.indexOf("</table>", at);
  if (table >= 0 && html.lastIndexOf("<table>", at) > html.lastIndexOf("</table>", at)) return table + "</table>".length;
  return close.exec(html) === null ? html.length : close.lastIndex;
}

function coreProperties(xml: Uint8Array | undefined): { readonly title: string | null; readonly subject: string | null } {
  const text = xml === undefined ? "" : Buffer.from(xml).toString("utf8");
  const property = (name: string) => new RegExp(`<dc:${name}>([^<]{1,300})</dc:${name}>`).exec(text)?.[1]?.trim() || null;
  return { title: property("title"), subject: property("subject") };
}
