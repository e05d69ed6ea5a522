import { z } from "zod";

/** A hard partition of documents: every query of the store filters by domain, tenant and access labels. */
export interface Scope {
  readonly domain: string;
  /** A party inside the domain; `null` sees only documents without a tenant. */
  readonly tenant: string | null;
  /** Access labels granted to the request; a document is visible if its label is among them. */
  readonly access: readonly string[];
  /** Id of the API key of an HTTP request; absent without a key. A session belongs to the key that started it. */
  readonly caller?: string | undefined;
}

/** A half-open range `[start, end)` of UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export interface DocumentMetadata {
  readonly title: string;
  readonly description: string | null;
  readonly url: string | null;
  /** ISO date on which the content was valid, if stated. */
  readonly asOf: string | null;
  readonly authority: "regulation" | "agency" | "summary" | null;
  readonly topic: string | null;
  readonly subtopic: string | null;
  readonly type: "policy" | "definition" | "rating_table" | null;
}

export type BlockType = "heading" | "paragraph" | "list-item" | "table-row" | "quote" | "code";

/** A structural part of the normalised text. Blocks are ordered and do not overlap; only white space separates them. */
export interface Block extends TextRange {
  readonly type: BlockType;
  /** Level of a heading (1 to 6), or nesting depth of a list item (from 1); 0 for all other blocks. */
  readonly level: number;
  /**
   * For a table row, the index in `blocks` of the header row of its table; a header row has its own index. -1 without a
   * header.
   */
  readonly header: number;
  /**
   * End of the run-in heading; absent without one. A run-in heading is bold text at the start of a paragraph or item
   * that ends in a full stop, colon or dash.
   */
  readonly runIn?: number;
  /**
   * End of a heading's section, if something other than a heading ends the section (for example the end of a `details`
   * element). Absent if the section ends at the next heading of its level or above.
   */
  readonly sectionEnd?: number;
}

/** The smallest quotable text: a sentence, list item, table row or heading. If possible, chunks are cut between units. */
export interface Unit extends TextRange {
  readonly type: BlockType;
  readonly block: number;
}

/** A range of a document with its text. */
export interface SourceText extends TextRange {
  readonly text: string;
}

/** A unit with its context. The context may lie outside the passage that contains the unit. */
export interface PlacedUnit extends Unit {
  /** Headings above the unit, outermost first. For a heading, the path includes the heading itself. */
  readonly headingPath: readonly string[];
  /** Page on which the unit begins, from 1; `null`: the document has no pages. */
  readonly page: number | null;
  /**
   * Text that introduces the unit: the sentence above a list, the parent item, the label row above a table row, or the
   * run-in heading of a paragraph. `null` without one.
   */
  readonly leadIn: SourceText | null;
  /** Header of the table, for a row; otherwise `null`. */
  readonly header: SourceText | null;
  /** Sentence above the table that introduces it, for a row; otherwise `null`. */
  readonly caption: SourceText | null;
}

/** A heading. Its section ends at the next heading of the same or a higher level. */
export interface Heading {
  readonly start: number;
  readonly level: number;
  readonly text: string;
}

/** An indexed part of a chunk: 128–256 tokens, or fewer if the chunk is shorter. */
export interface Window extends TextRange {
  readonly tokens: number;
}

/** A stored part of a document with exact offsets. */
export interface Chunk extends TextRange {
  readonly id: string;
  readonly documentId: string;
  readonly ordinal: number;
  readonly tokens: number;
  /** Headings above the start of the chunk, outermost first. */
  readonly headingPath: readonly string[];
  readonly windows: readonly Window[];
}

