/** Who asks in which body of knowledge. A hard partition: every query of the store filters by all three. */
export interface Scope {
  readonly domain: string;
  /** A party inside the domain; `null` sees only what belongs to no tenant. */
  readonly tenant: string | null;
  /** Access labels granted to the request; a document is visible when its label is among them. */
  readonly access: readonly string[];
  /** Id of the key that asks over HTTP: sessions are its own. Absent without one. */
  readonly caller?: string | undefined;
}

/** Half-open range `[start, end)` of UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export type DocumentType = "policy" | "definition" | "rating_table";

export type Authority = "regulation" | "agency" | "summary";

/** What is known of a document besides its text. */
export interface DocumentMetadata {
  readonly title: string;
  readonly description: string | null;
  readonly url: string | null;
  /** ISO date for which the content holds, if the document states one. */
  readonly asOf: string | null;
  readonly authority: Authority | null;
  readonly topic: string | null;
  readonly subtopic: string | null;
  readonly type: DocumentType | null;
}

export type BlockType = "heading" | "paragraph" | "list-item" | "table-row" | "quote" | "code";

/** A structural piece of the normalised text. Blocks are in order and do not overlap; between two stands white space only. */
export interface Block extends TextRange {
  readonly type: BlockType;
  /** Headings: 1 to 6. List items: depth from 1. Otherwise 0. */
  readonly level: number;
  /** Table rows: index into `blocks` of the table's header row (its own index if it is the header); otherwise -1. */
  readonly header: number;
  /** Where the run-in head of a paragraph or item ends, the bold words with which it begins and that a stop, a colon or a dash ends; absent: it has none. */
  readonly runIn?: number;
  /** Of headings: the offset where what they head ends, though no heading follows (the end of a `details`); absent: it goes on to the next of their level. */
  readonly sectionEnd?: number;
}

/** A sentence, list item, table row or heading: the smallest thing that is quoted, and where chunks may be cut. */
export interface Unit extends TextRange {
  readonly type: BlockType;
  /** Index of the block that it lies in. */
  readonly block: number;
}

/** A stretch of a document with its text. */
export interface SourceText extends TextRange {
  readonly text: string;
}

/** A unit with where it stands. What it names may lie outside the passage that holds it. */
export interface PlacedUnit extends Unit {
  /** Headings above it, outermost first; of a heading with itself. */
  readonly headingPath: readonly string[];
  /** From 1; `null`: the document has no pages. */
  readonly page: number | null;
  /** Of a list item: the sentence that announces the list, or the item in which it stands. Of a row: the row above that labels it. Of a later sentence: the run-in head of its paragraph. */
  readonly leadIn: SourceText | null;
  /** Of a table's row: its table's header. */
  readonly header: SourceText | null;
  /** Of a table's row: the sentence above its table that introduces it. */
  readonly caption: SourceText | null;
}

/** A heading of a document: what it opens reaches to the next one of its level or above. */
export interface Heading {
  readonly start: number;
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
}

/** An indexed piece inside a chunk, 128–256 tokens where the chunk has them. */
export interface Window extends TextRange {
  readonly tokens: number;
}

/** A stored piece of a document with exact offsets. */
export interface Chunk extends TextRange {
  readonly id: string;
  readonly documentId: string;
  readonly ordinal: number;
  readonly tokens: number;
  /** Headings above the chunk's start, outermost first. */
  readonly headingPath: readonly string[];
  readonly windows: readonly Window[];
}

/** A document as stored: normalised text, structure, and the way back to the original. */
export interface StoredDocument extends DocumentMetadata {
  readonly id: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: string;
  /** The folder (or other origin) that it was read from; deletions are computed inside one source. */
  readonly source: string;
  /** Path relative to the source, with `/`. For JSON chunks `file.json#entry_id`. */
  readonly path: string;
  /** SHA-256 (hex) of the original bytes. */
  readonly originalHash: string;
  /** SHA-256 (hex) of normalised text, metadata, structure settings and normaliser version: the document's version. */
  readonly version: string;
  readonly normaliser: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly units: readonly Unit[];
  readonly chunks: readonly Chunk[];
  readonly sourceMap: SourceMapData;
  /** Where each page begins in the text, page 1 first; absent or `null`: the original has no pages. A blank page begins where the next one does. */
  readonly pages?: readonly number[] | null;
  /** How the file became text; absent for documents that were stored before this was kept, which were all UTF-8 text. */
  readonly reading?: Reading;
}

/**
 * What offsets into the original count. `utf16`: UTF-16 code units of the file's own characters, decoded. `extracted_utf16`: UTF-16 code units of the
 * text that the format's reader took out of the file, such as the words of a PDF.
 */
export type OriginalUnit = "utf16" | "extracted_utf16";

/** How a file became text. */
export interface Reading {
  /** Name of the format, such as `pdf`. */
  readonly format: string;
  readonly unit: OriginalUnit;
  /** How the file's bytes were decoded, such as `utf-8` or `windows-1252`; `null`: the file is no text. */
  readonly encoding: string | null;
  readonly places: PlaceData | null;
  /** What a reader of quotes should know: text that was left out because it is hidden, pages without text, fields that were guessed. */
  readonly notices: readonly ReadingNotice[];
}

export interface ReadingNotice {
  /** `pages_without_text`, `hidden_text`, `struck_text`, `encoding_guessed`, `fields_guessed`, `wrong_extension`, `attachments`, `left_out`, `scripts`, `not_english`. */
  readonly code: string;
  readonly message: string;
  /** Pages that it concerns, from 1. */
  readonly pages?: readonly number[];
}

/** Where stretches of the original's characters stand on pages, in cells or in parts of an archive. Flattened, in order of `start`, not overlapping. */
export type PlaceData =
  /** `[start, end, page, x, y, width, height]` for every word, in tenths of a point from the upper left corner of the page as it is shown. */
  | { readonly type: "boxes"; readonly words: readonly number[]; readonly sizes: readonly number[] }
  /** `[start, end, row, column]` for every cell, both from 1. `sheets`: where each sheet begins, with its name. */
  | { readonly type: "cells"; readonly cells: readonly number[]; readonly sheets: readonly (readonly [number, string])[] }
  /** Where each file of an archive begins, with its name. */
  | { readonly type: "parts"; readonly parts: readonly (readonly [number, string])[] };

/**
 * Map from normalised text to original text, as segments `[outStart, outEnd, sourceStart, sourceEnd]` flattened, in order of `outStart`.
 * A segment whose two lengths are equal maps offset by offset; any other maps as a whole.
 */
export type SourceMapData = readonly number[];
