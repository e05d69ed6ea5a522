import { Parser } from "htmlparser2";
import { IngestError } from "../../errors.ts";
import type { TextRange } from "../../types.ts";

export interface OpenEvent extends TextRange {
  readonly type: "open";
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface CloseEvent extends TextRange {
  readonly type: "close";
  readonly name: string;
  /** The element was still open when the file ended. */
  readonly atEnd: boolean;
}

export interface TextEvent extends TextRange {
  readonly type: "text";
  /** As readers see it; differs from the source range only for an entity, which is an event of its own. */
  readonly text: string;
}

export interface CommentEvent extends TextRange {
  readonly type: "comment";
}

/** A piece of HTML with its place in the source. Tags that the source leaves out have an empty range. */
export type MarkupEvent = OpenEvent | CloseEvent | TextEvent | CommentEvent;

/** Elements inside each other; no page for people comes near it. Beyond, reading a file would take time that grows with its square. */
export const MAX_MARKUP_DEPTH = 6_000;

/** Reads HTML into balanced events in document order. Stray closing tags are dropped. */
export function readMarkup(source: string, options: { readonly decodeEntities: boolean }): MarkupEvent[] {
  const events: MarkupEvent[] = [];
  let depth = 0;
  const parser: Parser = new Parser(
    {
      onopentag(name, attributes, implied) {
        if (++depth > MAX_MARKUP_DEPTH) throw tooDeep(parser.startIndex);
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
      oncomment() {
        events.push({ type: "comment", start: parser.startIndex, end: parser.endIndex + 1 });
      },
      onprocessinginstruction() {
        events.push({ type: "comment", start: parser.startIndex, end: parser.endIndex + 1 });
      },
    },
    { decodeEntities: options.decodeEntities, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(source);
  return events;
}

function tooDeep(at: number): IngestError {
  return new IngestError(
    "too_deep",
    `tags are nested more than ${MAX_MARKUP_DEPTH} deep at character ${at}: close the tags that stay open`,
    {
      at,
      limit: MAX_MARKUP_DEPTH,
    },
  );
}
