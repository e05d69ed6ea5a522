import { zipSync } from "fflate";
import { IngestError, messageOf } from "../../shared/errors.ts";
import type { ReadingNotice } from "../../shared/types.ts";
import type { Format } from "./format.ts";
import { parseHtml } from "./html.ts";
import { descendants, firstOf, partOf, partText, prefixed, readXml, textOf, type XmlElement } from "./office/xml.ts";
import { type OrdinalForm, ordinal } from "./ordinal.ts";
import { oneLine, statedDay, titleOf, topLines } from "./parsed.ts";
import { picturesIn } from "./pictures.ts";
import { leftOutNotices } from "./unseen-text.ts";
import { unpackPictures, unpackXml } from "./zip.ts";

const TABLE_LOOKS = /<w:tblPr(?: [^<>]*)?>(?:(?!<w:tblPr[ >]|<\/w:tblPr>)[\s\S])*<\/w:tblPr>/g;
/** Bit in the value of `w:tblLook` that applies the table style's format of the first row. */
const FIRST_ROW_BIT = 0x20;

/** Removes the style of each table that does not apply the style's format of the first row, so that `withBoldRows` ignores it. */
function withUsedTableStyles(xml: string): string {
  return xml.replace(TABLE_LOOKS, (looks) =>
    usesFirstRow(/<w:tblLook[^<>]*>/.exec(looks)?.[0] ?? "") ? looks : looks.replace(/<w:tblStyle [^<>]*>/, ""),
  );
}

/**
 * Returns whether a table applies its style's format of the first row. Word writes this flag as an attribute or, before
 * 2010, as one bit of a hexadecimal value.
 */
function usesFirstRow(look: string): boolean {
  const said = / w:firstRow="([^"]*)"/.exec(look)?.[1];
  if (said !== undefined) return ["1", "true", "on"].includes(said);
  return (Number.parseInt(/ w:val="([\da-fA-F]{1,8})"/.exec(look)?.[1] ?? "0", 16) & FIRST_ROW_BIT) !== 0;
}

type StyleOf = ReturnType<typeof readStyles>;

/** The fields that are used of a node in mammoth's document tree. mammoth is the package that converts DOCX to HTML. */
interface WordElement {
  readonly type: string;
  readonly children?: readonly WordElement[];
  readonly styleId?: string | null;
  readonly isBold?: boolean;
}

