import type { Block, SourceMapData, SourceText } from "../shared/types.ts";
import { TextBuilder } from "../text/source-map.ts";
import { type BoldBlock, type LineBreak, withBoldHeads } from "./line-breaks.ts";
import { type CodePiece, isVisible, LINE_BREAK, withoutBlankEnds } from "./visible.ts";

type Frame =
  | { readonly type: "item"; readonly level: number }
  | { readonly type: "heading"; readonly level: number }
  | { readonly type: "quote" }
  | { readonly type: "row"; readonly table: Table; readonly names: NamesColumns; cell: number; written: number; nested: number };

/** Whether a row contains the names of the columns. "maybe": the row serves as header, but can also be quoted like a row of data. */
export type NamesColumns = boolean | "maybe";

export interface Table {
  header: number;
  readonly id: number;
}

type BlockShape = Pick<Block, "type" | "level" | "header">;

interface OpenBlock extends BlockShape, Pick<Block, "start"> {
  readonly frame: Frame | null;
  /** End of the bold text at the start of the block; `start` if there is none, -1 while all text of the block so far is bold. */
  boldEnd: number;
  /** True while a bold element is open. At the end of the block, this means that the bold text continues in the next block. */
  isBoldOpen: boolean;
  /** True if the block is a line that serves as the heading of the next block, but is not marked up as a heading. */
  isHeadLine: boolean;
}

/** The normalised text of a document with its structure. */
export interface WrittenBlocks {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly sourceMap: SourceMapData;
}

/**
 * Builds the normalised text of a document and its blocks. A parser calls methods for structure, e.g. `beginHeading`,
 * and for text. A block starts at its first visible character, so an element without text adds no block. An empty line
 * separates blocks; items of one list, and rows of one table, are separated by a line break.
 */
export class BlockWriter {
  readonly #builder: TextBuilder;
  readonly #blocks: BoldBlock[] = [];
  #frames: Frame[] = [];
  #open: OpenBlock | null = null;
  /** Separator before the next visible text: none, a hard line break, or the end of a paragraph. */
  #pending: "none" | "line" | "paragraph" = "paragraph";
  #bold = 0;
  #listDepth = 0;
  #lists = 0;
  /** Number of the open list item, e.g. "4."; `null` once it is written, which happens before the item's first text. */
  #mark: SourceText | null = null;
  #tables = 0;
  /** Group of the last block: number of its list, negative number of its table, or 0. It decides the separator before the next block. */
  #lastGroup = 0;
  #headingLevel = 1;
  /** Open sections, outermost first. */
  readonly #sections: { readonly firstBlock: number; readonly headingLevel: number }[] = [];
  readonly #inSections: number[] = [];
  /** Deferred writes, e.g. of footnotes. They run after the open block, or after the list, table or quotation `#before` around it. */
  #behind: (() => void)[] = [];
  #before: Frame | Table | number | null = null;
  #isWritingBehind = false;
  readonly #lineBreaks: ReadonlyMap<number, LineBreak>;

  /** @param lineBreaks line breaks in paragraphs of `original` that end a row or heading, by offset; all others are white space */
  constructor(original: string, lineBreaks: ReadonlyMap<number, LineBreak> = new Map()) {
    this.#builder = new TextBuilder(original);
    this.#lineBreaks = lineBreaks;
  }

  /** True while a heading or a table row is open. Each of them is a single line. */
  get isSingleLine(): boolean {
    const frame = this.#frames.at(-1);
    return frame?.type === "heading" || frame?.type === "row";
  }

