import { originalPlaceOf } from "../../text/original-place.ts";
import type { FormatSource } from "../formats/format.ts";
import { type ParsedDocument, parseFile, readDocuments } from "../parse.ts";

const fileOf = (path: string, source: string | Uint8Array) => ({
  path,
  bytes: typeof source === "string" ? Buffer.from(source) : source,
});

function firstOf([document]: readonly ParsedDocument[], path: string): ParsedDocument {
  if (document === undefined) throw new Error(`${path} holds no document`);
  return document;
}

/**
 * Parses a text file and returns its first document.
 * @throws if the file contains none
 */
export function parseFirst(path: string, source: string | Uint8Array): ParsedDocument {
  return firstOf(parseFile(fileOf(path, source)), path);
}

/**
 * Reads a file of any format and returns its first document.
 * @throws if the file contains none
 */
export async function readFirst(
  path: string,
  source: string | Uint8Array,
  recogniser: FormatSource["recogniser"] = null,
): Promise<ParsedDocument> {
  return firstOf(await readDocuments(fileOf(path, source), recogniser), path);
}

/**
 * Returns the place in the original file where a quote first occurs.
 * @throws if the document does not contain the quote
 */
export function placeOf(document: ParsedDocument, quote: string): ReturnType<typeof originalPlaceOf> {
  const start = document.text.indexOf(quote);
  if (start < 0) throw new Error(`the document does not contain "${quote}"`);
  return originalPlaceOf({ ...document, normaliser: "test" }, { start, end: start + quote.length });
}
