import { posix } from "node:path";
import { IngestError } from "../../shared/errors.ts";
import type { ReadingNotice } from "../../shared/types.ts";
import { decodeText } from "../encoding.ts";
import type { Format } from "./format.ts";
import { parseHtml } from "./html.ts";
import { descendants, firstOf, readXml, textOf as textOfXml } from "./office/xml.ts";
import { isoDayOf, joinWritten, oneLine, plainMetadata, titleOf } from "./parsed.ts";
import { picturesIn } from "./pictures.ts";
import { type ArchiveParts, unpackZip } from "./zip.ts";

const MARKUP = /\.(?:xhtml|html?|xml|opf|ncx)$/i;

/** Reads books, with chapters in reading order. Offsets count characters of the joined chapter files; `places` gives the start of each. */
export const epubFormat: Format = {
  name: "epub",
  extensions: [".epub"],
  version: 13,
  async read({ bytes, name, recogniser }) {
    const parts = unpackZip(bytes, (part) => MARKUP.test(part));
    const packagePath = firstOf(readXml(textOf(parts, "META-INF/container.xml")), "rootfile")?.attributes["full-path"] ?? "";
    const message = "the file is no complete EPUB: it does not say where its table of contents is. Save it again as EPUB";
    if (!parts.has(packagePath)) throw new IngestError("bad_archive", message);
    const book = readPackage(textOf(parts, packagePath), packagePath);
    const encryption = readXml(textOf(parts, "META-INF/encryption.xml"));
    const encrypted = new Set([...descendants(encryption, "CipherReference")].map(({ attributes }) => inside("", attributes.URI ?? "")));
    if (book.spine.some((path) => encrypted.has(path)))
      throw new IngestError("encrypted", "the book is encrypted: ingest an unprotected copy");
    const missing = book.spine.filter((path) => !parts.has(path));
    const left = `chapters are missing, although the book lists them: ${missing.slice(0, 5).join(", ")}`;
    const notices: ReadingNotice[] = missing.length === 0 ? [] : [{ code: "left_out", message: left }];
    let length = 0;
    const takeText = await picturesIn(bytes, recogniser);
    const chapters = book.spine.flatMap((path) => {
      if (!parts.has(path)) return [];
      const source = textOf(parts, path);
      const sourceStart = length;
      length += source.length;
      const written = parseHtml(source, name, { takeText: (address) => takeText(inside(path, address)) });
      for (const { ranges, ...notice } of written.notices ?? [])
        notices.push({ ...notice, message: `${path}: ${notice.message}`, ...(ranges && { ranges: ranges.map((at) => at + sourceStart) }) });
      return [{ written, sourceStart, path }];
    });
    const written = joinWritten(chapters);
    const metadata = plainMetadata(book.title ?? titleOf(written) ?? name, { description: book.author, asOf: book.asOf });
    const places = { type: "parts" as const, parts: chapters.map(({ sourceStart, path }) => [sourceStart, path] as const) };
    return [{ ...written, metadata, places, encoding: "utf-8", notices }];
  },
};

/** Reads the package file: title, author, date, and the paths of the chapters in reading order. */
function readPackage(source: string, path: string) {
  const book = readXml(source);
  const files = new Map([...descendants(book, "item")].map(({ attributes }) => [attributes.id ?? "", attributes]));
  const spine = [...descendants(book, "itemref")].flatMap(({ attributes }) => {
    const item = files.get(attributes.idref ?? "");
    if (item?.href === undefined || item.properties?.split(" ").includes("nav")) return [];
    return [inside(path, item.href)];
  });
  const metadata = (name: string) => oneLine(textOfXml(firstOf(book, name))) || null;
  return { title: metadata("title"), author: metadata("creator"), asOf: isoDayOf(metadata("date") ?? ""), spine };
}

/** Resolves the path of a file relative to another file of the archive. The result never leaves the archive. */
function inside(from: string, href: string): string {
  let path = href.replace(/[#?].*$/, "");
  try {
    path = decodeURIComponent(path);
  } catch {
    // The path contains an invalid escape sequence, so it is used as written.
  }
  return posix.join("/", posix.dirname(from), path).slice(1);
}

function textOf(parts: ArchiveParts, path: string): string {
  const bytes = parts.get(path);
  return bytes === undefined ? "" : decodeText(bytes).text;
}
