import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { DocumentHead } from "../store/document-records.ts";
import type { Chunk, TextRange, Window } from "../types.ts";
import { numbered, numberSection, StringColumn, stringSections } from "./columns.ts";
import type { Entry, HeldDocument } from "./indexed-windows.ts";
import { arrayOf, damaged, type Section, type Snapshot } from "./snapshot.ts";

/** Numbers of a chunk and of a window in their sections. */
const CHUNK = { ordinal: 0, start: 1, end: 2, tokens: 3, headings: 4, windowsEnd: 5, length: 6 } as const;
const WINDOW = { start: 0, end: 1, tokens: 2, length: 3 } as const;

/** Where windows stand, for `WindowTable`. Those of a chunk follow each other. */
export function chunkSections(entries: readonly Entry[]): Section[] {
  const chunks = entries.map(({ chunk }) => chunk).filter((chunk, i, all) => chunk !== all[i - 1]);
  const headings = numbered(chunks.map(({ headingPath }) => JSON.stringify(headingPath)));
  let windowsEnd = 0;
  const rows = chunks.map(({ ordinal, start, end, tokens, windows }, i) => {
    windowsEnd += windows.length;
    return [ordinal, start, end, tokens, headings.numbers[i] as number, windowsEnd];
  });
  const ids = chunks.map(({ id }) => id);
  const windows = entries.map(({ window: { start, end, tokens } }) => [start, end, tokens]);
  return [
    ...stringSections("chunkIds", ids),
    ...stringSections("headings", headings.values),
    numberSection("chunks", rows),
    numberSection("windows", windows),
  ];
}

/** Chunks and windows, made when they are asked for. */
export class WindowTable {
  readonly windows: number;
  private readonly chunkRows: Uint32Array;
  private readonly windowRows: Uint32Array;
  private readonly ids: StringColumn;
  private readonly headingNames: StringColumn;
  private readonly headings: string[][] = [];
  private readonly chunks: Chunk[] = [];

  /** @throws SnapshotError when its sections are damaged */
  constructor(snapshot: Snapshot) {
    this.chunkRows = arrayOf(Uint32Array, snapshot.section("chunks"));
    this.windowRows = arrayOf(Uint32Array, snapshot.section("windows"));
    this.ids = new StringColumn(snapshot, "chunkIds");
    this.headingNames = new StringColumn(snapshot, "headings");
    this.windows = this.windowRows.length / WINDOW.length;
    const chunks = this.ids.length;
    if (this.chunkRows.length !== chunks * CHUNK.length || this.windowsEnd(chunks - 1) !== this.windows)
      throw damaged(`${chunks} chunks do not hold its ${this.windows} windows`);
  }

  /** First window after a chunk. */
  windowsEnd(chunk: number): number {
    return chunk < 0 ? 0 : (this.chunkRows[chunk * CHUNK.length + CHUNK.windowsEnd] as number);
  }

  chunk(documentId: string, number: number): Chunk {
    const known = this.chunks[number];
    if (known !== undefined) return known;
    const value = (field: number) => this.chunkRows[number * CHUNK.length + field] as number;
    const windows: Window[] = [];
    for (let i = this.windowsEnd(number - 1); i < this.windowsEnd(number); i++) windows.push(this.readWindow(i));
    const chunk = {
      id: this.ids.get(number),
      documentId,
      ordinal: value(CHUNK.ordinal),
      start: value(CHUNK.start),
      end: value(CHUNK.end),
      tokens: value(CHUNK.tokens),
      headingPath: this.headingPath(value(CHUNK.headings)),
      windows,
    };
    this.chunks[number] = chunk;
    return chunk;
  }

  /** Place of a window in its chunk. */
  placeOf(window: number, chunk: number): number {
    return window - this.windowsEnd(chunk - 1);
  }

  private readWindow(number: number): Window {
    const value = (field: number) => this.windowRows[number * WINDOW.length + field] as number;
    return { start: value(WINDOW.start), end: value(WINDOW.end), tokens: value(WINDOW.tokens) };
  }

  private headingPath(number: number): string[] {
    const known = this.headings[number];
    if (known !== undefined) return known;
    const path = headingSchema.parse(JSON.parse(this.headingNames.get(number)));
    this.headings[number] = path;
    return path;
  }
}

export class LoadedEntry implements Entry {
  readonly document: HeldDocument;
  private readonly table: WindowTable;
  private readonly chunkNumber: number;
  private readonly windowNumber: number;

  constructor(document: HeldDocument, table: WindowTable, chunk: number, window: number) {
    this.document = document;
    this.table = table;
    this.chunkNumber = chunk;
    this.windowNumber = window;
  }

  get chunk(): Chunk {
    return this.table.chunk(this.document.id, this.chunkNumber);
  }

  get window(): Window {
    return this.chunk.windows[this.table.placeOf(this.windowNumber, this.chunkNumber)] as Window;
  }
}

/** A document of a snapshot. Its text stays in the snapshot's bytes until it is asked for. */
export class LoadedDocument implements HeldDocument {
  readonly id: string;
  readonly version: string;
  readonly tenant: string | null;
  readonly access: string;
  readonly path: string;
  readonly title: string;
  readonly description: string | null;
  private readonly texts: TextMemo;
  private readonly number: number;

  constructor(id: string, { version, tenant, access, path, title, description }: DocumentHead, texts: TextMemo, number: number) {
    this.id = id;
    this.version = version;
    this.tenant = tenant;
    this.access = access;
    this.path = path;
    this.title = title;
    this.description = description;
    this.texts = texts;
    this.number = number;
  }

  get text(): string {
    return this.texts.get(this.number);
  }

  textIn({ start, end }: TextRange): string {
    return this.texts.slice(this.number, start, end);
  }
}

/** Texts kept as strings: those of one question, a few times over. */
const MEMO_TEXTS = 256;

/** Texts of a snapshot. */
export class TextMemo {
  private readonly column: StringColumn;
  private readonly memo = new LRUCache<number, string>({ max: MEMO_TEXTS });

  constructor(column: StringColumn) {
    this.column = column;
  }

  get length(): number {
    return this.column.length;
  }

  /** Read from the bytes: of most documents that a question finds, one window is looked at. */
  slice(number: number, start: number, end: number): string {
    return this.memo.get(number)?.slice(start, end) ?? this.column.slice(number, start, end);
  }

  get(number: number): string {
    const text = this.memo.get(number) ?? this.column.get(number);
    this.memo.set(number, text);
    return text;
  }
}

const headingSchema = z.array(z.string());
