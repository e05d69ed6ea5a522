import type { ReadingNotice } from "../../../shared/types.ts";
import { BlockWriter, type WrittenBlocks } from "../../block-writer.ts";
import { describeImage } from "../described-figures.ts";
import { writeInline } from "../html.ts";
import { BLOCK_ELEMENTS, closing, type MarkupEvent, opening } from "../markup.ts";
import { withRaisedText } from "../notes-at-calls.ts";
import { unseenNotices } from "../unseen-text.ts";
import { walkMarkup } from "../walk-markup.ts";

/** Converts balanced markup over `source` to blocks. Text that differs from its range stands for the whole range. */
export function writeMarkup(source: string, events: readonly MarkupEvent[]): WrittenBlocks {
  const writer = new BlockWriter(source);
  walkMarkup(withRaisedText(events), writer, {
    inline(event) {
      if (event.type === "text" && source.slice(event.start, event.end) !== event.text) writer.opaque(event.text, event.start, event.end);
      else writeInline(writer, event, 0);
    },
  });
  return writer.finish();
}

/** The text of an office file with its structure, named as in HTML. Offsets count the extracted text. */
export class ExtractedText {
  readonly #parts: string[] = [];
  #length = 0;
  /** The number of the open item, until its first text. */
  #number: string | null = null;
  readonly #events: MarkupEvent[] = [];
  #notes: (() => void)[] = [];
  /** Characters that the program does not show, or strikes through; pictures and charts without a description. */
  readonly leftOut = { hidden: 0, struck: 0, figures: 0 };

  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    if (text === "") return;
    const start = this.#length;
    const whole = this.#number === null ? text : `${this.#number} ${text}`;
    this.#number = null;
    this.#append(whole);
    this.#events.push({ type: "text", text: whole, start, end: this.#length });
  }

  /** Writes an element around what `write` writes. */
  element(name: string, write: () => void = () => {}, attributes: Readonly<Record<string, string>> = {}): void {
    this.#events.push(opening(name, this.#length, attributes));
    write();
    this.#events.push(closing(name, this.#length));
    if (BLOCK_ELEMENTS.has(name) || name === "br") this.#append("\n");
  }

  /** Writes a list item with its number, such as "4."; a bullet is `null`. */
  item(number: string | null, write: () => void): void {
    this.#number = number;
    this.element("li", write);
    this.#number = null;
  }

  /** Writes text under a heading, and nothing if there is no text. */
  under(name: "h1" | "h2", heading: string, write: () => void): void {
    const [parts, events, length] = [this.#parts.length, this.#events.length, this.#length];
    this.element(name, () => this.text(heading));
    const begun = this.#length;
    write();
    this.flushNotes();
    if (this.#length > begun) return;
    this.#parts.length = parts;
    this.#events.length = events;
    this.#length = length;
  }

  /** Writes the description of a picture as a paragraph of its own; counts the picture if it has none. */
  figure(description: string): void {
    if (description.trim() === "") this.leftOut.figures++;
    else this.element("p", () => this.text(describeImage(description)));
  }

  /** Defers a note until `flushNotes`. */
  note(write: () => void): void {
    this.#notes.push(write);
  }

  /** Writes the deferred notes. A note may defer more. */
  flushNotes(): void {
    for (let i = 0; i < this.#notes.length; i++) this.#notes[i]?.();
    this.#notes = [];
  }

  notices(): ReadingNotice[] {
    return unseenNotices(this.leftOut);
  }

  finish(): WrittenBlocks {
    return writeMarkup(this.#parts.join(""), this.#events);
  }

  #append(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}
