import { zipSync } from "fflate";
import { IngestError, messageOf } from "../../shared/errors.ts";
import type { ReadingNotice } from "../../shared/types.ts";
import { withNumbers } from "./docx-numbers.ts";
import type { Format } from "./format.ts";
import { parseHtml } from "./html.ts";
import { titleOf } from "./parsed.ts";
import { unpackZip, walkXml } from "./zip.ts";

/** Maximum length of a chain of base styles. */
const MOST_BASES = 20;
const TABLE_LOOKS = /<w:tblPr(?: [^<>]*)?>(?:(?!<w:tblPr[ >]|<\/w:tblPr>)[\s\S])*<\/w:tblPr>/g;
/** Bit of `w:tblLook` that applies the style of the first row. */
const FIRST_ROW_BIT = 0x20;

/** Removes table styles from tables that do not apply the style of the first row. */
function withUsedTableStyles(xml: string): string {
  return xml.replace(TABLE_LOOKS, (looks) =>
    usesFirstRow(/<w:tblLook[^<>]*>/.exec(looks)?.[0] ?? "") ? looks : looks.replace(/<w:tblStyle [^<>]*>/, ""),
  );
}

/** Returns the table styles that format the first row, directly or through a base style. */
function stylesWithFirstRow(xml: string): ReadonlySet<string> {
  const styles = new Map<string, { basedOn: string; setsFirstRowApart: boolean }>();
  let open = "";
  walkXml(xml, {
    open(name, { "w:type": type, "w:styleId": id = "", "w:val": value = "" }) {
      const style = styles.get(open);
      if (name === "style" && type === "table") {
        styles.set(id, { basedOn: "", setsFirstRowApart: false });
        open = id;
      } else if (name === "basedOn" && style !== undefined) style.basedOn ||= value;
      else if (name === "tblStylePr" && type === "firstRow" && style !== undefined) style.setsFirstRowApart = true;
    },
    close(name) {
      if (name === "style") open = "";
    },
  });
  styles.delete("");
  const setsApart = (id: string, left: number): boolean => {
    const style = styles.get(id);
    return style !== undefined && left > 0 && (style.setsFirstRowApart || setsApart(style.basedOn, left - 1));
  };
  return new Set([...styles.keys()].filter((id) => setsApart(id, MOST_BASES)));
}

/** Word writes the flag as an attribute, or, before 2010, as one bit of a hexadecimal value. */
function usesFirstRow(look: string): boolean {
  const said = / w:firstRow="([^"]*)"/.exec(look)?.[1];
  if (said !== undefined) return said === "1" || said === "true" || said === "on";
  return (Number.parseInt(/ w:val="([\da-fA-F]{1,8})"/.exec(look)?.[1] ?? "0", 16) & FIRST_ROW_BIT) !== 0;
}

/** The part of mammoth's document tree that this module uses. */
interface WordElement {
  readonly type: string;
  readonly children?: readonly WordElement[];
  readonly value?: unknown;
  readonly styleId?: string | null;
  readonly styleName?: string | null;
  readonly isBold?: boolean;
  readonly numbering?: { readonly level: string; readonly paragraphStyleId?: string } | null;
}

type Kind = "text" | "quote" | "code" | "lines";

/** Style names of quotations: pandoc and Word share the first, the next two are Word's, the last is LibreOffice's. */
const QUOTE_STYLES: ReadonlySet<string> = new Set(["block text", "quote", "intense quote", "quotations"]);
/** Style in which pandoc writes a code block as one paragraph. */
const CODE_STYLE = "source code";
/** Styles of preformatted text with one paragraph per line: two of Word, one of LibreOffice. */
const LINE_STYLES: ReadonlySet<string> = new Set(["html preformatted", "macro", "preformatted text"]);
const LIST_CONTINUE = /^list continue(?: ([2-5]))?$/;
const LEVELS = Array.from({ length: 9 }, (_, level) => level);
/** HTML path of each kind of paragraph inside its container. A code block stands alone; lines of code join. */
const INSIDE: Readonly<Record<Kind, string>> = {
  text: "p:fresh",
  quote: "blockquote > p:fresh",
  code: "pre:fresh",
  lines: "pre:separator('\\n')",
};
const KINDS = ["text", "quote", "code", "lines"] as const;

/** Style name given to numbering levels that show no mark. */
const UNSEEN = "sourcebound-unseen-level";
const LEVEL = /<w:lvl(?: [^<>]*)?>(?:(?!<w:lvl[ >]|<\/w:lvl>)[\s\S])*<\/w:lvl>/g;
const SHOWS_NOTHING = /<w:lvlText(?: [^<>]*)? w:val="\s*"/;

/** Marks the levels of `word/numbering.xml` that show no mark, since their paragraphs continue the item before. */
function markUnseenLevels(xml: string): string {
  return xml.replace(LEVEL, (level) => {
    if (!SHOWS_NOTHING.test(level) || level.includes("<w:lvlPicBulletId")) return level;
    return level.replace(/<w:pStyle [^<>]*>/, "").replace(/^<w:lvl(?: [^<>]*)?>/, (open) => `${open}<w:pStyle w:val="${UNSEEN}"/>`);
  });
}

