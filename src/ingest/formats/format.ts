import { IngestError } from "../../shared/errors.ts";
import { decodeText } from "../encoding.ts";
import { MAX_TEXT_BYTES } from "../limits.ts";
import type { FormatResult } from "./parsed.ts";
import type { Recogniser } from "./pdf/recognise.ts";

export interface FormatFile {
  /** Path relative to the ingested folder, with `/` as separator. It is used in messages only. */
  readonly path: string;
  /** File name without extension. It is the title if the content states none. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A file, with what its format may need to read it. */
export interface FormatSource extends FormatFile {
  /** Recognises text in pictures (OCR). If `null`, scanned pages and pictures have no text. */
  readonly recogniser: Recogniser | null;
  /** Reads the files inside this one. */
  readonly inner: InnerFiles;
}

/** Reads files inside another file: attachments of a mail, or files in an archive. */
export interface InnerFiles {
  /** Extensions of the files to read, in lower case with the dot. */
  readonly extensions: readonly string[];
  /** @throws IngestError the codes of the file's format, `too_deep`, `unpacks_too_far` */
  read(path: string, bytes: Uint8Array): Promise<readonly FormatResult[]>;
}

/** A file format and its reader. */
export interface Format {
  /** Short name, such as `pdf`. It is stored with each document. */
  readonly name: string;
  /** File name extensions, in lower case with the dot. */
  readonly extensions: readonly string[];
  /** Increase this when a change of the code changes the result for some file, so that files are read again. */
  readonly version: number;
  /** @throws IngestError */
  readonly read: (file: FormatSource) => readonly FormatResult[] | Promise<readonly FormatResult[]>;
}

/** A format whose files are read synchronously. */
export interface TextFormat extends Format {
  readonly read: (file: FormatFile) => readonly FormatResult[];
}

/** Creates a format for text files in any encoding. */
export function textFormat(
  name: string,
  extensions: readonly string[],
  version: number,
  parse: (source: string, name: string) => readonly FormatResult[],
): TextFormat {
  return {
    name,
    extensions,
    version,
    read: ({ bytes, name: title }) => {
      if (bytes.length > MAX_TEXT_BYTES) {
        const [size, limit] = [bytes.length, MAX_TEXT_BYTES].map((one) => one / 1024 / 1024);
        const message = `the file has ${size?.toFixed(1)} MB; the limit is ${limit} MB: split it, or leave it out`;
        throw new IngestError("file_too_large", message, { bytes: bytes.length, limit: MAX_TEXT_BYTES });
      }
      const { text, encoding, notices } = decodeText(bytes);
      return parse(text, title).map((result) => ({ ...result, encoding, notices: [...notices, ...(result.notices ?? [])] }));
    },
  };
}

/** Returns the extension in lower case with the dot, or an empty string. */
export function extensionOf(path: string): string {
  return /[^/\\](\.[^./\\]*)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

export function nameOf(path: string): string {
  const file = path.split("/").at(-1) ?? path;
  return file.replace(/\.[^.]*$/, "") || file;
}

/** Extension of an unsupported format → format to save the file in. */
const SAVE_AS: ReadonlyMap<string, string> = new Map([
  ...[".doc", ".dot", ".wps", ".wpd", ".pages"].map((extension) => [extension, "DOCX"] as const),
  ...[".xls", ".xlt", ".xlsb", ".numbers"].map((extension) => [extension, "XLSX"] as const),
  ...[".ppt", ".pps", ".pot", ".key"].map((extension) => [extension, "PPTX"] as const),
  [".msg", "EML"],
]);

/** Returns advice on how to convert a file of an unsupported format; empty if there is none. */
export function conversionOf(extension: string): string {
  const target = SAVE_AS.get(extension);
  return target === undefined ? "" : `: open it, and save it as ${target}`;
}
