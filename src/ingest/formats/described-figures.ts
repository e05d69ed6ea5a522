import { BLOCK_ELEMENTS, closing, type MarkupEvent, type OpenEvent, opening } from "./markup.ts";
import { oneLine } from "./parsed.ts";

/** Label before the description of a picture, so that nobody takes a quote of it for running text. */
export const IMAGE_LABEL = "Image:";

export function describeImage(description: string): string {
  return `${IMAGE_LABEL} ${oneLine(description)}`;
}

/** Maximum width or height of a spacer or tracker, in pixels. */
const SPACER_PX = 2;
const HEADING = /^h[1-6]$/;

/**
 * Labels the alternative text of each picture that stands alone in its block, and counts pictures without alternative text. An empty alternative text marks decoration. A picture within running text stays part of its sentence.
 */
export function describeFigures(events: readonly MarkupEvent[]): { readonly events: readonly MarkupEvent[]; readonly figures: number } {
  if (!events.some(isImage)) return { events, figures: 0 };
  const labelled = new Set<OpenEvent>();
  let figures = 0;
  /** Pictures of the current block as long as it has no visible text; otherwise `null`. */
  let alone: OpenEvent[] | null = [];
  let headings = 0;
  const endBlock = () => {
    for (const image of alone ?? []) labelled.add(image);
    alone = [];
  };
  for (const event of events) {
    if (event.type === "text" && event.text.trim() !== "") alone = null;
    if ((event.type === "open" || event.type === "close") && BLOCK_ELEMENTS.has(event.name)) {
      endBlock();
      if (HEADING.test(event.name)) headings += event.type === "open" ? 1 : -1;
    }
    if (isImage(event)) {
      if ((event.attributes.alt ?? "").trim() !== "" && headings === 0) alone?.push(event);
      else if (event.attributes.alt === undefined && !isSpacer(event)) figures++;
    }
  }
  endBlock();
  return { events: events.flatMap((event) => (isImage(event) && labelled.has(event) ? asParagraph(event) : [event])), figures };
}

function asParagraph(image: OpenEvent): MarkupEvent[] {
  const attributes = { ...image.attributes, alt: describeImage(image.attributes.alt ?? "") };
  return [opening("p", image.start), { ...image, attributes }, closing("p", image.end)];
}

function isImage(event: MarkupEvent): event is OpenEvent {
  return event.type === "open" && event.name === "img";
}

function isSpacer({ attributes }: OpenEvent): boolean {
  return [attributes.width, attributes.height].some((size) => size !== undefined && Number.parseFloat(size) <= SPACER_PX);
}
