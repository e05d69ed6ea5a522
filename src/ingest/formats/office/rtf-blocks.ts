import type { SourceText, TextRange } from "../../../shared/types.ts";
import { closing, type MarkupEvent, opening } from "../markup.ts";

/** Properties of a paragraph, which are known only at its end. */
export interface RtfParagraph {
  readonly isInTable: boolean;
  /** Level of a heading, from 1; `null` if the paragraph is not a heading. */
  readonly level: number | null;
  /** Level of a list item, from 1; 1 outside lists. */
  readonly listLevel: number;
}

/**
 * A stream of text: finished blocks (`events`), the text of the open paragraph (`inline`), and the number of open
 * lists. The document has one stream, and so has the open footnote.
 */
interface Flow {
  readonly events: MarkupEvent[];
  inline: MarkupEvent[];
  /** Number or bullet of the open list item; `null` outside list items. */
  number: MarkupEvent[] | null;
  openLists: number;
}

const newFlow = (): Flow => ({ events: [], inline: [], number: null, openLists: 0 });
const PLAIN: RtfParagraph = { isInTable: false, level: null, listLevel: 1 };

/** Converts the paragraphs, cells and footnotes of RTF to markup. */
export class RtfBlocks {
  #flow = newFlow();
  /** While a footnote is open: the stream of the document, in which reading goes on after the footnote. Otherwise `null`. */
  #outer: Flow | null = null;
  #behind: MarkupEvent[] = [];
  #notes = 0;
  #isTableOpen = false;
  /** The finished cells of the open row. `#cell` contains the paragraphs of its open cell. */
  #row: MarkupEvent[] = [];
  #cell: MarkupEvent[] = [];
  #isHeader = false;

  inline(events: readonly MarkupEvent[], isNumber: boolean): void {
    if (isNumber && this.#flow.number !== null) this.#flow.number.push(...events);
    else this.#flow.inline.push(...events);
  }

  lineBreak({ start, end }: TextRange): void {
    this.#flow.inline.push(opening("br", start), closing("br", end));
  }

  /** Begins the number or bullet of a list item. */
  beginNumber(): void {
    this.#flow.number ??= [];
  }

  /** Returns the mark, e.g. "[1]", of the open footnote or, outside footnotes, of the next footnote. */
  noteMark(): string {
    return `[${this.#outer === null ? this.#notes + 1 : this.#notes}]`;
  }

  beginNote(): void {
    // A footnote inside a footnote becomes part of the outer one.
    if (this.#outer !== null) return;
    this.#notes++;
    this.#outer = this.#flow;
    this.#flow = newFlow();
  }

  endNote(end: number): void {
    if (this.#outer === null) return;
    this.endParagraph(PLAIN, end);
    this.#closeLists(0, end);
    this.#behind.push(...this.#flow.events);
    this.#flow = this.#outer;
    this.#outer = null;
  }

  /** Writes the description of a picture after the open block. */
  figure({ text, start, end }: SourceText): void {
    this.#behind.push(opening("p", start), { type: "text", text, start, end }, closing("p", end));
  }

  endParagraph({ isInTable, level, listLevel }: RtfParagraph, end: number): void {
    const flow = this.#flow;
    const { inline, number } = flow;
    [flow.inline, flow.number] = [[], null];
    if (!inline.some(isVisible)) return;
    const start = (number?.[0] ?? inline[0])?.start ?? end;
    const said = number?.some(isCounted) === true ? [...number, ...inline] : inline;
    if (isInTable && this.#outer === null) {
      this.#cell.push(...around("p", said, end));
      return;
    }
    this.#endTable(end);
    const isItem = number !== null && level === null;
    this.#closeLists(isItem ? listLevel : 0, end);
    if (isItem) for (; flow.openLists < listLevel; flow.openLists++) flow.events.push(opening("ul", start));
    const name = level !== null ? `h${Math.min(6, Math.max(1, level))}` : isItem ? "li" : "p";
    flow.events.push(...around(name, said, end));
    if (!isItem) this.#writeBehind();
  }

  /** Handles control words for tables: definitions of rows, ends of rows and ends of cells. */
  table(word: string, end: number): void {
    if (word === "trowd" || word === "trhdr") this.#isHeader = word === "trhdr";
    else if (word === "cell") this.#endCell(end);
    else if (word === "row") this.#endRow(end);
  }

  /** Closes what is still open (footnote, cell, row, table, lists) at offset `end`, and returns the markup of the file. */
  finish(end: number): MarkupEvent[] {
    this.endNote(end);
    if (this.#row.length > 0) this.#endCell(end);
    else this.endParagraph(PLAIN, end);
    this.#endRow(end);
    this.#endTable(end);
    this.#closeLists(0, end);
    this.#writeBehind();
    return this.#flow.events;
  }

  #closeLists(level: number, end: number): void {
    const flow = this.#flow;
    if (flow.openLists <= level) return;
    for (; flow.openLists > level; flow.openLists--) flow.events.push(closing("ul", end));
    if (level === 0) this.#writeBehind();
  }

  /** Writes footnotes and picture descriptions after the block, list or table that they belong to. */
  #writeBehind(): void {
    if (this.#outer !== null) return;
    this.#flow.events.push(...this.#behind);
    this.#behind = [];
  }

  #endCell(end: number): void {
    this.endParagraph({ ...PLAIN, isInTable: true }, end);
    if (this.#outer !== null) return;
    this.#row.push(...around(this.#isHeader ? "th" : "td", this.#cell, end));
    this.#cell = [];
  }

  #endRow(end: number): void {
    const row = this.#row;
    [this.#row, this.#cell] = [[], []];
    if (row.length === 0) return;
    if (!this.#isTableOpen) {
      this.#closeLists(0, end);
      this.#flow.events.push(opening("table", row[0]?.start ?? end));
    }
    this.#isTableOpen = true;
    this.#flow.events.push(...around("tr", row, end));
  }

  #endTable(end: number): void {
    if (!this.#isTableOpen || this.#outer !== null) return;
    this.#isTableOpen = false;
    this.#flow.events.push(closing("table", end));
    this.#writeBehind();
  }
}

function around(name: string, inner: readonly MarkupEvent[], end: number): MarkupEvent[] {
  return [opening(name, inner[0]?.start ?? end), ...inner, closing(name, end)];
}

function isVisible(event: MarkupEvent): boolean {
  return event.type === "text" && event.text.trim() !== "";
}

/** Checks whether the label of a list item is a number. A bullet contains no letter or digit. */
function isCounted(event: MarkupEvent): boolean {
  return event.type === "text" && /[\p{L}\p{N}]/u.test(event.text);
}
