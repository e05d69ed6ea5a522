import { isUtf8 } from "node:buffer";
import { IngestError } from "../errors.ts";
import { sha256Hex } from "../text/hash.ts";
import type { Block, DocumentMetadata, SourceMapData, Unit } from "../types.ts";
import { parseHtml } from "./formats/html.ts";
import { type JsonEntry, parseJson, parseJsonLines } from "./formats/json.ts";
import { parseMarkdown } from "./formats/markdown.ts";
import type { FormatResult } from "./formats/parsed.ts";
import { parseText } from "./formats/text.ts";
import { unitsOf } from "./units.ts";

/** A file, or one entry of a JSON file, as a document that has no identity yet. */
export interface ParsedDocument {
  /** Path relative to the source; for JSON entries `file.json#entry_id`. */
  readonly path: string;
  readonly metadata: DocumentMetadata;
  /** Access label and tenant that the document states itself; `null` where it leaves them to its domain. */
  readonly access: string | null;
  readonly tenant: string | null;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly units: readonly Unit[];
  /** From `text` to UTF-16 offsets of the file decoded as UTF-8; a byte order mark counts as one. */
  readonly sourceMap: SourceMapData;
  /** Where each page begins in `text`, page 1 first; `null`: the file has no pages. */
  readonly pages: readonly number[] | null;
  /** SHA-256 (hex) of the file's bytes. */
  readonly originalHash: string;
}

/**
 * Largest file that is read, in bytes: the longest book has about 10 MB of text, and a larger file is nearly always an export or a
 * log that would answer no question.
 */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

type Format = (source: string, name: string) => readonly (FormatResult | JsonEntry)[];

const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  [".md", (source, name) => [parseMarkdown(source, name)]],
  [".markdown", (source, name) => [parseMarkdown(source, name)]],
  [".txt", (source, name) => [parseText(source, name)]],
  [".text", (source, name) => [parseText(source, name)]],
  [".html", (source, name) => [parseHtml(source, name)]],
  [".htm", (source, name) => [parseHtml(source, name)]],
  [".json", parseJson],
  [".jsonl", parseJsonLines],
]);

/** File name endings that `parseFile` reads, in lower case with the dot. */
export const supportedExtensions: readonly string[] = [...FORMATS.keys()];

/**
 * Turns a file into documents with normalised text, structure and the map back to the file. An empty file is a document without text.
 *
 * @throws IngestError `unsupported_format`, `file_too_large`, `binary_file`, `not_utf8`, `bad_front_matter`, `bad_json`, `bad_entry`,
 * `duplicate_entry`, `too_deep`; the message begins with the path.
 * @example parseFile({ path: "a.md", bytes: Buffer.from("# Hello") })[0]?.metadata.title // "Hello"
 */
export function parseFile({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }): ParsedDocument[] {
  try {
    const format = FORMATS.get(extensionOf(path));
    if (format === undefined) {
      const message = `no format for "${extensionOf(path)}": use one of ${supportedExtensions.join(" ")}`;
      throw new IngestError("unsupported_format", message, { extension: extensionOf(path) });
    }
    const originalHash = sha256Hex(bytes);
    return format(decode(bytes), nameOf(path)).map((result) => ({
      path: "entryId" in result ? `${path}#${result.entryId}` : path,
      metadata: result.metadata,
      access: result.access,
      tenant: result.tenant,
      text: result.text,
      blocks: result.blocks,
      units: unitsOf(result.text, result.blocks),
      sourceMap: result.sourceMap,
      pages: ("pages" in result ? result.pages : null) ?? null,
      originalHash,
    }));
  } catch (error) {
    if (!(error instanceof IngestError)) throw error;
    throw new IngestError(error.code, `${path}: ${error.message}`, { ...error.data, path }, { cause: error });
  }
}

function decode(bytes: Uint8Array): string {
  if (bytes.length > MAX_FILE_BYTES) {
    const size = `${(bytes.length / 1024 / 1024).toFixed(1)} MB`;
    const message = `${size} is more than the ${MAX_FILE_BYTES / 1024 / 1024} MB that a document may have: split it, or leave it out`;
    throw new IngestError("file_too_large", message, { bytes: bytes.length, limit: MAX_FILE_BYTES });
  }
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new IngestError("not_utf8", "this is UTF-16 text: save it as UTF-8", { offset: 0 });
  }
  const nul = bytes.indexOf(0);
  const isPdf = first === 0x25 && second === 0x50 && bytes[2] === 0x44 && bytes[3] === 0x46;
  if (nul >= 0 || isPdf) {
    const why = isPdf ? "this is a PDF" : `byte ${nul} is NUL`;
    throw new IngestError("binary_file", `${why}, so the file is not text: export it as text, markdown or HTML, or leave it out`, {
      offset: Math.max(0, nul),
    });
  }
  if (!isUtf8(bytes)) {
    const offset = firstInvalidByte(bytes);
    throw new IngestError("not_utf8", `byte ${offset} is not valid UTF-8: save the file as UTF-8`, { offset });
  }
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Where the first byte sequence begins that is no UTF-8, by halving. */
function firstInvalidByte(bytes: Uint8Array): number {
  const isValid = (end: number, mayEndInside: boolean): boolean => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, end), { stream: mayEndInside });
      return true;
    } catch {
      return false;
    }
  };
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isValid(middle, true)) low = middle;
    else high = middle - 1;
  }
  while (low > 0 && !isValid(low, false)) low--;
  return low;
}

function extensionOf(path: string): string {
  return /\.[^./\\]*$/.exec(path)?.[0].toLowerCase() ?? "";
}

function nameOf(path: string): string {
  const file = path.split("/").at(-1) ?? path;
  return file.replace(/\.[^.]*$/, "") || file;
}