/** A stored document: normalised text, structure, and a map to the original. */
export interface StoredDocument extends DocumentMetadata {
  readonly id: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: string;
  /**
   * Folder or other origin of the file. An ingest of this source deletes its stored documents whose files no longer exist.
   * It never deletes documents of another source.
   */
  readonly source: string;
  /**
   * Path of the file relative to the source, with `/` as separator. An entry of a JSON file has `file.json#entry_id`.
   */
  readonly path: string;
  /** SHA-256 (hex) of the original bytes. */
  readonly originalHash: string;
  /** SHA-256 (hex) of normalised text, metadata, structure settings and normaliser version. */
  readonly version: string;
  readonly normaliser: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly units: readonly Unit[];
  readonly chunks: readonly Chunk[];
  readonly sourceMap: SourceMapData;
  /** Start of each page in the text, page 1 first; absent or `null` without pages. A blank page starts where the next one does. */
  readonly pages?: readonly number[] | null;
  /** How the file was parsed; absent in documents stored by older versions, which were all UTF-8 text. */
  readonly reading?: Reading;
}

/**
 * The unit of offsets into the original. `utf16`: UTF-16 code units of the decoded file. `extracted_utf16`: UTF-16 code
 * units of the text that a parser extracted, such as the words of a PDF.
 */
export type OriginalUnit = "utf16" | "extracted_utf16";

/** How a file was parsed. */
export interface Reading {
  /** Name of the format, such as `pdf`. */
  readonly format: string;
  readonly unit: OriginalUnit;
  /** Encoding of the file, such as `utf-8` or `windows-1252`; `null` if the file is not text. */
  readonly encoding: string | null;
  readonly places: PlaceData | null;
  /** Notices for whoever reads a quote, e.g. about skipped hidden text, pages without text or guessed fields. */
  readonly notices: readonly ReadingNotice[];
}

export interface ReadingNotice {
  /**
   * `pages_without_text`, `figures_without_text`, `hidden_text`, `struck_text`, `encoding_guessed`, `fields_guessed`, `wrong_extension`,
   * `attachments`, `left_out`, `scripts`, `not_english`, `recognised_text`.
   */
  readonly code: string;
  readonly message: string;
  /** Affected pages, from 1. */
  readonly pages?: readonly number[];
  /** Number of pictures and charts; only for `figures_without_text` and `recognised_text`. */
  readonly count?: number;
  /** Start and end, in the original, of each text recognised in a picture, as one flat list; only for `recognised_text`. */
  readonly ranges?: readonly number[];
}

/**
 * Where the characters of the original are: on pages, in cells, in the files of an archive, or in time. Records are
 * ordered by `start` and do not overlap. The records of words and of cells are joined into one flat list of numbers.
 */
export type PlaceData =
  /**
   * A record `[start, end, page, x, y, width, height]` per word. Boxes are in tenths of a point from the upper left
   * corner of the displayed page. `sizes` holds width and height of each page, `printed` its printed number, if stated.
   */
  | { readonly type: "boxes"; readonly words: readonly number[]; readonly sizes: readonly number[]; readonly printed?: readonly string[] }
  /**
   * A record `[start, end, row, column]` per cell; rows and columns count from 1. `sheets` holds start and name of each
   * sheet.
   */
  | { readonly type: "cells"; readonly cells: readonly number[]; readonly sheets: readonly (readonly [number, string])[] }
  /** Start and name of each file of an archive. */
  | { readonly type: "parts"; readonly parts: readonly (readonly [number, string])[] }
  /** Start, time in milliseconds and speaker of each part of a transcript. */
  | { readonly type: "times"; readonly cues: readonly (readonly [number, number, string | null])[] };

/**
 * A map from normalised to original text: segments `[outStart, outEnd, sourceStart, sourceEnd]` in one flat list,
 * ordered by `outStart`. In a segment with ranges of equal length, every offset is mapped. Otherwise only the whole range is.
 */
export type SourceMapData = readonly number[];

/** A web address (http or https); `null` if the address is missing or of another kind. */
export const webUrl = z.string().nullable();

/** A reference to a document, in wire format. */
export const sourceSchema = z.object({
  document_id: z.string(),
  document_version: z.string(),
  title: z.string(),
  url: webUrl,
  as_of: z.string().nullable(),
});
/** Fields of a reference without the date. */
export const undatedSource = sourceSchema.omit({ as_of: true }).shape;
