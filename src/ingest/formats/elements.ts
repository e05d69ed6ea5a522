import type { MarkupEvent, OpenEvent } from "./markup.ts";

/** Elements that start a block of their own; all others are part of the running text. */
export const BLOCK_ELEMENTS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr html label legend li main menu ol p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

/** Elements whose contents are not text for readers. */
const HIDDEN_ELEMENTS: ReadonlySet<string> = new Set(
  (
    "audio canvas datalist head iframe math nav noembed noframes noscript object optgroup option script select style svg template " +
    "textarea title video"
  ).split(" "),
);
/** Their contents never reach the reader, closed or not: browsers read them to the end of the file. */
const RAW_ELEMENTS: ReadonlySet<string> = new Set("iframe noembed noframes script style textarea title".split(" "));

/**
 * The events without what readers do not see: scripts, styles, navigation, controls, the `unseen` elements, and what `isHiddenToo` names. A hidden block
 * leaves an empty block behind, a hidden inline element a comment, so that what stands around it joins or separates as on the page.
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
    else {
      visible.push({ type: "open", name: "hr", attributes: {}, start: event.start, end });
      visible.push({ type: "close", name: "hr", atEnd: false, start: end, end });
    }
    i = close;
  }
  return visible;
}

/** For each opening event the index of its closing event. */
export function partnersOf(events: readonly MarkupEvent[]): Int32Array {
  const partner = new Int32Array(events.length).fill(-1);
  const open: number[] = [];
  for (const [i, event] of events.entries()) {
    if (event.type === "open") open.push(i);
    else if (event.type === "close") {
      const start = open.pop();
      if (start === undefined) continue;
      partner[start] = i;
      partner[i] = start;
    }
  }
  for (const i of open) partner[i] = i;
  return partner;
}

function isHidden(event: OpenEvent, close: MarkupEvent | undefined, isHiddenToo: (event: OpenEvent) => boolean): boolean {
  const { name, attributes } = event;
  const hides = name === "button" || HIDDEN_ELEMENTS.has(name) || attributes["aria-hidden"] === "true" || isHiddenToo(event);
  if (!hides) return false;
  // An element that is never closed would hide the rest of the document.
  return RAW_ELEMENTS.has(name) || (close?.type === "close" && !close.atEnd);
}

/** Whether the contents of an element of this name are no text for readers. */
export function isNeverText(name: string): boolean {
  return HIDDEN_ELEMENTS.has(name);
}
