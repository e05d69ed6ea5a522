import { basename } from "node:path";
import { IngestError, RequestError } from "../../shared/errors.ts";
import type { ReadingNotice } from "../../shared/types.ts";
import { UNPRINTABLE } from "../../text/paths.ts";
import { textStart } from "../encoding.ts";
import { MAX_UNPACKED_BYTES } from "../limits.ts";
import { archiveFormat } from "./archive.ts";
import { csvFormat } from "./csv.ts";
import { docxFormat } from "./docx.ts";
import { epubFormat } from "./epub.ts";
import { conversionOf, extensionOf, type Format, type InnerFiles, nameOf, type TextFormat, textFormat } from "./format.ts";
import { parseHtml } from "./html.ts";
import { parseJson, parseJsonLines, yamlFormat } from "./json.ts";
import { emlFormat, mboxFormat } from "./mail.ts";
import { parseMarkdown } from "./markdown.ts";
import { odsFormat } from "./office/ods.ts";
import { odpFormat, odtFormat } from "./office/odt.ts";
import { pptxFormat } from "./office/pptx.ts";
import { rtfFormat } from "./office/rtf.ts";
import { pdfFormat } from "./pdf/read.ts";
import type { Recogniser } from "./pdf/recognise.ts";
import { recognisePictures } from "./pictures.ts";
import { srtFormat, vttFormat } from "./subtitles.ts";
import { parseAsciidoc, parseText } from "./text.ts";
import { xlsxFormat } from "./xlsx.ts";
import { unpacksTooFar, zipKind } from "./zip.ts";

const htmlText = textFormat("html", [".html", ".htm", ".xhtml"], 14, (source, name) => [parseHtml(source, name)]);
/** Matches pictures that a web page contains as `data:` URLs. */
const DATA_PICTURE = /data:image\/(?:png|jpe?g);base64,([\w+/=]+)/g;

/** Reads web pages, including the text recognised (OCR) in pictures that a page contains as `data:` URLs. */
const htmlFormat: Format = {
  ...htmlText,
  async read(file) {
    const results = htmlText.read(file);
    const found = file.recogniser === null ? [] : [...Buffer.from(file.bytes).toString("latin1").matchAll(DATA_PICTURE)];
    if (file.recogniser === null || found.length === 0) return results;
    const pictures = new Map(found.map(([address, data = ""]) => [address, Buffer.from(data, "base64")]));
    const takeText = await recognisePictures(pictures, file.recogniser);
    return textFormat("html", [], 0, (source, name) => [parseHtml(source, name, { takeText })]).read(file);
  },
};

/** Formats of text files, which are read synchronously. */
export const TEXT_FORMATS: readonly TextFormat[] = [
  textFormat("markdown", [".md", ".markdown"], 20, (source, name) => [parseMarkdown(source, name)]),
  textFormat("text", [".txt", ".text", ".log", ".rst", ".rest"], 11, (source, name) => [parseText(source, name)]),
  textFormat("asciidoc", [".adoc", ".asciidoc", ".asc"], 6, (source, name) => [parseAsciidoc(source, name)]),
  htmlText,
  textFormat("json", [".json"], 8, parseJson),
  textFormat("jsonl", [".jsonl", ".ndjson"], 8, parseJsonLines),
  ...[yamlFormat, csvFormat, vttFormat, srtFormat],
];

export const FORMATS: readonly Format[] = [
  ...TEXT_FORMATS.map((format) => (format === htmlText ? htmlFormat : format)),
  ...[pdfFormat, docxFormat, odtFormat, rtfFormat, pptxFormat, odpFormat, epubFormat, xlsxFormat, odsFormat],
  ...[emlFormat, mboxFormat, archiveFormat],
];

export const supportedExtensions: readonly string[] = FORMATS.flatMap(({ extensions }) => extensions);

/**
 * Extension of an old Office format → current format. Files with such extensions are often in the current format, or
 * are web pages or tables.
 */
const OLD_NAMES: Readonly<Record<string, string>> = { ".doc": "docx", ".xls": "xlsx" };

/** Extensions of files that ingestion opens. A file with an old Office extension may turn out to be in an unsupported format. */
export const openedExtensions: readonly string[] = [...supportedExtensions, ...Object.keys(OLD_NAMES)];

/** Extensions of formats whose files hold no pictures. */
export const picturelessExtensions: readonly string[] = TEXT_FORMATS.flatMap((format) => (format === htmlText ? [] : format.extensions));

export const textExtensions: readonly string[] = TEXT_FORMATS.flatMap(({ extensions }) => extensions);

/** Maximum depth of files within files, such as a document in an archive attached to a mail. */
const MAX_INNER_DEPTH = 3;
const CONTAINERS: ReadonlySet<string> = new Set(["zip", "eml", "mbox"]);

/**
 * Creates a reader of the files inside a file. All inner files together, at any depth, may have at most `MAX_UNPACKED_BYTES`.
 * @param depth nesting depth of the inner files; 1 if the ingested file contains them directly
 */
