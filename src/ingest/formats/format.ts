import { IngestError } from "../../shared/errors.ts";
import { decodeText } from "../encoding.ts";
import { MAX_TEXT_BYTES } from "../limits.ts";
import type { FormatResult } from "./parsed.ts";
import type { Recogniser } from "./pdf/recognise.ts";

/** A file as a format gets it. */
export interface FormatFile {
  /** Relative to the source, with `/`; for messages only. */
  readonly path: string;
  /** File name without its ending: the title of what has no other. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Reads pictures of text; absent: pages that are pictures stay without text. */
  readonly recogniser?: Recogniser | null;
}

/** How files of one kind become documents. */
export interface Format {
  /** Short, such as `pdf`; stored with every document. */
  readonly name: string;
  /** Endings of file names, in lower case with the dot. */
  readonly extensions: readonly string[];
  /** What the reader of this version makes of a file stays the same: raise it when that changes, and files are read anew. */
  readonly version: number;
  /** @throws IngestError */
  readonly read: (file: FormatFile) => readonly FormatResult[] | Promise<readonly FormatResult[]>;
}

/** A format whose files are read at once. */
export interface TextFormat extends Format {
  readonly read: (file: FormatFile) => readonly FormatResult[];
}

/** A format whose files are text, in any encoding. */
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
      if (bytes.length > MAX_TEXT_BYTES) throw textTooLarge(bytes.length);
      const { text, encoding, notices } = decodeText(bytes);
      return parse(text, title).map((result) => ({ ...result, encoding, notices: [...notices, ...(result.notices ?? [])] }));
    },
  };
}

/** What is said of a text of more bytes than a document may have, with the path before it where it is given. */
export function textTooLarge(bytes: number, path = ""): IngestError {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  const message = `${path === "" ? "" : `${path}: `}${size} is more than the ${MAX_TEXT_BYTES / 1024 / 1024} MB that a document may have: split it, or leave it out`;
  return new IngestError("file_too_large", message, { bytes, limit: MAX_TEXT_BYTES });
}

/** Ending of a file's name in lower case with the dot; empty: it has none. */
export function extensionOf(path: string): string {
  return /[^/\\](\.[^./\\]*)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** File name without its ending. */
export function nameOf(path: string): string {
  const file = path.split("/").at(-1) ?? path;
  return file.replace(/\.[^.]*$/, "") || file;
}