/** Style names of quotations. The first is that of pandoc and Word, the next two are Word's, the last is LibreOffice's. */
const QUOTE_STYLES = ["Block Text", "Quote", "Intense Quote", "Quotations"];
/** Styles of preformatted text with one paragraph per line: two of Word, one of LibreOffice. */
const LINE_STYLES = ["HTML Preformatted", "Macro", "Preformatted Text"];
const STYLE_MAP: readonly string[] = [
  ...["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
  ...QUOTE_STYLES.map((name) => `p[style-name='${name}'] => blockquote > p:fresh`),
  // Pandoc writes a whole code block as one paragraph of this style.
  "p[style-name='Source Code'] => pre:fresh",
  ...LINE_STYLES.map((name) => `p[style-name='${name}'] => pre:separator('\\n')`),
];

/** Makes the first row of a table bold if the table's style formats the first row, because mammoth ignores formats in table styles. */
function withBoldRows(element: WordElement, styleOf: StyleOf, isInHead = false): WordElement {
  const hasHead = element.type === "table" && styleOf(element.styleId ?? undefined).hasFirstRow;
  const children = element.children?.map((child, i) => withBoldRows(child, styleOf, isInHead || (hasHead && i === 0)));
  return { ...element, ...(isInHead && element.type === "run" ? { isBold: true } : {}), ...(children && { children }) };
}

/** Matches a run (text with uniform formatting) that contains no other run. A run with a text box does contain runs. */
const RUN = /<w:r(?: [^<>]*)?>(?:(?!<w:r[ >]|<\/w:r>)[\s\S])*<\/w:r>/g;
/** Matches the formatting of text that Word hides, or that is at most 1 pt high (`w:sz` counts half points). */
const INVISIBLE = /<w:vanish\s*\/>|<w:vanish w:val="(?:1|true|on)"|<w:sz w:val="[012]"\s*\/>/;
const WHITE = /<w:color [^<>]*w:val="(?:FFFFFF|ffffff)"/;
const DARK_GROUND = /<w:shd [^<>]*w:fill="(?!auto|FFFFFF|ffffff)/;
/** Matches the formatting that a run had before a tracked change. */
const FORMER_LOOKS = /<w:rPrChange(?: [^<>]*)?>(?:(?!<w:rPrChange[ >]|<\/w:rPrChange>)[\s\S])*<\/w:rPrChange>/g;
const LOOKS = /<w:rPr(?: [^<>]*)?>(?:(?!<w:rPr[ >]|<\/w:rPr>)[\s\S])*<\/w:rPr>/g;
/** Matches single or double strikethrough. */
const STRIKE = /<w:d?strike(?: [^<>]*)?(?:\/>|>\s*<\/w:d?strike>)/g;
const IS_OFF = / w:val="(?:0|false|off)"/;
/** Files of the DOCX archive that mammoth reads text from. */
const TEXT_PARTS = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"];
/** Matches text that a tracked change deletes. mammoth omits this text. */
const DELETED = /<w:delText(?: [^<>]*)?>([^<]*)<\/w:delText>/g;
/** Reads Word documents. Each footnote or endnote follows the paragraph that cites it. Offsets refer to the extracted text. */
export const docxFormat: Format = {
  name: "docx",
  extensions: [".docx", ".docm"],
  version: 13,
  async read({ bytes, name, recogniser }) {
    const parts = new Map(unpackXml(bytes));
    if (!parts.has("word/document.xml"))
      throw new IngestError("bad_archive", "the file is no complete Word document (word/document.xml is missing): save it again as DOCX");
    const leftOut = { hidden: 0, struck: 0 };
    const xmlOf = (part: string) => partText(parts, part);
    const change = (part: string, make: (xml: string) => string) => parts.has(part) && parts.set(part, Buffer.from(make(xmlOf(part))));
    for (const part of TEXT_PARTS)
      change(part, (given) => {
        const { xml, hidden } = withoutHidden(withOneStrike(given));
        leftOut.hidden += hidden;
        leftOut.struck += [...xml.matchAll(DELETED)].reduce((sum, [, text = ""]) => sum + text.trim().length, 0);
        return xml;
      });
    change("word/document.xml", withUsedTableStyles);
    const styleOf = readStyles(xmlOf("word/styles.xml"));
    change("word/document.xml", (xml) => withNumbers(xml, xmlOf("word/numbering.xml"), styleOf));
    // The numbers are now part of the text. Make all lists bullet lists, so that numbers are not added twice.
    change("word/numbering.xml", (xml) => xml.replace(/(<w:numFmt (?:[^<>]* )?w:val=")[^"]*"/g, '$1bullet"'));
    const takeText = await picturesIn(bytes, recogniser);
    // mammoth does not pass on the name of a picture. Therefore the content of each picture is replaced by its name.
    if (recogniser !== null) for (const [part] of unpackPictures(bytes)) parts.set(part, Buffer.from(part));
    const html = await toHtml(parts, styleOf);
    const core = partOf(parts, "docProps/core.xml");
    const property = (name: string) => oneLine(textOf(firstOf(core, name))).slice(0, 300) || null;
    const read = parseHtml(html, name, { struck: leftOut.struck, takeText });
    const notices: ReadingNotice[] = [...(read.notices ?? [])];
    if (leftOut.hidden > 0)
      notices.push({ code: "hidden_text", message: `${leftOut.hidden} characters that Word does not show were left out` });
    const running = [...parts.keys()].filter((part) => /^word\/(?:header|footer)\d*\.xml$/.test(part));
    const lines = [...new Set(running.flatMap((part) => linesIn(partOf(parts, part))))];
    notices.push(...leftOutNotices(/<w:comment[ >]/.test(xmlOf("word/comments.xml")) ? ["comments in the margin"] : [], lines));
    const title = (titleOf(read) ?? property("title") ?? name).slice(0, 300);
    const metadata = { ...read.metadata, title, description: property("subject"), asOf: statedDay([...topLines(read), ...lines]) };
    return [{ ...read, metadata, unit: "extracted_utf16", notices }];
  },
};

/** Returns those paragraphs of an XML file that contain a letter or a digit. */
function linesIn(part: XmlElement): string[] {
  const paragraphs = [...descendants(part, "p")].map((one) => oneLine([...descendants(one, "t")].map(textOf).join("")));
  return paragraphs.filter((line) => /[\p{L}\p{N}]/u.test(line));
}

async function toHtml(parts: ReadonlyMap<string, Uint8Array>, styleOf: StyleOf): Promise<string> {
  const packed = zipSync(Object.fromEntries(parts), { level: 0 });
  // Loaded on first use, because most runs read no DOCX file.
  const { default: mammoth } = await import("mammoth");
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(packed) },
      {
        convertImage: mammoth.images.imgElement(async (image) => {
          try {
            return { src: String(await image.readAsBuffer()) };
          } catch {
            // The picture is not in the archive, because pictures are unpacked only for OCR. It gets no name.
            return { src: "" };
          }
        }),
        externalFileAccess: false,
        transformDocument: (document: WordElement) => withBoldRows(document, styleOf),
        styleMap: [...STYLE_MAP],
      },
    );
    return value;
  } catch (cause) {
    throw new IngestError("bad_archive", `the document cannot be read (${messageOf(cause)}): save it again as DOCX`, {}, { cause });
  }
}

