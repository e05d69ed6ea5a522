import { unzipSync } from "fflate";
import { IngestError, messageOf } from "../../shared/errors.ts";
import { MAX_ARCHIVE_PARTS, MAX_UNPACKED_BYTES } from "../limits.ts";

/** Files of an archive by name. The names are never used as paths on disk. */
export type ArchiveParts = ReadonlyMap<string, Uint8Array>;

/**
 * Unpacks the files that `isWanted` accepts. Checks the stated sizes before unpacking. No file can unpack to more than
 * its stated size.
 * @throws IngestError `unpacks_too_far`, `bad_archive`
 */
export function unpackZip(bytes: Uint8Array, isWanted: (name: string) => boolean): ArchiveParts {
  let total = 0;
  const parts = walkZip(bytes, (name, size) => {
    if (!isWanted(name)) return false;
    total += size;
    if (total > MAX_UNPACKED_BYTES) throw unpacksTooFar();
    return true;
  });
  return new Map(Object.entries(parts));
}

/** Unpacks the XML files of an Office document. */
export function unpackXml(bytes: Uint8Array): ArchiveParts {
  return unpackZip(bytes, (part) => part.endsWith(".xml") || part.endsWith(".rels"));
}

/** Unpacks the PNG and JPEG pictures of a document, up to `MAX_UNPACKED_BYTES` in total. Further pictures are left out. */
export function unpackPictures(bytes: Uint8Array): [name: string, picture: Uint8Array][] {
  let total = 0;
  const isWanted = (name: string, size: number) => {
    if (!/\.(?:png|jpe?g)$/i.test(name) || /thumbnail/i.test(name)) return false;
    total += size;
    return total <= MAX_UNPACKED_BYTES;
  };
  return Object.entries(walkZip(bytes, isWanted));
}

/** Kind of an OpenDocument file → name of the format. */
const OPEN_DOCUMENT = new Map([
  ["text", "odt"],
  ["spreadsheet", "ods"],
  ["presentation", "odp"],
]);
/** File that only archives of one format contain → name of the format. */
const MAIN_PARTS = {
  "META-INF/container.xml": "epub",
  "word/document.xml": "docx",
  "xl/workbook.xml": "xlsx",
  "ppt/presentation.xml": "pptx",
};
/** Maximum bytes of `mimetype`, the file in an OpenDocument archive that states the kind of document. */
const MAX_MIMETYPE_BYTES = 200;

/** Detects the kind of document by the files in the archive; `zip` is an ordinary archive. */
export function zipKind(bytes: Uint8Array): string {
  const names = new Set<string>();
  const { mimetype } = walkZip(bytes, (name, size) => {
    names.add(name);
    return name === "mimetype" && size <= MAX_MIMETYPE_BYTES;
  });
  const [, known] = Object.entries(MAIN_PARTS).find(([part]) => names.has(part)) ?? [];
  if (known !== undefined) return known;
  const [, kind = ""] = /^application\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(Buffer.from(mimetype ?? []).toString("latin1")) ?? [];
  return (names.has("content.xml") && OPEN_DOCUMENT.get(kind)) || "zip";
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;

/** Checks whether the directory of the archive marks a file as encrypted. */
function hasEncryptedFile(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = bytes.length - END_BYTES;
  while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) end--;
  if (end < 0) return false;
  let at = view.getUint32(end + 16, true);
  while (at + ENTRY_BYTES <= bytes.length && view.getUint32(at, true) === DIRECTORY_ENTRY) {
    if ((view.getUint16(at + 8, true) & 1) === 1) return true;
    at += ENTRY_BYTES + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return false;
}

function walkZip(bytes: Uint8Array, accept: (name: string, size: number) => boolean): Record<string, Uint8Array> {
  if (hasEncryptedFile(bytes)) throw new IngestError("encrypted", "the file has a password: save or pack it without one");
  let parts = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (++parts <= MAX_ARCHIVE_PARTS) return accept(name, originalSize);
        const message = `the archive has more than ${MAX_ARCHIVE_PARTS} files and was not read. Leave it out, or split it`;
        throw new IngestError("unpacks_too_far", message);
      },
    });
  } catch (cause) {
    if (cause instanceof IngestError) throw cause;
    const message = `the file cannot be unpacked (${messageOf(cause)}): it is damaged or truncated; copy or save it again`;
    throw new IngestError("bad_archive", message, {}, { cause });
  }
}

export function unpacksTooFar(limit = MAX_UNPACKED_BYTES): IngestError {
  const message = `the file unpacks to more than ${limit / 1024 / 1024} MB, so nothing was read. Leave it out, or split it`;
  return new IngestError("unpacks_too_far", message, { limit });
}
