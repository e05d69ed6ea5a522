import { IngestError } from "../../../shared/errors.ts";
import type { ReadingNotice } from "../../../shared/types.ts";
import { BlockWriter, type WrittenBlocks } from "../../block-writer.ts";
import { MAX_TEXT_BYTES } from "../../limits.ts";
import { textOffsetsOf } from "../../pages.ts";
import { describeImage } from "../described-figures.ts";
import { writeInline } from "../html.ts";
import { BLOCK_ELEMENTS, closing, type MarkupEvent, opening } from "../markup.ts";
import { withRaisedText } from "../notes-at-calls.ts";
import { type FormatResult, plainMetadata, statedDay, titleOf, topLines } from "../parsed.ts";
import { NO_TEXT, recognisedNotices, type TakeText } from "../pictures.ts";
import { unseenNotices } from "../unseen-text.ts";
import { walkMarkup } from "../walk-markup.ts";

/** Converts balanced markup over `source` to blocks. If the text of an event differs from `source`, the text of the event is written. */
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

/**
 * Builds the text of an office file and its structure. Callers state the structure with HTML element names. Offsets
 * refer to the extracted text.
 */
export class ExtractedText {
  readonly #parts: string[] = [];
  #length = 0;
  /** Number of open lists in the current element. */
  #lists = 0;
  /** Number of the open list item, e.g. "4."; `null` once it is written, which happens before the item's first text. */
  #number: string | null = null;
  readonly #events: MarkupEvent[] = [];
  #notes: (() => void)[] = [];
  /** Counts of left-out content: hidden and struck-through characters, and pictures and charts without a description or text. */
  readonly leftOut = { hidden: 0, struck: 0, figures: 0 };
  readonly #takeText: TakeText;
  readonly #recognised: number[] = [];
  #pictures = 0;

  /** @param takeText returns the recognised text of a picture, given the name of the archive part with the picture */
  constructor(takeText: TakeText = NO_TEXT) {
    this.#takeText = takeText;
  }

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

  /** Writes an element that contains what `write` writes. A block element closes the open lists first. */
  element(name: string, write: () => void = () => {}, attributes: Readonly<Record<string, string>> = {}): void {
    if (BLOCK_ELEMENTS.has(name)) this.#openLists(0);
    this.#wrap(name, write, attributes);
  }

  /** Writes a list item. @param level from 1; @param number such as "4.", `null` for a bullet */
  item(level: number, number: string | null, write: () => void): void {
    this.#openLists(level);
    this.#number = number;
    this.#wrap("li", write, {});
    this.#number = null;
  }

  /** Writes a heading and the text below it. If `write` writes no text, the heading is left out too, unless it `stays`. */
  under(name: "h1" | "h2", heading: string, write: () => void, stays = false): void {
    this.#openLists(0);
    const [parts, events, length] = [this.#parts.length, this.#events.length, this.#length];
    this.element(name, () => this.text(heading));
    const begun = this.#length;
    write();
    this.flushNotes();
    if (stays || this.#length > begun) return;
    this.#parts.length = parts;
    this.#events.length = events;
    this.#length = length;
  }

  /** Writes the description of a picture and its recognised text as paragraphs. Counts the picture if it has neither. */
  figure(description: string, part = ""): void {
    const recognised = this.#takeText(part);
    if (description.trim() !== "") this.element("p", () => this.text(describeImage(description)));
    else if (recognised === null) this.leftOut.figures++;
    if (recognised?.length) this.#pictures++;
    for (const paragraph of recognised ?? []) {
      const start = this.#length;
      this.element("p", () => this.text(paragraph));
      this.#recognised.push(start, this.#length);
    }
  }

  /** Defers a footnote until `flushNotes`. */
  note(write: () => void): void {
    this.#notes.push(write);
  }

  /** Writes the deferred footnotes. A footnote may defer further ones, which are written too. */
  flushNotes(): void {
    for (let i = 0; i < this.#notes.length; i++) this.#notes[i]?.();
    this.#notes = [];
  }

  notices(): ReadingNotice[] {
    return [...unseenNotices(this.leftOut), ...recognisedNotices(this.#recognised, this.#pictures)];
  }

  finish(): WrittenBlocks {
    this.#openLists(0);
    return writeMarkup(this.#parts.join(""), this.#events);
  }

  #wrap(name: string, write: () => void, attributes: Readonly<Record<string, string>>): void {
    const lists = this.#lists;
    this.#lists = 0;
    this.#events.push(opening(name, this.#length, attributes));
    write();
    this.#openLists(0);
    this.#events.push(closing(name, this.#length));
    this.#lists = lists;
    if (BLOCK_ELEMENTS.has(name) || name === "br") this.#append("\n");
  }

  /** Opens or closes lists up to a level. */
  #openLists(level: number): void {
    for (; this.#lists > level; this.#lists--) this.#events.push(closing("ul", this.#length));
    for (; this.#lists < level; this.#lists++) this.#events.push(opening("ul", this.#length));
  }

  /** @throws IngestError `file_too_large`: a short file can repeat or nest content until its text grows without bound */
  #append(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length > MAX_TEXT_BYTES)
      throw new IngestError("file_too_large", `the file has more than ${MAX_TEXT_BYTES} characters of text: split it, or leave it out`);
  }
}

/** A slide of a presentation. Callbacks write its contents in reading order. */
export interface Slide {
  /** Empty if the slide has no title. */
  readonly title: string;
  readonly isHidden: boolean;
  readonly body: (out: ExtractedText) => void;
  readonly notes: (out: ExtractedText) => void;
}

/** What `writeSlides` needs besides the slides. `notices` returns those of the reader, after all slides were written. */
interface SlideParts {
  readonly name: string;
  readonly title: string | null;
  readonly notices: () => readonly ReadingNotice[];
  readonly takeText: TakeText;
}

/**
 * Writes slides in order. The title of a slide is a heading, and the speaker notes have a heading of their own. A slide
 * without a title gets its number as heading, so that its text does not belong to the slide before. The number of a
 * slide is its page number.
 */
export function writeSlides(slides: readonly Slide[], { name, title, notices, takeText }: SlideParts): FormatResult {
  const out = new ExtractedText(takeText);
  const starts = slides.map((slide, i) => {
    const start = out.length;
    const shown = slide.title === "" ? `Slide ${i + 1}` : slide.title;
    const write = () => {
      slide.body(out);
      out.under("h2", "Speaker notes", () => slide.notes(out));
    };
    out.under("h1", slide.isHidden ? `${shown} (hidden slide)` : shown, write, slide.title !== "");
    return start;
  });
  const written = out.finish();
  const pages = starts.length === 0 ? null : textOffsetsOf(starts, written.sourceMap, written.text.length);
  const metadata = plainMetadata(titleOf(written) ?? title ?? name, { asOf: statedDay(topLines(written)) });
  return { ...written, pages, metadata, unit: "extracted_utf16", notices: [...notices(), ...out.notices()] };
}