/**
 * Replaces all strikethrough elements of a run by a single one, because mammoth ignores double strikethrough and any
 * second element. Removes the formatting that runs had before tracked changes.
 */
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

/** Returns whether the cell or paragraph around offset `at` has a coloured background, on which white text is visible. */
function isOnDarkGround(xml: string, at: number): boolean {
  const before = xml.slice(Math.max(0, at - 4_000), at);
  const from = Math.max(before.lastIndexOf("<w:tc>"), before.lastIndexOf("<w:tc "));
  return DARK_GROUND.test(before.slice(from < 0 ? Math.max(0, before.lastIndexOf("<w:p")) : from));
}

/** A level of a numbered list: ECMA-376, part 1, 17.9. */
interface Level {
  readonly start: number;
  readonly format: string;
  /** Pattern of the label: `%1` stands for the number of the outermost level, `%2` for the next, and so on. */
  readonly text: string;
}

const FORMS: Readonly<Record<string, OrdinalForm>> = {
  ...{ decimal: "1", decimalZero: "1", lowerLetter: "a", upperLetter: "A", lowerRoman: "i", upperRoman: "I" },
};
const MAX_LEVELS = 9;
/** Maximum length of a chain of base styles (`w:basedOn`) from which a style inherits. */
const MOST_BASES = 20;
/** Matches the properties that a paragraph had before a tracked change. `PROPERTIES` matches the current properties. */
const FORMER = /<w:pPrChange(?: [^<>]*)?>[\s\S]*?<\/w:pPrChange>/g;
const PROPERTIES = /<w:pPr(?: [^<>]*)?>(?:(?!<w:pPr[ >]|<\/w:pPr>)[\s\S])*<\/w:pPr>/g;

/**
 * Writes the numbers that Word shows before numbered paragraphs, such as "2.3" or "(b)", as text.
 * @param xml content of `word/document.xml`
 * @param numbering content of `word/numbering.xml`
 * @param styleOf finds a style by its id
 */
function withNumbers(xml: string, numbering: string, styleOf: (id: string | undefined) => Style): string {
  const lists = readLists(numbering);
  if (lists.levels.size === 0) return xml;
  const counters = new Map<readonly Level[], number[]>();
  const restarted = new Set<string>();
  const plain = xml.replace(FORMER, "");
  return plain.replace(PROPERTIES, (properties, at: number) => {
    const own = numberingIn(properties, styleOf(/<w:pStyle [^<>]*w:val="([^"]*)"/.exec(properties)?.[1]));
    const levels = lists.levels.get(own.list);
    const level = levels?.[own.level];
    const from = at + properties.length;
    if (levels === undefined || level === undefined) return properties;
    const counts = counters.get(levels) ?? [];
    counters.set(levels, counts);
    const restart = lists.restarts.get(own.list)?.get(own.level);
    const isRestart = restart !== undefined && !restarted.has(`${own.list} ${own.level}`);
    if (isRestart) restarted.add(`${own.list} ${own.level}`);
    counts[own.level] = isRestart ? restart : (counts[own.level] ?? level.start - 1) + 1;
    counts.length = own.level + 1;
    const label = hasText(plain, from) ? labelOf(levels, own.level, counts) : "";
    return label === "" ? properties : `${properties}<w:r><w:t xml:space="preserve">${label} </w:t></w:r>`;
  });
}

