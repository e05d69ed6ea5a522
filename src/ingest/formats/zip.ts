import { unzipSync } from "fflate";
import { Parser } from "htmlparser2";
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
  return new Map(
    Object.entries(
      walkZip(bytes, (name, size) => {
        if (!isWanted(name)) return false;
        total += size;
        if (total > MAX_UNPACKED_BYTES) throw unpacksTooFar(MAX_UNPACKED_BYTES);
        return true;
      }),
    ),
  );
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

const OPEN_DOCUMENT: ReadonlyMap<string, "odt" | "ods" | "odp"> = new Map([
  ["text", "odt"],
  ["spreadsheet", "ods"],
  ["presentation", "odp"],
]);
/** Maximum bytes of `mimetype`, the file in an OpenDocument archive that states the kind of document. */
const MAX_MIMETYPE_BYTES = 200;

/** Detects the kind of document by the files in the archive; `zip` is an ordinary archive. */
export function zipKind(bytes: Uint8Array): "docx" | "epub" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "zip" {
  const names = new Set<string>();
  const { mimetype } = walkZip(bytes, (name, size) => {
    names.add(name);
    return name === "mimetype" && size <= MAX_MIMETYPE_BYTES;
  });
  if (names.has("META-INF/container.xml")) return "epub";
  if (names.has("word/document.xml")) return "docx";
  if (names.has("xl/workbook.xml")) return "xlsx";
  if (names.has("ppt/presentation.xml")) return "pptx";
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
        if (++parts > MAX_ARCHIVE_PARTS)
          throw new IngestError(
            "unpacks_too_far",
            `the archive has more than ${MAX_ARCHIVE_PARTS} files and was not read. Leave it out, or split it`,
          );
        return accept(name, originalSize);
      },
    });
  } catch (cause) {
    if (cause instanceof IngestError) throw cause;
    const message = `the file cannot be unpacked (${messageOf(cause)}): it is damaged or truncated; copy or save it again`;
    throw new IngestError("bad_archive", message, {}, { cause });
  }
}

export function unpacksTooFar(limit: number): IngestError {
  const message = `the file unpacks to more than ${limit / 1024 / 1024} MB, so nothing was read. Leave it out, or split it`;
  return new IngestError("unpacks_too_far", message, { limit });
}

interface XmlHandler {
  /** Called for each opening tag. Names have no prefix. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** Parses XML in one pass. Entities that the XML declares itself are not expanded. */
export function walkXml(xml: string, { open, text, close }: XmlHandler): void {
  const local = (name: string) => name.slice(name.indexOf(":") + 1);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open?.(local(name), attributes),
      ontext: (part) => text?.(part),
      onclosetag: (name) => close?.(local(name)),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}
