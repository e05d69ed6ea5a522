import { decodeHTMLStrict } from "entities";
import type { BlockWriter, Table } from "../block-writer.ts";
import { type CodePiece, LINE_BREAK } from "../visible.ts";
import { BLOCK_ELEMENTS, type MarkupEvent, type OpenEvent, partnersOf, type TextEvent } from "./markup.ts";
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

type Ending = "inline" | "block" | "frame" | "list" | "table" | "description" | "section";

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
  const endings: Ending[] = [];
  const lists: NumberedList[] = [];
  for (let i = 0; i < events.length; i++) {
    const event = events[i];
    if (event === undefined) continue;
    if (event.type === "open") {
      const close = partner[i] ?? i;
      if (!BLOCK_ELEMENTS.has(event.name) || isInline(event)) {
        endings[close] = "inline";
        inline(event);
      } else if (event.name === "pre") {
        flush();
        writer.code(events.slice(i + 1, close).flatMap(codePiece));
        i = close;
      } else {
        flush();
        endings[close] = begin(event, i);
      }
    } else if (event.type === "close") {
      const ending = endings[i];
      if (ending === "inline") {
        inline(event);
        continue;
      }
      flush();
      if (lists.at(-1)?.close === i) lists.pop();
      if (ending === "frame") writer.end();
      else if (ending === "list") writer.endList();
      else if (ending === "description") {
        writer.end();
        if (!isDescription(nextTo(events, i, 1))) writer.endList();
      } else if (ending === "section") writer.endSection();
      else if (ending === "table") tables.pop();
      writer.paragraph();
    } else inline(event);
  }
  flush();

  function begin(event: OpenEvent, index: number): Ending {
    const { name } = event;
    const table = tables.at(-1);
    if (name === "table") {
      tables.push(writer.beginTable());
      return "table";
    }
    if (LISTS.has(name)) lists.push(numbersOf(event, partner[index] ?? index));
    if (LISTS.has(name) && !layout.has(index)) {
      writer.beginList();
      return "list";
    }
    if (HEADING.test(name)) writer.beginHeading(Number(name[1]));
    else if (name === "summary") writer.beginSubheading();
    else if (name === "details") {
      writer.beginSection();
      return "section";
    } else if (name === "blockquote") writer.beginQuote();
    else if (name === "li" && !layout.has(index)) writer.beginItem();
    else if (name === "dd" && !layout.has(index)) {
      if (!isDescription(nextTo(events, index, -1))) writer.beginList();
      writer.beginItem();
      return "description";
    } else if (name === "tr" && table !== undefined) writer.beginRow(table, names.get(event) ?? false);
    else {
      if (name === "td" || name === "th") writer.beginCell();
      else writer.paragraph();
      if (name === "li") writeNumber(event);
      return "block";
    }
    if (name === "li") writeNumber(event);
    return "frame";
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
      else if (items.length > 0 && isLayoutElement(event)) markInnermost();
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

function isLayoutElement(event: OpenEvent): boolean {
  return HEADING.test(event.name) || event.name === "table" || event.name === "summary";
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
