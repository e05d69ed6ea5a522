import { decodeHTMLStrict } from "entities";
import type { BlockWriter, Table } from "../block-writer.ts";
import { type CodePiece, LINE_BREAK } from "../visible.ts";
import { BLOCK_ELEMENTS, type MarkupEvent, type OpenEvent, opens, partnersOf, type TextEvent } from "./markup.ts";
import { type OrdinalForm, ordinal } from "./ordinal.ts";
import { layOutTables } from "./table-layout.ts";

const LISTS: ReadonlySet<string> = new Set(["ul", "ol", "menu", "dir"]);
const HEADING = /^h[1-6]$/;

/** Callbacks for the content between block elements. */
export interface MarkupHandler {
  /** Receives a text, a comment, or an inline tag. */
  inline(event: MarkupEvent): void;
  /** Called at each block boundary. */
  readonly flush?: () => void;
  /** Returns whether a block element counts as inline because of its position, such as in a pipe table. @default never */
  readonly isInline?: (event: OpenEvent) => boolean;
  /** Returns whether a text contains Markdown that lays out a page, such as a heading or a table. @default never */
  readonly isLayoutText?: (event: TextEvent) => boolean;
}

/** Writes the blocks of balanced, visible events. Passes the content between block elements to `inline`, in order. */
export function walkMarkup(
  given: readonly MarkupEvent[],
  writer: BlockWriter,
  { inline, flush = () => {}, isInline = () => false, isLayoutText = () => false }: MarkupHandler,
): void {
  const { events, names } = layOutTables(given, isInline);
  const partner = partnersOf(events);
  const layout = findLayout(events, partner, isLayoutText);
  const tables: Table[] = [];
  /** Functions that end the open blocks, by the index of the closing event. */
  const ends = new Map<number, () => void>();
  const lists: NumberedList[] = [];
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as MarkupEvent;
    const end = ends.get(i);
    if (event.type === "open" && BLOCK_ELEMENTS.has(event.name) && !isInline(event)) {
      const close = partner[i] ?? i;
      flush();
      if (event.name !== "pre") ends.set(close, begin(event, i, close));
      else {
        writer.code(events.slice(i + 1, close).flatMap(codePiece));
        i = close;
      }
    } else if (end === undefined) inline(event);
    else {
      flush();
      if (lists.at(-1)?.close === i) lists.pop();
      end();
      writer.paragraph();
    }
  }
  flush();

  /** Begins a block. Returns the function that ends it. */
  function begin(event: OpenEvent, index: number, close: number): () => void {
    const { name } = event;
    const table = tables.at(-1);
    const isLayout = layout.has(index);
    if (name === "table") {
      tables.push(writer.beginTable());
      return () => tables.pop();
    }
    if (name === "details") {
      writer.beginSection();
      return () => writer.endSection();
    }
    if (LISTS.has(name)) lists.push(numbersOf(event, close));
    if (LISTS.has(name) && !isLayout) {
      writer.beginList();
      return () => writer.endList();
    }
    if (name === "dd" && !isLayout) {
      if (!isDescription(nextTo(events, index, -1))) writer.beginList();
      writer.beginItem();
      return () => {
        writer.end();
        if (!isDescription(nextTo(events, close, 1))) writer.endList();
      };
    }
    if (name === "li") writeNumber(event);
    if (HEADING.test(name)) writer.beginHeading(Number(name[1]));
    else if (name === "summary") writer.beginSubheading();
    else if (name === "blockquote") writer.beginQuote();
    else if (name === "li" && !isLayout) writer.beginItem();
    else if (name === "tr" && table !== undefined) writer.beginRow(table, names.get(event) ?? false);
    else {
      if (name === "td" || name === "th") writer.beginCell();
      else writer.paragraph();
      return () => {};
    }
    return () => writer.end();
  }

  function writeNumber({ attributes, start, end }: OpenEvent): void {
    const list = lists.at(-1);
    if (list === undefined || list.form === null || HIDES_NUMBER.test(attributes.style ?? "")) return;
    const number = integerOf(attributes.value) ?? list.next;
    list.next = number + 1;
    writer.mark({ text: `${ordinal(number, list.form)}.`, start, end });
  }
}

