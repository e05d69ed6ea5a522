import { Parser } from "htmlparser2";
import { IngestError } from "../../shared/errors.ts";
import type { TextRange } from "../../shared/types.ts";

/** Elements that start a new block. All other elements are part of the running text. */
export const BLOCK_ELEMENTS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr html label legend li main menu ol p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

/** Elements whose content is not visible text. */
export const HIDDEN_ELEMENTS: ReadonlySet<string> = new Set(
  (
    "audio canvas datalist head iframe math nav noembed noframes noscript object optgroup option script select style svg template " +
    "textarea title video"
  ).split(" "),
);
/** Elements whose content stays hidden even if the closing tag is missing: browsers also hide the rest of the file. */
const RAW_ELEMENTS: ReadonlySet<string> = new Set("iframe noembed noframes script style textarea title".split(" "));

/**
 * Removes invisible content: scripts, styles, navigation, controls, elements in `unseen`, and elements that
 * `isHiddenToo` accepts. An `hr` replaces a hidden block, so that the texts around it stay separate. A comment replaces
 * a hidden inline element, so that the texts around it stay joined.
 */
export function visibleEvents(
  events: readonly MarkupEvent[],
  unseen: ReadonlySet<OpenEvent>,
  isHiddenToo: (event: OpenEvent) => boolean = () => false,
): MarkupEvent[] {
  const partner = partnersOf(events);
  const visible: MarkupEvent[] = [];
  for (let i = 0; i < events.length; i++) {
    const event = events[i];
    if (event === undefined) continue;
    const close = partner[i] ?? i;
    if (event.type !== "open" || (!unseen.has(event) && !isHidden(event, events[close], isHiddenToo))) {
      visible.push(event);
      continue;
    }
    const end = events[close]?.end ?? event.end;
    if (!BLOCK_ELEMENTS.has(event.name) && !HIDDEN_ELEMENTS.has(event.name)) visible.push({ type: "comment", start: event.start, end });
    else visible.push({ ...opening("hr", event.start), end }, closing("hr", end));
    i = close;
  }
  return visible;
}

/** Maps the index of each opening event to that of its closing event, and the reverse; -1 for events without a partner. */
export function partnersOf(events: readonly MarkupEvent[]): Int32Array {
  const partner = new Int32Array(events.length).fill(-1);
  const open: number[] = [];
  for (const [i, event] of events.entries()) {
    if (event.type === "open") open.push(i);
    const start = event.type === "close" ? open.pop() : undefined;
    if (start !== undefined) [partner[start], partner[i]] = [i, start];
  }
  for (const i of open) partner[i] = i;
  return partner;
}

/** Maps each id of an element to the index of its opening event. Of several elements with one id, the first counts. */
export function indexesById(events: readonly MarkupEvent[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [i, event] of events.entries()) {
    const id = event.type === "open" ? event.attributes.id : undefined;
    if (id !== undefined && !indexes.has(id)) indexes.set(id, i);
  }
  return indexes;
}

/** Checks whether an event opens an element with one of these names. */
export function opens<Name extends string>(
  event: MarkupEvent | undefined,
  ...names: readonly Name[]
): event is OpenEvent & { readonly name: Name } {
  return event?.type === "open" && (names as readonly string[]).includes(event.name);
}

export function isBold({ name }: OpenEvent | CloseEvent): boolean {
  return name === "b" || name === "strong";
}

/** Returns the text in a range of events. */
export function textOf(events: readonly MarkupEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

function isHidden(event: OpenEvent, close: MarkupEvent | undefined, isHiddenToo: (event: OpenEvent) => boolean): boolean {
  const { name, attributes } = event;
  const hides = name === "button" || HIDDEN_ELEMENTS.has(name) || attributes["aria-hidden"] === "true" || isHiddenToo(event);
  // An element without a closing tag must not hide the rest of the document.
  return hides && (RAW_ELEMENTS.has(name) || (close?.type === "close" && !close.atEnd));
}

export interface OpenEvent extends TextRange {
  readonly type: "open";
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface CloseEvent extends TextRange {
  readonly type: "close";
  readonly name: string;
  /** True if the element was still open at the end of the file. */
  readonly atEnd: boolean;
}

export interface TextEvent extends TextRange {
  readonly type: "text";
  /** Visible text. It equals the source text unless the event is an entity or a rewritten mark, e.g. of a footnote. */
  readonly text: string;
}

export interface CommentEvent extends TextRange {
  readonly type: "comment";
}

/** A token of HTML with its source range. Implied tags have an empty range. */
export type MarkupEvent = OpenEvent | CloseEvent | TextEvent | CommentEvent;

/** Creates an opening event for a tag that the source does not contain. */
export function opening(name: string, at: number, attributes: OpenEvent["attributes"] = {}): OpenEvent {
  return { type: "open", name, attributes, start: at, end: at };
}

export function closing(name: string, at: number): CloseEvent {
  return { type: "close", name, atEnd: false, start: at, end: at };
}

/** Maximum nesting depth of elements. Pages that people write are far below it. Processing time is quadratic in the depth. */
const MAX_MARKUP_DEPTH = 6_000;

/** Parses HTML into balanced events in document order. Closing tags without an opening tag are dropped. */
export function readMarkup(source: string, options: { readonly decodeEntities: boolean }): MarkupEvent[] {
  const events: MarkupEvent[] = [];
  let depth = 0;
  const addComment = () => events.push({ type: "comment", start: parser.startIndex, end: parser.endIndex + 1 });
  const parser: Parser = new Parser(
    {
      onopentag(name, attributes, implied) {
        if (++depth > MAX_MARKUP_DEPTH) {
          const at = parser.startIndex;
          const message = `tags are nested more than ${MAX_MARKUP_DEPTH} levels deep at character ${at}: close the open tags`;
          throw new IngestError("too_deep", message, { at, limit: MAX_MARKUP_DEPTH });
        }
        const end = parser.endIndex + 1;
        // `</br>` is reported as an implied `<br>`.
        events.push({ type: "open", name, attributes, start: implied && name !== "br" ? end : parser.startIndex, end });
      },
      onclosetag(name, implied) {
        depth--;
        const end = Math.min(source.length, parser.endIndex + 1);
        events.push({ type: "close", name, atEnd: implied && end >= source.length, start: implied ? end : parser.startIndex, end });
      },
      ontext(text) {
        events.push({ type: "text", text, start: parser.startIndex, end: parser.endIndex + 1 });
      },
      oncomment: addComment,
      onprocessinginstruction: addComment,
    },
    options,
  );
  parser.end(source);
  return events;
}