  beginList(): void {
    if (this.#listDepth === 0) this.#lists++;
    this.#listDepth++;
    this.paragraph();
  }

  endList(): void {
    this.#listDepth = Math.max(0, this.#listDepth - 1);
    this.paragraph();
  }

  beginItem(): void {
    this.#push({ type: "item", level: Math.max(1, this.#listDepth) });
  }

  /** Sets the number of the open list item, e.g. "4." or "(b)". If the item has text, the number is written before it. */
  mark(mark: SourceText): void {
    this.#mark = mark;
  }

  beginQuote(): void {
    this.#push({ type: "quote" });
  }

  beginHeading(level: number): void {
    this.#headingLevel = level;
    this.#push({ type: "heading", level });
  }

  /** Begins a heading one level below the current one, for a title that is not marked up as a heading, e.g. of an accordion. */
  beginSubheading(): void {
    const level = Math.min(6, this.#headingLevel + 1);
    // Inside a section, the next subheading ranks below this one.
    if (this.#sections.length > 0) this.#headingLevel = level;
    this.#push({ type: "heading", level });
  }

  /** Begins a section. Headings of the section apply only to text before `endSection`. */
  beginSection(): void {
    this.paragraph();
    if (!this.isSingleLine) this.#close();
    this.#sections.push({ firstBlock: this.#blocks.length, headingLevel: this.#headingLevel });
  }

  endSection(): void {
    const section = this.#sections.pop();
    if (section === undefined) return;
    this.paragraph();
    if (!this.isSingleLine) this.#close();
    if (this.#frames.length === 0 && this.#listDepth === 0) this.#leave(null);
    const sectionEnd = this.#builder.length;
    for (let i = this.#inSections.at(-1) ?? -1; i >= section.firstBlock; i = this.#inSections.at(-1) ?? -1) {
      this.#blocks[i] = { ...(this.#blocks[i] as BoldBlock), sectionEnd };
      this.#inSections.pop();
    }
    this.#headingLevel = section.headingLevel;
  }

  beginTable(): Table {
    this.paragraph();
    return { header: -1, id: ++this.#tables };
  }

  beginRow(table: Table, names: NamesColumns): void {
    this.#push({ type: "row", table, names, cell: -1, written: -1, nested: 0 });
  }

  beginCell(): void {
    const frame = this.#frames.at(-1);
    if (frame?.type !== "row") return;
    if (frame.nested > 0) this.paragraph();
    else {
      frame.cell++;
      this.#pending = "none";
    }
  }

  /** Closes the innermost item, quote, heading or row. */
  end(): void {
    const top = this.#frames.at(-1);
    if (top?.type === "row" && top.nested > 0) {
      top.nested--;
      this.paragraph();
      return;
    }
    const frame = this.#frames.pop();
    if (frame?.type === "item") this.#mark = null;
    if (frame !== undefined && this.#open?.frame === frame) this.#close();
    this.paragraph();
  }

  /** Marks the following text as bold, until `endBold`. */
  beginBold(): void {
    this.#bold++;
  }

  endBold(): void {
    this.#bold = Math.max(0, this.#bold - 1);
    if (this.#open !== null && this.#bold === 0 && this.#pending === "none") this.#open.isBoldOpen = false;
  }

  /** Sets where the bold text at the start of the open block ends: at the first visible text that is not bold. */
  #endBoldWords(text: string, start: number, end: number): void {
    const open = this.#open;
    if (open === null || open.boldEnd >= 0) return;
    if (this.#bold > 0) open.isBoldOpen = true;
    else if (isVisible(text, start, end)) open.boldEnd = this.#builder.length;
  }

  /** Starts a new paragraph with the next text. */
  paragraph(): void {
    this.#pending = "paragraph";
  }

  /** Adds a hard line break. Two line breaks in a row end the paragraph. */
  lineBreak(): void {
    this.#pending = this.#pending === "none" ? "line" : "paragraph";
  }

  /** Ends the open block, which is a line that serves as the heading of the next block. */
  #endHead(): void {
    if (this.#open !== null) this.#open.isHeadLine = true;
    this.paragraph();
  }

  /** Writes visible text from the original. */
  text(start: number, end: number): void {
    if (this.#lineBreaks.size === 0 || this.#frames.length > 0) {
      this.#piece(start, end);
      return;
    }
    const { original } = this.#builder;
    for (let at = start; at < end; ) {
      const newline = original.indexOf("\n", at);
      const stop = newline < 0 || newline >= end ? end : newline;
      const ends = stop < end ? this.#lineBreaks.get(stop) : undefined;
      this.#piece(at, stop < end && ends === undefined ? stop + 1 : stop);
      if (ends === "row") this.lineBreak();
      if (ends === "head") this.#endHead();
      at = stop + 1;
    }
  }

  #piece(start: number, end: number): void {
    if (start >= end) return;
    if (this.#isBetween() && !isVisible(this.#builder.original, start, end)) return;
    this.#prepare();
    this.#endBoldWords(this.#builder.original, start, end);
    this.#builder.append(start, end);
  }

  /** Writes `text` in place of a range of the original, e.g. "&" for the entity `&amp;`. */
  opaque(text: string, start: number, end: number): void {
    if (this.#isBetween() && !isVisible(text, 0, text.length)) return;
    this.#prepare();
    this.#endBoldWords(text, 0, text.length);
    this.#builder.appendOpaque(text, start, end);
  }

  /** Defers `write`, e.g. of a footnote, to the end of the open block or of the list, table or quotation around it. */
  writeBehind(write: () => void): void {
    if (this.#behind.length === 0) this.#before = this.#whole();
    this.#behind.push(write);
  }

  /** Writes a code block with its line breaks; as normal text in a heading or row. The `text` of a piece replaces its range. */
  code(all: readonly CodePiece[]): void {
    const pieces = withoutBlankEnds(all, this.#builder.original);
    if (pieces.length === 0) return;
    if (this.isSingleLine) {
      for (const { start, end, text } of pieces) {
        if (text === undefined) this.text(start, end);
        else this.opaque(text, start, end);
      }
      return;
    }
    this.#close();
    this.#leave(this.#whole());
    this.#openBlock({ type: "code", level: 0, header: -1 }, null, 0, false);
    for (const { start, end, text } of pieces) {
      if (text === undefined) this.#builder.appendPreformatted(start, end);
      else if (text === LINE_BREAK) this.#builder.appendSynthetic(text);
      else this.#builder.appendOpaque(text, start, end);
    }
    this.#close();
    this.paragraph();
  }

  finish(): WrittenBlocks {
    this.#close();
    this.#leave(null);
    const { text, sourceMap } = this.#builder.finish();
    return { text, sourceMap, blocks: withBoldHeads(this.#blocks, text) };
  }

  /** Begins an item, heading, quotation or row. Inside a table row, nested structure is ignored and its text becomes part of the row. */
  #push(frame: Frame): void {
    const top = this.#frames.at(-1);
    if (top?.type === "row") top.nested++;
    else this.#frames.push(frame);
    this.paragraph();
  }

  /** Checks whether the next visible text needs a separator or a new block before it. If so, callers skip white space. */
  #isBetween(): boolean {
    const frame = this.#frames.at(-1) ?? null;
    return (
      this.#pending !== "none" || this.#open === null || this.#open.frame !== frame || (frame?.type === "row" && frame.cell > frame.written)
    );
  }

  #prepare(): void {
    const frame = this.#frames.at(-1) ?? null;
    const pending = this.#pending;
    this.#pending = "none";
    if (this.#open === null || this.#open.frame !== frame) this.#begin(frame);
    else if (frame?.type === "row") this.#continueRow(frame, pending);
    else if (pending === "line") this.#builder.appendSynthetic(frame?.type === "heading" ? " " : "\n");
    else if (pending === "paragraph") {
      if (frame?.type === "heading") this.#builder.appendSynthetic(" ");
      else if (frame?.type === "item") this.#builder.appendSynthetic("\n");
      else this.#begin(frame);
    }
  }

  /** Opens a block after the deferred writes and the separator. @param group as `#lastGroup` */
  #openBlock(shape: BlockShape, frame: Frame | null, group: number, isBoldOpen: boolean): void {
    if (this.#blocks.length > 0) this.#builder.appendSynthetic(group !== 0 && group === this.#lastGroup ? "\n" : "\n\n");
    this.#lastGroup = group;
    const start = this.#builder.length;
    this.#open = { ...shape, start, frame, boldEnd: isBoldOpen ? -1 : start, isBoldOpen, isHeadLine: false };
  }

  #begin(frame: Frame | null): void {
    this.#close();
    this.#leave(this.#whole());
    const group = frame?.type === "item" ? this.#lists : frame?.type === "row" ? -frame.table.id : 0;
    this.#openBlock(this.#shapeOf(frame), frame, group, this.#bold > 0);
    if (frame?.type !== "row") {
      this.#writeMark();
      return;
    }
    if (frame.cell > 0) this.#builder.appendSynthetic("| ".repeat(Math.min(frame.cell, 100)));
    frame.written = frame.cell;
  }

  #writeMark(): void {
    if (this.#mark === null) return;
    const { text, start, end } = this.#mark;
    this.#mark = null;
    this.#builder.appendOpaque(text, start, end);
    this.#builder.appendSynthetic(" ");
  }

  #shapeOf(frame: Frame | null): BlockShape {
    if (frame?.type === "item") return { type: "list-item", level: frame.level, header: -1 };
    // A heading in a footnote must not become a heading of the document.
    if (frame?.type === "heading" && !this.#isWritingBehind) return { type: "heading", level: frame.level, header: -1 };
    if (frame?.type === "quote") return { type: "quote", level: 0, header: -1 };
    if (frame?.type !== "row") return { type: "paragraph", level: 0, header: -1 };
    if (frame.names !== false && frame.table.header < 0) frame.table.header = this.#blocks.length;
    return { type: "table-row", level: 0, header: frame.names === "maybe" ? -1 : frame.table.header };
  }

  /** Returns the list (as its number), table or quotation that the next block belongs to; `null` if there is none. */
  #whole(): Frame | Table | number | null {
    const outer = this.#frames[0];
    if (outer?.type === "row") return outer.table;
    if (outer?.type === "item" || (outer === undefined && this.#listDepth > 0)) return this.#lists;
    return outer ?? null;
  }

  /** Runs the deferred writes, unless `next` is the list, table or quotation that they follow. A write may defer others. */
  #leave(next: Frame | Table | number | null): void {
    if (this.#behind.length === 0 || this.#isWritingBehind || (next !== null && next === this.#before)) return;
    const around = [this.#frames, this.#listDepth, this.#bold, this.#pending, this.#headingLevel] as const;
    this.#isWritingBehind = true;
    for (let i = 0; i < this.#behind.length; i++) {
      [this.#frames, this.#listDepth, this.#bold, this.#pending] = [[], 0, 0, "paragraph"];
      this.#behind[i]?.();
    }
    this.#close();
    this.#isWritingBehind = false;
    this.#behind = [];
    [this.#frames, this.#listDepth, this.#bold, this.#pending, this.#headingLevel] = around;
    // A list in a footnote must not continue in the text after the footnote.
    this.#lists++;
  }

  #continueRow(frame: Frame & { type: "row" }, pending: "none" | "line" | "paragraph"): void {
    if (frame.cell > frame.written) {
      this.#builder.appendSynthetic(` ${"| ".repeat(Math.min(frame.cell - frame.written, 100))}`);
      frame.written = frame.cell;
    } else if (pending === "line") this.#builder.appendSynthetic(" ");
    else if (pending === "paragraph") this.#builder.appendSynthetic(" · ");
  }

  #close(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const { type, level, header, start, isHeadLine } = open;
    const end = this.#builder.length;
    // Bold text over several paragraphs, or in a footnote, is not a heading.
    const isThroughout = open.boldEnd < 0 && !open.isBoldOpen && !this.#isWritingBehind;
    const boldEnd = isThroughout ? end : Math.max(start, open.boldEnd);
    if (this.#sections.length > 0) this.#inSections.push(this.#blocks.length);
    this.#blocks.push({ type, level, header, start, end, boldEnd, isHeadLine, above: this.#headingLevel });
  }
}