/** Mammoth's style map for the style names that `placeParagraphs` assigns. */
const PLACED_STYLES: readonly string[] = [
  ...KINDS.map((kind) => `p[style-name='Placed ${kind}'] => ${INSIDE[kind]}`),
  ...LEVELS.flatMap((level) => {
    const outer = "ul|ol > li > ".repeat(level);
    return KINDS.flatMap((kind) => [
      `p[style-name='Placed ${kind} in ${level}'] => ${outer}ul|ol > li > ${INSIDE[kind]}`,
      `p[style-name='Placed ${kind} opens ${level}'] => ${outer}ul > li:fresh > ${INSIDE[kind]}`,
    ]);
  }),
];

/**
 * Assigns each paragraph a style name for its place, so that paragraphs that continue a list item stay inside it.
 * @param headed table styles that format the first row; mammoth ignores them, so the row is made bold
 */
function placeParagraphs(element: WordElement, headed: ReadonlySet<string>): WordElement {
  let open = -1;
  const children = element.children?.map((child, i) => {
    const isHead = i === 0 && element.type === "table" && headed.has(element.styleId ?? "");
    if (child.type !== "paragraph") return placeParagraphs(isHead ? inBold(child) : child, headed);
    const place = placeOf(child, open);
    open = place.open;
    return place.paragraph;
  });
  return children === undefined ? element : { ...element, children };
}

function inBold(element: WordElement): WordElement {
  const children = element.children?.map(inBold);
  return { ...element, ...(element.type === "run" ? { isBold: true } : {}), ...(children === undefined ? {} : { children }) };
}

/** Returns a paragraph with its style name and the level of the list item that stays open after it, or -1. */
function placeOf(paragraph: WordElement, open: number): { readonly paragraph: WordElement; readonly open: number } {
  const style = styleOf(paragraph);
  const { numbering = null } = paragraph;
  if (textOf(paragraph).trim() === "") return { paragraph, open };
  if (/^(?:heading|title|subtitle)/.test(style)) return { paragraph, open: -1 };
  const kind = kindOf(style);
  const named = (where: string) => ({ ...paragraph, styleId: null, styleName: `Placed ${kind}${where}`, numbering: null });
  const isUnseen = numbering?.paragraphStyleId === UNSEEN;
  if (numbering !== null && !isUnseen) {
    const level = Number(numbering.level);
    return { paragraph: kind === "text" ? paragraph : named(` opens ${level}`), open: level };
  }
  const continued = continuedLevel(style, isUnseen ? Number(numbering?.level) : -1, open);
  if (continued >= 0) return { paragraph: named(` in ${continued}`), open: continued };
  return { paragraph: kind === "text" && !isUnseen ? paragraph : named(""), open: -1 };
}

/** Returns the level of the open item that a paragraph without a mark continues, or -1. */
function continuedLevel(style: string, unseenLevel: number, open: number): number {
  if (unseenLevel >= 0) return Math.min(unseenLevel, open);
  if (style === "list paragraph") return open;
  const continued = LIST_CONTINUE.exec(style);
  return continued === null ? -1 : Math.min(Number(continued[1] ?? 1) - 1, open);
}

function kindOf(style: string): Kind {
  if (QUOTE_STYLES.has(style)) return "quote";
  if (style === CODE_STYLE) return "code";
  return LINE_STYLES.has(style) ? "lines" : "text";
}

function styleOf({ styleName }: WordElement): string {
  return (styleName ?? "").toLowerCase();
}

function textOf({ value, children = [] }: WordElement): string {
  return typeof value === "string" ? value : children.map(textOf).join("");
}