/** A list with the index of its closing event. */
interface NumberedList {
  readonly close: number;
  /** Format of the numbers; `null` if the list shows none. */
  readonly form: OrdinalForm | null;
  next: number;
}

const FORMS: ReadonlySet<string> = new Set<OrdinalForm>(["1", "a", "A", "i", "I"]);
const HIDES_NUMBER = /list-style(?:-type)?:[^;]*none/;

function numbersOf({ name, attributes }: OpenEvent, close: number): NumberedList {
  const { type = "1", start, reversed, style = "" } = attributes;
  const isNumbered = name === "ol" && reversed === undefined && !HIDES_NUMBER.test(style);
  return { close, form: isNumbered ? ((FORMS.has(type) ? type : "1") as OrdinalForm) : null, next: integerOf(start) ?? 1 };
}

function integerOf(text: string | undefined): number | null {
  return text !== undefined && /^\s*[+-]?\d{1,9}\s*$/.test(text) ? Number(text) : null;
}

function isDescription(event: MarkupEvent | undefined): boolean {
  return (event?.type === "open" || event?.type === "close") && event.name === "dd";
}

/** Returns the nearest tag or non-blank text before (`step` -1) or after (`step` 1) an event. */
function nextTo(events: readonly MarkupEvent[], index: number, step: 1 | -1): MarkupEvent | undefined {
  for (let at = index + step; ; at += step) {
    const event = events[at];
    if (event === undefined || (event.type !== "comment" && (event.type !== "text" || event.text.trim() !== ""))) return event;
  }
}

/** Finds lists and items that only lay out a page: they contain headings, tables or accordions. */
function findLayout(events: readonly MarkupEvent[], partner: Int32Array, isLayoutText: (event: TextEvent) => boolean): ReadonlySet<number> {
  const layout = new Set<number>();
  const items: number[] = [];
  const lists: number[] = [];
  for (const [i, event] of events.entries()) {
    if (event.type === "text") {
      if (items.length > 0 && isLayoutText(event)) markInnermost();
    } else if (event.type === "open") {
      if (event.name === "li" || event.name === "dd") items.push(i);
      else if (LISTS.has(event.name) || event.name === "dl") lists.push(i);
      else if (items.length > 0 && (HEADING.test(event.name) || opens(event, "table", "summary"))) markInnermost();
    } else if (event.type === "close") {
      const start = partner[i] ?? -1;
      if (items.at(-1) === start) items.pop();
      else if (lists.at(-1) === start) lists.pop();
    }
  }
  return layout;

  function markInnermost(): void {
    const item = items.at(-1);
    const list = lists.at(-1);
    if (item !== undefined) layout.add(item);
    if (item !== undefined && list !== undefined && list < item) layout.add(list);
  }
}

/** Returns an event in a `pre` element as code ranges. Decodes entities that the parser left as written. */
function codePiece(event: MarkupEvent): CodePiece[] {
  if (event.type === "open" && event.name === "br") return [{ start: event.start, end: event.end, text: LINE_BREAK }];
  if (event.type !== "text") return [];
  const { start, end, text } = event;
  if (text.length !== end - start) return [{ start, end, text }];
  const pieces: CodePiece[] = [];
  let from = 0;
  for (const { 0: entity, index } of text.matchAll(/&#?\w{1,32};/g)) {
    const decoded = decodeHTMLStrict(entity);
    if (decoded === entity) continue;
    pieces.push({ start: start + from, end: start + index }, { start: start + index, end: start + index + entity.length, text: decoded });
    from = index + entity.length;
  }
  return [...pieces, { start: start + from, end }];
}
