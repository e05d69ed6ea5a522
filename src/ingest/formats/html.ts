import { BlockWriter } from "../block-writer.ts";
import { describeFigures } from "./described-figures.ts";
import { readFrontMatter, withFrontMatter } from "./front-matter.ts";
import { isBold, type MarkupEvent, type OpenEvent, opens, partnersOf, readMarkup, textOf, visibleEvents } from "./markup.ts";
import { withNotesAtCalls, withRaisedText } from "./notes-at-calls.ts";
import { findPanels, withPanelsAsDetails } from "./panels.ts";
import { type FormatResult, oneLine, titleOf } from "./parsed.ts";
import { NO_TEXT, recognisedNotices } from "./pictures.ts";
import { findUnseenText, unseenNotices } from "./unseen-text.ts";
import { walkMarkup } from "./walk-markup.ts";

const HIDDEN_ON_PAGES: ReadonlySet<string> = new Set(["header", "footer", "aside", "label", "input", "dialog"]);
/**
 * Minimum share of the page's text that `article` elements must contain to be the main content. Teasers contain less.
 */
const MAIN_SHARE = 0.5;

/**
 * Extracts the main content of a web page with its title, description and canonical address.
 * @param struck number of struck-through characters that the caller has already removed
 * @param takeText returns the recognised text of a picture by its address
 */
export function parseHtml(source: string, name: string, { struck = 0, takeText = NO_TEXT } = {}): FormatResult {
  const front = readFrontMatter(source);
  const read = readMarkup(" ".repeat(front.bodyStart) + source.slice(front.bodyStart), { decodeEntities: true });
  const head = readHead(read);
  const panels = findPanels(read);
  const unseen = findUnseenText(read, panels);
  const all = withNotesAtCalls(withPanelsAsDetails(read, panels, unseen.elements));
  const { events, figures, recognised } = describeFigures(withRaisedText(mainContent(all, unseen.elements)), takeText);
  const writer = new BlockWriter(source);
  walkMarkup(events, writer, { inline: (event) => writeInline(writer, event, front.bodyStart) });
  const written = writer.finish();
  const result = withFrontMatter(written, front, { ...head, title: head.title ?? titleOf(written) ?? name });
  const notices = unseenNotices({ ...unseen, struck: unseen.struck + struck, figures });
  return { ...result, notices: [...notices, ...recognisedNotices(recognised.ranges, recognised.pictures)] };
}

/**
 * Writes text, line breaks, bold text and the alternative text of pictures.
 * @param bodyStart offset at which the text after the front matter begins
 */
export function writeInline(writer: BlockWriter, event: MarkupEvent, bodyStart: number): void {
  if (event.type === "text") {
    if (event.text.length === event.end - event.start) writer.text(Math.max(bodyStart, event.start), event.end);
    else writer.opaque(event.text, event.start, event.end);
  } else if (event.type === "open") {
    if (event.name === "br") writer.lineBreak();
    else if (event.name === "img" && event.attributes.alt) writer.opaque(event.attributes.alt, event.start, event.end);
    else if (isBold(event)) writer.beginBold();
  } else if (event.type === "close" && isBold(event)) writer.endBold();
}

/**
 * Returns the visible events of the main content: those of `main` if it has text; else of the `article` elements if
 * they contain most of the text; else of the whole page.
 */
function mainContent(all: readonly MarkupEvent[], unseen: ReadonlySet<OpenEvent>): MarkupEvent[] {
  const page = visibleEvents(all, unseen, isFurniture);
  const main = inside(all, unseen, (event) => event.name === "main" || event.attributes.role === "main");
  if (textLength(main) > 0) return main;
  const articles = inside(all, unseen, (event) => event.name === "article");
  return textLength(articles) >= MAIN_SHARE * textLength(page) && textLength(articles) > 0 ? articles : page;
}

/**
 * Checks whether an element is outside the content of the page, e.g. a header or dialog. In a book, `aside` elements
 * may be footnotes, which belong to the content.
 */
function isFurniture({ name, attributes }: OpenEvent): boolean {
  return HIDDEN_ON_PAGES.has(name) && !/note/.test(attributes["epub:type"] ?? "");
}

/**
 * Returns the visible events inside the outermost elements that `matches` accepts. A `header` inside such an element
 * stays visible, because it contains the title.
 */
function inside(all: readonly MarkupEvent[], unseen: ReadonlySet<OpenEvent>, matches: (event: OpenEvent) => boolean): MarkupEvent[] {
  const partner = partnersOf(all);
  let close = -1;
  const found = all.filter((event, i) => {
    if (i > close && event.type === "open" && matches(event)) close = partner[i] ?? i;
    return i <= close;
  });
  return visibleEvents(found, unseen, (event) => event.name !== "header" && isFurniture(event));
}

function textLength(events: readonly MarkupEvent[]): number {
  return events.reduce((sum, event) => sum + (event.type === "text" ? event.text.trim().length : 0), 0);
}

function readHead(events: readonly MarkupEvent[]) {
  const meta = events.filter((event) => opens(event, "meta") && event.attributes.name?.toLowerCase() === "description") as OpenEvent[];
  const isCanonical = /(?:^|\s)canonical(?:\s|$)/i;
  const links = events.filter((event) => opens(event, "link") && isCanonical.test(event.attributes.rel ?? "")) as OpenEvent[];
  // A title inside an SVG drawing is not the title of the page.
  const start = events.findIndex((event) => opens(event, "title", "svg"));
  const end = events.findIndex((event, i) => i > start && event.type === "close" && event.name === "title");
  const inTitle = opens(events[start], "title") ? events.slice(start, end < 0 ? events.length : end) : [];
  return {
    title: clean(textOf(inTitle)),
    description: meta.flatMap(({ attributes }) => clean(attributes.content) ?? [])[0] ?? null,
    url: links.flatMap(({ attributes }) => clean(attributes.href) ?? [])[0] ?? null,
  };
}

function clean(value: string | undefined): string | null {
  const text = oneLine(value ?? "");
  return text === "" ? null : text.slice(0, 2_000);
}
