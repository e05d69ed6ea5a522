import { chunkDocument } from "../../../src/ingest/chunk.ts";
import { unitsOf } from "../../../src/ingest/parse.ts";
import type { Block, BlockType, StoredDocument, TextRange } from "../../../src/shared/types.ts";

/** A passage of a set in its document; `lines` map its offsets to the document's. */
export interface Place extends TextRange {
  readonly key: string;
  readonly lines: readonly { readonly from: number; readonly at: number; readonly length: number }[];
}

/** A stored document with the passages it was made of. */
export interface MadeDocument {
  readonly document: StoredDocument;
  readonly places: readonly Place[];
}

/** Part of a document: the lines of a passage (named by `key`), a heading, or the rows of a table (the first is the header). */
export type Piece =
  | { readonly type: "passage"; readonly key: string; readonly text: string }
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "table"; readonly key: string; readonly rows: readonly (readonly string[])[] };

const HEADING = /^(#{1,6})\s*(?=\S)/;
const BULLET = /^(?:[*•·]|-)\s+/;

/** Creates a document with the product's blocks, sentences, chunks and windows. A question with a scope searches only documents of it. */
export function makeDocument(id: string, title: string, scope: string | null, pieces: readonly Piece[]): MadeDocument {
  const writer = new Writer();
  for (const piece of pieces) {
    if (piece.type === "heading") writer.block("heading", piece.text.trim(), { level: piece.level });
    else if (piece.type === "table") writer.table(piece.key, piece.rows);
    else writer.passage(piece.key, piece.text);
  }
  const { text, blocks, places } = writer;
  const units = unitsOf(text, blocks);
  const chunks = chunkDocument({ text, blocks, units }).map((chunk) => ({ ...chunk, id: `${id}-${chunk.ordinal}`, documentId: id }));
  const document: StoredDocument = {
    ...{ id, domain: "set", tenant: scope, access: "public", source: "set", path: id, title, description: null, url: null },
    ...{ asOf: null, authority: null, topic: null, subtopic: null, type: null },
    ...{ originalHash: "", version: "1", normaliser: "1", sourceMap: [], pages: null },
    ...{ text, blocks, units, chunks },
  };
  return { document, places };
}

/** Maps a range of a passage to the document; `null`: it is in no line. */
export function rangeIn(place: Place, [start, end]: readonly [number, number]): TextRange | null {
  const first = place.lines.find(({ from, length }) => start < from + length);
  const last = place.lines.findLast(({ from }) => from < end);
  if (first === undefined || last === undefined) return null;
  const range = {
    start: first.at + Math.max(0, start - first.from),
    end: last.at + Math.min(last.length, end - last.from),
  };
  return range.start < range.end ? range : null;
}

class Writer {
  text = "";
  readonly blocks: Block[] = [];
  readonly places: Place[] = [];

  block(type: BlockType, text: string, { level = 0, header = -1 } = {}): number {
    const previous = this.blocks.at(-1);
    if (previous !== undefined) this.text += previous.type === type && (type === "list-item" || type === "table-row") ? "\n" : "\n\n";
    const start = this.text.length;
    this.text += text;
    this.blocks.push({ type, level, header, start, end: this.text.length });
    return start;
  }

  passage(key: string, text: string): void {
    const lines: Place["lines"][number][] = [];
    for (const match of text.matchAll(/[^\n]+/g)) {
      const heading = HEADING.exec(match[0].trimStart());
      const bullet = heading === null ? BULLET.exec(match[0].trimStart()) : null;
      const marked = match[0].length - match[0].trimStart().length + (heading?.[0].length ?? bullet?.[0].length ?? 0);
      const content = match[0].slice(marked).trimEnd();
      if (content === "") continue;
      const type = heading !== null ? "heading" : bullet !== null ? "list-item" : "paragraph";
      const at = this.block(type, content, { level: heading?.[1]?.length ?? (bullet === null ? 0 : 1) });
      lines.push({ from: match.index + marked, at, length: content.length });
    }
    this.place(key, lines);
  }

  table(key: string, rows: readonly (readonly string[])[]): void {
    const lines: Place["lines"][number][] = [];
    const header = this.blocks.length;
    let from = 0;
    for (const row of rows) {
      const text = row.join(" | ");
      if (text.replaceAll(/[|\s]/g, "") === "") continue;
      const at = this.block("table-row", text, { header });
      lines.push({ from, at, length: text.length });
      from += text.length + 1;
    }
    this.place(key, lines);
  }

  private place(key: string, lines: Place["lines"]): void {
    const [first, last] = [lines[0], lines.at(-1)];
    if (first === undefined || last === undefined) return;
    this.places.push({ key, start: first.at, end: last.at + last.length, lines });
  }
}