/** A run of text. A run that contains runs, such as a text box, does not match. */
const RUN = /<w:r(?: [^<>]*)?>(?:(?!<w:r[ >]|<\/w:r>)[\s\S])*<\/w:r>/g;
/** Text that Word hides, and letters of at most one point. */
const INVISIBLE = /<w:vanish\s*\/>|<w:vanish w:val="(?:1|true|on)"|<w:sz w:val="[012]"\s*\/>/;
const WHITE = /<w:color [^<>]*w:val="(?:FFFFFF|ffffff)"/;
const DARK_GROUND = /<w:shd [^<>]*w:fill="(?!auto|FFFFFF|ffffff)/;
/** The formatting of a run before a tracked change. */
const FORMER_LOOKS = /<w:rPrChange(?: [^<>]*)?>(?:(?!<w:rPrChange[ >]|<\/w:rPrChange>)[\s\S])*<\/w:rPrChange>/g;
const LOOKS = /<w:rPr(?: [^<>]*)?>(?:(?!<w:rPr[ >]|<\/w:rPr>)[\s\S])*<\/w:rPr>/g;
/** Single or double strikethrough. */
const STRIKE = /<w:d?strike(?: [^<>]*)?(?:\/>|>\s*<\/w:d?strike>)/g;
const IS_OFF = / w:val="(?:0|false|off)"/;
/** Parts that mammoth takes text from. */
const TEXT_PARTS = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"];
/** Text deleted by a tracked change; mammoth omits it. */
const DELETED = /<w:delText(?: [^<>]*)?>([^<]*)<\/w:delText>/g;
/** Reads Word documents. Each note follows the paragraph that cites it. Offsets count the extracted text. */
export const docxFormat: Format = {
  name: "docx",
  extensions: [".docx", ".docm"],
  version: 11,
  async read({ bytes, name }) {
    const parts = new Map(unpackZip(bytes, (part) => part.endsWith(".xml") || part.endsWith(".rels")));
    if (!parts.has("word/document.xml")) throw new IngestError("bad_archive", "the file has no word/document.xml: save it again as DOCX");
    const leftOut = { hidden: 0, struck: 0 };
    const xmlOf = (part: string) => Buffer.from(parts.get(part) ?? []).toString("utf8");
    const change = (part: string, make: (xml: string) => string) => parts.has(part) && parts.set(part, Buffer.from(make(xmlOf(part))));
    for (const part of TEXT_PARTS)
      change(part, (given) => {
        const { xml, hidden } = withoutHidden(withOneStrike(given));
        leftOut.hidden += hidden;
        leftOut.struck += [...xml.matchAll(DELETED)].reduce((sum, [, text = ""]) => sum + text.trim().length, 0);
        return xml;
      });
    change("word/document.xml", withUsedTableStyles);
    change("word/document.xml", (xml) => withNumbers(xml, xmlOf("word/numbering.xml"), xmlOf("word/styles.xml")));
    // The numbers are text now: all lists become lists of bullets.
    change("word/numbering.xml", (xml) => markUnseenLevels(xml).replace(/(<w:numFmt (?:[^<>]* )?w:val=")[^"]*"/g, '$1bullet"'));
    const html = await toHtml(parts, stylesWithFirstRow(xmlOf("word/styles.xml")));
    const property = (name: string) =>
      new RegExp(`<dc:${name}>([^<]{1,300})</dc:${name}>`).exec(xmlOf("docProps/core.xml"))?.[1]?.trim() || null;
    const read = parseHtml(html, name, leftOut.struck);
    const notices: ReadingNotice[] = [...(read.notices ?? [])];
    if (leftOut.hidden > 0)
      notices.push({ code: "hidden_text", message: `${leftOut.hidden} characters that Word does not show were left out` });
    if (/<w:comment[ >]/.test(xmlOf("word/comments.xml")))
      notices.push({ code: "left_out", message: "comments in the margin were left out" });
    return [
      {
        ...read,
        metadata: { ...read.metadata, title: (titleOf(read) ?? property("title") ?? name).slice(0, 300), description: property("subject") },
        unit: "extracted_utf16",
        notices,
      },
    ];
  },
};

/** @param headed table styles that format the first row */
async function toHtml(parts: ReadonlyMap<string, Uint8Array>, headed: ReadonlySet<string>): Promise<string> {
  const packed = Object.fromEntries(
    [...parts].map(([part, content]) => [part, [content, { level: 0 as const }] as [Uint8Array, { level: 0 }]]),
  );
  // Loaded on first use, since most runs read no such file.
  const { default: mammoth } = await import("mammoth");
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(zipSync(packed)) },
      {
        convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
        externalFileAccess: false,
        transformDocument: (document: WordElement) => placeParagraphs(document, headed),
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh", ...PLACED_STYLES],
      },
    );
    return value;
  } catch (cause) {
    throw new IngestError("bad_archive", `the document cannot be read (${messageOf(cause)}): save it again as DOCX`, {}, { cause });
  }
}

/** Normalises strikethrough for mammoth, which ignores double strikes and all but the first. Drops tracked former formatting. */
function withOneStrike(xml: string): string {
  return xml.replace(FORMER_LOOKS, "").replace(LOOKS, (looks) => {
    const isStruck = looks.match(STRIKE)?.some((strike) => !IS_OFF.test(strike)) === true;
    return looks.replace(STRIKE, "").replace("</w:rPr>", isStruck ? "<w:strike/></w:rPr>" : "</w:rPr>");
  });
}

/** Removes runs that Word does not show, and counts their characters. */
function withoutHidden(xml: string): { readonly xml: string; readonly hidden: number } {
  let hidden = 0;
  const kept = xml.replace(RUN, (run, at: number) => {
    if (!INVISIBLE.test(run) && !(WHITE.test(run) && !DARK_GROUND.test(run) && !isOnDarkGround(xml, at))) return run;
    hidden += run.replace(/<[^>]*>/g, "").trim().length;
    return "";
  });
  return { xml: kept, hidden };
}

/** Returns whether the cell or paragraph has a coloured background, on which white text is visible. */
function isOnDarkGround(xml: string, at: number): boolean {
  const before = xml.slice(Math.max(0, at - 4_000), at);
  const from = Math.max(before.lastIndexOf("<w:tc>"), before.lastIndexOf("<w:tc "));
  return DARK_GROUND.test(before.slice(from < 0 ? Math.max(0, before.lastIndexOf("<w:p")) : from));
}