function hasText(xml: string, from: number): boolean {
  return /<w:t(?: [^<>]*)?>[^<]/.test(xml.slice(from, xml.indexOf("</w:p>", from)));
}

function labelOf(levels: readonly Level[], level: number, counts: readonly number[]): string {
  const { format, text } = levels[level] as Level;
  if (FORMS[format] === undefined) return "";
  return text
    .replace(/%([1-9])/g, (_, digit: string) => {
      const of = levels[Number(digit) - 1];
      return of === undefined ? "" : ordinal(counts[Number(digit) - 1] ?? of.start, FORMS[of.format] ?? "1");
    })
    .trim();
}

/** Returns the levels of each list (`levels`), and the start numbers that a list sets instead of those of its levels (`restarts`). */
function readLists(xml: string) {
  const numbering = readXml(xml);
  const definitions = new Map([...descendants(numbering, "abstractNum")].map((one) => [prefixed(one, "abstractNumId"), levelsOf(one)]));
  const levels = new Map<string, readonly Level[]>();
  const restarts = new Map<string, ReadonlyMap<number, number>>();
  for (const num of descendants(numbering, "num")) {
    const list = prefixed(num, "numId") ?? "";
    levels.set(list, definitions.get(stated(num, "abstractNumId")) ?? []);
    const overrides = [...descendants(num, "lvlOverride")].map((one) => [levelOf(one), Number(stated(one, "startOverride"))] as const);
    restarts.set(list, new Map(overrides.filter(([, start]) => !Number.isNaN(start))));
  }
  return { levels, restarts };
}

function levelsOf(definition: XmlElement): Level[] {
  const levels: Level[] = [];
  for (const level of descendants(definition, "lvl")) {
    const at = levelOf(level);
    const [start = "1", format = "decimal", text = `%${at + 1}.`] = ["start", "numFmt", "lvlText"].map((name) => stated(level, name));
    levels[at] = { start: Number(start), format, text };
  }
  return levels;
}

function levelOf(element: XmlElement): number {
  return Math.min(MAX_LEVELS, Number(prefixed(element, "ilvl") ?? 0));
}

function stated(element: XmlElement, name: string): string | undefined {
  const found = firstOf(element, name);
  return found === undefined ? undefined : prefixed(found, "val");
}

/** Properties of a style, its own or those inherited from base styles. */
interface Style {
  /** Id of the list that paragraphs of this style belong to; `level` is their level in the list. */
  readonly list: string;
  readonly level: number;
  /** True for a table style that formats the first row. */
  readonly hasFirstRow: boolean;
}

/** Parses `word/styles.xml`. Returns a function that finds a style by its id. */
function readStyles(xml: string): (id: string | undefined) => Style {
  const styles = new Map([...descendants(readXml(xml), "style")].map((style) => [prefixed(style, "styleId"), style]));
  const find = (id: string | undefined, left: number): Style => {
    const style = styles.get(id);
    if (style === undefined || left === 0) return { list: "", level: 0, hasFirstRow: false };
    const base = find(stated(style, "basedOn"), left - 1);
    const parts = [...descendants(style, "tblStylePr")].map((part) => prefixed(part, "type"));
    return {
      list: stated(style, "numId") ?? base.list,
      level: Number(stated(style, "ilvl") ?? base.level),
      hasFirstRow: base.hasFirstRow || parts.includes("firstRow"),
    };
  };
  return (id) => find(id, MOST_BASES);
}

function numberingIn(properties: string, style: Style): { readonly list: string; readonly level: number } {
  const list = /<w:numId [^<>]*w:val="(\d+)"/.exec(properties)?.[1];
  const level = /<w:ilvl [^<>]*w:val="(\d)"/.exec(properties)?.[1];
  return { list: list ?? style.list, level: Number(level ?? style.level) };
}
