import { detectLanguage } from "../guard/detect-language.ts";
import { IngestError } from "../shared/errors.ts";
import type { Block, DocumentMetadata, Reading, ReadingNotice, SourceMapData, StoredDocument, TextRange, Unit } from "../shared/types.ts";
import { sha256Hex } from "../text/hash.ts";
import { documentPath } from "../text/paths.ts";
import { splitSentences } from "../text/sentences.ts";
import { type FormatFile, nameOf } from "./formats/format.ts";
import { chooseFormat, createInnerFiles, TEXT_FORMATS } from "./formats/formats.ts";
import { type FormatResult, statedDay, topLines } from "./formats/parsed.ts";
import { RECOGNITION_PACKAGES, type Recogniser } from "./formats/pdf/recognise.ts";

/**
 * Maximum length of a list item or code block that is a single unit, in characters. A longer item is split by sentence,
 * longer code by line.
 */
const WHOLE_UNIT_MAX_CHARS = 400;

/**
 * Returns the units of a text: the smallest quotable ranges, such as sentences, short list items, table rows and
 * headings. Together they cover all blocks.
 */
export function unitsOf(text: string, blocks: readonly Block[]): Unit[] {
  return blocks.flatMap((block, index) => rangesOf(text, block).map(({ start, end }) => ({ start, end, type: block.type, block: index })));
}

function rangesOf(text: string, block: Block): TextRange[] {
  const { start, end, type, runIn = start } = block;
  const isWhole =
    type === "heading" || type === "table-row" || ((type === "list-item" || type === "code") && end - start <= WHOLE_UNIT_MAX_CHARS);
  if (isWhole) return [{ start, end }];
  const content = text.slice(start, end);
  const ranges = type === "code" ? linesOf(content) : splitSentences(content);
  return withHead(
    ranges.map((range) => ({ start: range.start + start, end: range.end + start })),
    runIn,
  );
}

/** Joins a run-in heading (bold words before the text, e.g. "Opening hours:") to the sentence after it: alone it states nothing. */
function withHead(ranges: readonly TextRange[], runIn: number): TextRange[] {
  const [first] = ranges;
  const next = ranges.findIndex(({ end }) => end > runIn);
  return first === undefined || next < 1
    ? [...ranges]
    : [{ start: first.start, end: (ranges[next] as TextRange).end }, ...ranges.slice(next + 1)];
}

function linesOf(content: string): TextRange[] {
  return [...content.matchAll(/\S[^\n]*/g)].map((match) => ({ start: match.index, end: match.index + match[0].trimEnd().length }));
}

/** A parsed file, or one entry of a JSON file, before it gets an id and a domain. */
export interface ParsedDocument extends Pick<StoredDocument, "text" | "blocks" | "units"> {
  /** Path relative to the root folder of the ingest; `file.json#entry_id` for entries of a file. */
  readonly path: string;
  readonly metadata: DocumentMetadata;
  /** Access label and tenant that the document states. `null` if it states none; then those of the ingest apply. */
  readonly access: string | null;
  readonly tenant: string | null;
  /** Maps offsets of `text` to offsets of the original, counted in `reading.unit`. A byte order mark counts as one unit. */
  readonly sourceMap: SourceMapData;
  /** Offset in `text` at which each page begins, page 1 first; `null` if the file has no pages. */
  readonly pages: readonly number[] | null;
  readonly reading: Reading;
  /** SHA-256 (hex) of the file's bytes. */
  readonly originalHash: string;
}

/**
 * Parses a file of any format into documents with normalised text, structure and source map. An empty file gives a document without text.
 *
 * @throws IngestError `unsupported_format`, `file_too_large`, `binary_file`, `wrong_content`, `bad_front_matter`, `bad_json`,
 * `duplicate_entry`, `too_deep`, `unpacks_too_far` and the format's own codes; the message begins with the path
 */
export async function readDocuments(
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
  recogniser: Recogniser | null = null,
): Promise<ParsedDocument[]> {
  try {
    const chosen = chooseFormat(path, bytes);
    const file = { path, name: nameOf(path), bytes };
    return toDocuments(file, chosen, await chosen.format.read({ ...file, recogniser, inner: createInnerFiles(recogniser) }));
  } catch (error) {
    throw withPath(error, path);
  }
}

/**
 * Parses a file of a text format (`TEXT_FORMATS`) synchronously.
 * @throws IngestError as `readDocuments`
 * @example parseFile({ path: "a.md", bytes: Buffer.from("# Hello") })[0]?.metadata.title // "Hello"
 */
export function parseFile({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }): ParsedDocument[] {
  try {
    const chosen = chooseFormat(path, bytes);
    const text = TEXT_FORMATS.find(({ name }) => name === chosen.format.name);
    if (text === undefined) throw new IngestError("unsupported_format", `${chosen.format.name} is not a text format: use readDocuments()`);
    const file = { path, name: nameOf(path), bytes };
    return toDocuments(file, chosen, text.read(file));
  } catch (error) {
    throw withPath(error, path);
  }
}

function toDocuments(
  { path, bytes }: FormatFile,
  { format, notices }: ReturnType<typeof chooseFormat>,
  results: readonly FormatResult[],
): ParsedDocument[] {
  const originalHash = sha256Hex(bytes);
  return results.map((result) => ({
    path: result.entryId === undefined ? documentPath(path) : `${documentPath(path)}#${result.entryId}`,
    metadata: { ...result.metadata, asOf: result.metadata.asOf ?? statedDay(topLines(result)) },
    access: result.access ?? null,
    tenant: result.tenant ?? null,
    text: result.text,
    blocks: result.blocks,
    units: unitsOf(result.text, result.blocks),
    sourceMap: result.sourceMap,
    pages: result.pages ?? null,
    reading: {
      format: result.format ?? format.name,
      unit: result.unit ?? "utf16",
      encoding: result.encoding ?? null,
      places: result.places ?? null,
      notices: [...notices, ...(result.notices ?? []), ...emptyNotice(result), ...languageNotice(result.text)],
    },
    originalHash,
  }));
}

/**
 * Returns a notice if no text was found in a file. For PDFs, a notice of their parser names the pages without text.
 */
function emptyNotice({ text, encoding, pages }: FormatResult): ReadingNotice[] {
  if (text.trim() !== "" || pages?.length) return [];
  const packages = RECOGNITION_PACKAGES.join(" and ");
  // Only text formats have an encoding; a file of another format may be a scan.
  const cause =
    typeof encoding === "string"
      ? "no question can find the file"
      : `the file may contain only pictures. Install ${packages} beside this program, and ingest it again`;
  return [{ code: "no_text", message: `no text was found: ${cause}.` }];
}

/** Maximum characters from which the language of a document is detected. */
const LANGUAGE_SAMPLE = 5_000;

function languageNotice(text: string): ReadingNotice[] {
  const spokenLanguage = detectLanguage(text.slice(0, LANGUAGE_SAMPLE));
  if (spokenLanguage === null || spokenLanguage === "English") return [];
  const message = `the text seems to be in another language (${spokenLanguage}): this version supports only English, so its answers from this text are unreliable`;
  return [{ code: "not_english", message }];
}

/** Puts the path of the file before the message of an ingest error; returns any other error unchanged. */
function withPath(error: unknown, path: string): unknown {
  if (!(error instanceof IngestError)) return error;
  return new IngestError(error.code, `${path}: ${error.message}`, { ...error.data, path }, { cause: error });
}