export function createInnerFiles(recogniser: Recogniser | null, depth = 1, total = { bytes: 0 }): InnerFiles {
  return {
    extensions: openedExtensions,
    async read(path, bytes) {
      total.bytes += bytes.length;
      if (total.bytes > MAX_UNPACKED_BYTES) throw unpacksTooFar();
      const { format, notices } = chooseFormat(path, bytes);
      if (CONTAINERS.has(format.name) && depth >= MAX_INNER_DEPTH)
        throw new IngestError("too_deep", `files are nested more than ${MAX_INNER_DEPTH} levels deep: unpack the outer file`);
      const inner = createInnerFiles(recogniser, depth + 1, total);
      const results = await format.read({ path, name: nameOf(path), bytes, recogniser, inner });
      return results.map((result) => {
        return { ...result, format: result.format ?? format.name, notices: [...notices, ...(result.notices ?? [])] };
      });
    },
  };
}

/** Names and versions of all formats. If this string changes, all files are read again. */
export const FORMATS_VERSION = FORMATS.map(({ name, version }) => `${name}${version}`).join(" ");

const byName = (name: string) => FORMATS.find((format) => format.name === name) as Format;

/**
 * Selects the format by the first bytes of the file or, if they are inconclusive, by the file name. Returns a notice if
 * the name does not fit the bytes.
 * @throws IngestError `unsupported_format`, `wrong_content`
 */
export function chooseFormat(path: string, bytes: Uint8Array): { readonly format: Format; readonly notices: readonly ReadingNotice[] } {
  const extension = extensionOf(path);
  const named = FORMATS.find(({ name, extensions }) => extensions.includes(extension) || name === OLD_NAMES[extension]) ?? null;
  const isPacked = named !== null && PACKED.includes(named.name);
  const found = formatByContent(bytes) ?? (isPacked ? textFormatByContent(bytes, extension) : null);
  if (found !== null && found !== named) {
    const message = `read as ${found.name}: the content has this format, although the file name says otherwise`;
    return { format: found, notices: extension === "" ? [] : [{ code: "wrong_extension", message }] };
  }
  if (isPacked && found === null && bytes.length > 0) {
    const message = `the name says ${named.name}, but the content is different: check what the file is, and save it again`;
    throw new IngestError("wrong_content", message, { extension });
  }
  if (named !== null) return { format: named, notices: [] };
  if (extension === "") return { format: byName("text"), notices: [] };
  throw unsupportedFormat(extension);
}

/** Names of formats whose files begin with a signature (fixed bytes). */
const PACKED = ["pdf", "docx", "odt", "rtf", "pptx", "odp", "epub", "xlsx", "ods", "zip"];

/**
 * Returns the format of a text file whose extension is that of a binary format. Programs export web pages, MIME
 * messages or tables under such names.
 */
function textFormatByContent(bytes: Uint8Array, extension: string): Format | null {
  const head = textStart(bytes);
  if (head === null) return null;
  if (/^(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html|head|body|table|meta)\b/i.test(head)) return byName("html");
  if (/^(?:<\?xml|\{\\rtf)/.test(head)) return null;
  if (/^mime-version:\s/im.test(head.split(/\r?\n\r?\n/, 1)[0] ?? "")) return byName("eml");
  if (/^\.xlsx?$/.test(extension)) return /[\t,;|]/.test(head) ? byName("csv") : null;
  return extension === ".doc" ? byName("text") : null;
}

function formatByContent(bytes: Uint8Array): Format | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString("latin1");
  if (/^[\s\0]{0,16}%PDF-\d/.test(head) || (/%PDF-\d\.\d/.test(head) && bytes.includes(0))) return byName("pdf");
  if (head.startsWith("{\\rtf")) return byName("rtf");
  if (head.startsWith("\xd0\xcf\x11\xe0")) {
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const [, message = "this is an old Office file: open it, and save it as DOCX, XLSX, PPTX or PDF"] =
      COMPOUND_FILES.find(([stream]) => content.includes(stream, 0, "utf16le")) ?? [];
    throw new IngestError("unsupported_format", message);
  }
  if (!head.startsWith("PK\x03\x04") && !head.startsWith("PK\x05\x06")) return null;
  return byName(zipKind(bytes));
}

/** Kinds of OLE compound files. Each is recognised by the name of a stream inside it and has a message for the user. */
const COMPOUND_FILES: readonly (readonly [stream: string, message: string])[] = [
  ["EncryptedPackage", "the file has a password: save it without one"],
  ["WordDocument", "this is a Word 97–2003 document (.doc): open it, and save it as DOCX"],
  ["Workbook", "this is an Excel 97–2003 workbook (.xls): open it, and save it as XLSX"],
  ["PowerPoint Document", "this is a PowerPoint 97–2003 presentation (.ppt): open it, and save it as PPTX"],
  ["__substg1.0_", "this is an Outlook message (.msg): save it as EML"],
];

export function unsupportedFormat(extension: string): IngestError {
  const advice = conversionOf(extension) || `: use one of ${supportedExtensions.join(" ")}`;
  const message = `the format "${extension}" is not supported${advice}`;
  return new IngestError("unsupported_format", message, { extension });
}

/**
 * Returns the safe file name under which an uploaded document is stored.
 * @throws RequestError `input_name`; IngestError `unsupported_format`
 */
export function inputName(name: string): string {
  const plain = basename(name).replaceAll(UNPRINTABLE, "_").replaceAll(/[/\\]/g, "_");
  if (plain === "" || plain.startsWith("."))
    throw new RequestError("input_name", `"${name}" is not a file name. Use a name such as notes.md.`);
  const extension = extensionOf(plain);
  if (extension !== "" && !openedExtensions.includes(extension)) throw unsupportedFormat(extension);
  return plain;
}
