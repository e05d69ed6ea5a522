import { posix } from "node:path";
import { IngestError } from "../../shared/errors.ts";
import type { ReadingNotice } from "../../shared/types.ts";
import { decodeText } from "../encoding.ts";
import type { Format } from "./format.ts";
import { parseHtml } from "./html.ts";
import { type MarkupEvent, type OpenEvent, readMarkup } from "./markup.ts";
import { isoDayOf, type JoinedPart, joinWritten, oneLine, plainMetadata, titleOf } from "./parsed.ts";
import { type ArchiveParts, unpackZip } from "./zip.ts";

const MARKUP = /\.(?:xhtml|html?|xml|opf|ncx)$/i;

/** Reads books, with their chapters in reading order. Offsets count the characters of the chapter's file in the archive. */
export const epubFormat: Format = {
  name: "epub",
  extensions: [".epub"],
  version: 12,
  async read({ bytes, name }) {
    const parts = unpackZip(bytes, (part) => MARKUP.test(part));
    if (
      parts.has("META-INF/encryption.xml") &&
      /EncryptedData/.test(textOf(parts, "META-INF/encryption.xml")) &&
      !hasReadableParts(parts)
    ) {
      throw new IngestError("encrypted", "the book is encrypted: ingest an unprotected copy");
    }
    const container = readMarkup(textOf(parts, "META-INF/container.xml"), { decodeEntities: true });
    const packagePath = openedIn(container, "rootfile")[0]?.attributes["full-path"] ?? "";
    if (!parts.has(packagePath)) throw new IngestError("bad_archive", "the book names no package file: save it again as EPUB");
    const book = readPackage(textOf(parts, packagePath), packagePath);
    const missing: string[] = [];
    const joined: JoinedPart[] = [];
    const unseen: ReadingNotice[] = [];
    const places: (readonly [number, string])[] = [];
    let sourceStart = 0;
    for (const path of book.spine) {
      if (!parts.has(path)) {
        missing.push(path);
        continue;
      }
      const source = textOf(parts, path);
      places.push([sourceStart, path]);
      const written = parseHtml(source, name);
      unseen.push(...(written.notices ?? []).map((notice) => ({ ...notice, message: `${path}: ${notice.message}` })));
      joined.push({ written, sourceStart });
      sourceStart += source.length;
    }
    const written = joinWritten(joined);
    const notices: ReadingNotice[] =
      missing.length === 0
        ? []
        : [{ code: "left_out", message: `chapters that the book names and does not hold: ${missing.slice(0, 5).join(", ")}` }];
    const title = book.title ?? titleOf(written) ?? name;
    return [
      {
        ...written,
        metadata: plainMetadata(title, { description: book.author, asOf: book.asOf }),
        places: { type: "parts", parts: places },
        encoding: "utf-8",
        notices: [...notices, ...unseen],
      },
    ];
  },
};

interface BookPackage {
  readonly title: string | null;
  readonly author: string | null;
  /** ISO date; `null` if the book states none. */
  readonly asOf: string | null;
  /** Paths of the chapters in reading order. */
  readonly spine: readonly string[];
}

function readPackage(source: string, path: string): BookPackage {
  const events = readMarkup(source, { decodeEntities: true });
  const files = new Map(openedIn(events, "item").map(({ attributes }) => [attributes.id ?? "", attributes]));
  const spine = openedIn(events, "itemref").flatMap(({ attributes }) => {
    const item = files.get(attributes.idref ?? "");
    if (item?.href === undefined || item.properties?.split(" ").includes("nav")) return [];
    return [inside(path, item.href)];
  });
  const said = (name: string): string | null => {
    const at = events.findIndex((event) => event.type === "open" && event.name === name);
    const next = at < 0 ? undefined : events[at + 1];
    return next?.type === "text" ? oneLine(next.text) || null : null;
  };
  return {
    title: said("dc:title"),
    author: said("dc:creator"),
    asOf: isoDayOf(said("dc:date") ?? ""),
    spine,
  };
}

/** Resolves the path of a part relative to another. The result stays inside the archive. */
function inside(from: string, href: string): string {
  let path = href.replace(/[#?].*$/, "");
  try {
    path = decodeURIComponent(path);
  } catch {
    // Not a valid escape: use the path as written.
  }
  return posix.join("/", posix.dirname(from), path).slice(1);
}

function openedIn(events: readonly MarkupEvent[], name: string): OpenEvent[] {
  return events.filter((event): event is OpenEvent => event.type === "open" && event.name === name);
}

function textOf(parts: ArchiveParts, path: string): string {
  const bytes = parts.get(path);
  return bytes === undefined ? "" : decodeText(bytes).text;
}

function hasReadableParts(parts: ArchiveParts): boolean {
  return [...parts].some(([path, bytes]) => /\.x?html?$/i.test(path) && bytes.subarray(0, 200).includes(0x3c));
}
