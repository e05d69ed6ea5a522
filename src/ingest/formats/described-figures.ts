import { BLOCK_ELEMENTS, closing, type MarkupEvent, type OpenEvent, opening, opens } from "./markup.ts";
import { oneLine } from "./parsed.ts";
import { NO_TEXT } from "./pictures.ts";

/** Label before the description of a picture, so that a quote of the description is not mistaken for running text. */
export const IMAGE_LABEL = "Image:";

export function describeImage(description: string): string {
  return `${IMAGE_LABEL} ${oneLine(description)}`;
}

/** A picture with a width or height of at most this many pixels is a spacer or tracking pixel. */
const SPACER_PX = 2;
const HEADING = /^h[1-6]$/;

/**
 * Turns the pictures of a document into text. If a picture stands alone in its block, `IMAGE_LABEL` precedes its alternative text; within
 * running text, the alternative text is part of the sentence. Text recognised in a picture (OCR) becomes paragraphs after the picture's
 * block. `figures` counts pictures with neither kind of text, except spacers and decoration (empty `alt`).
 * @param takeText returns the text recognised in the picture with a given address
 */
export function describeFigures(events: readonly MarkupEvent[], takeText = NO_TEXT) {
  const recognised = { ranges: [] as number[], pictures: 0 };
  if (!events.some(isImage)) return { events, figures: 0, recognised };
  const labelled = new Set<OpenEvent>();
  let figures = 0;
  /** The pictures of the current block; `null` once the block has visible text. */
  let alone: OpenEvent[] | null = [];
  let headings = 0;
  const read = new Set<MarkupEvent>();
  const before = new Map<MarkupEvent, MarkupEvent[]>();
  let waiting: MarkupEvent[] = [];
  const endBlock = () => {
    for (const image of alone ?? []) labelled.add(image);
    alone = [];
  };
  for (const event of events) {
    if (event.type === "text" && event.text.trim() !== "") alone = null;
    if ((event.type === "open" || event.type === "close") && BLOCK_ELEMENTS.has(event.name)) {
      endBlock();
      if (headings === 0) [waiting] = [[], before.set(event, waiting)];
      if (HEADING.test(event.name)) headings += event.type === "open" ? 1 : -1;
    }
    if (isImage(event)) {
      if ((event.attributes.alt ?? "").trim() !== "" && headings === 0) alone?.push(event);
      const texts = takeText(event.attributes.src ?? "");
      if (texts === null && event.attributes.alt === undefined && !isSpacer(event)) figures++;
      if (texts === null || texts.length === 0) continue;
      recognised.pictures++;
      recognised.ranges.push(event.start + 1, event.end);
      read.add(event);
      waiting.push(...recognisedParagraphs(event, texts));
    }
  }
  endBlock();
  const written = events.flatMap((event) => {
    if (!isImage(event)) return [...(before.get(event) ?? []), event];
    // In the source map, the first character of the picture's tag stands for the description, its other characters for the recognised text.
    const image = read.has(event) ? { ...event, end: event.start + 1 } : event;
    if (!labelled.has(event)) return [image];
    const attributes = { ...image.attributes, alt: describeImage(image.attributes.alt ?? "") };
    return [opening("p", image.start), { ...image, attributes }, closing("p", image.end)];
  });
  return { events: [...written, ...waiting], figures, recognised };
}

/**
 * Returns the paragraphs recognised in a picture as markup. Each of them maps to its own range within the picture's
 * tag, so that no source character is mapped twice.
 */
function recognisedParagraphs({ start, end }: OpenEvent, texts: readonly string[]): MarkupEvent[] {
  const paragraphs = texts.length < end - start ? texts : [texts.join(" ")];
  return paragraphs.flatMap((alt, i) => {
    const range = { start: start + 1 + i, end: i === paragraphs.length - 1 ? end : start + 2 + i };
    const image: OpenEvent = { type: "open", name: "img", attributes: { alt }, ...range };
    return [opening("p", range.start), image, closing("img", range.end), closing("p", range.end)];
  });
}

const isImage = (event: MarkupEvent): event is OpenEvent => opens(event, "img");

function isSpacer({ attributes }: OpenEvent): boolean {
  return [attributes.width, attributes.height].some((size) => size !== undefined && Number.parseFloat(size) <= SPACER_PX);
}
