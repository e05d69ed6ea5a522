import { closing, isNeverText, type MarkupEvent, type OpenEvent, opening, partnersOf } from "./markup.ts";

/** What the controls of a page open (a tab's panel, an accordion's text). By the indexes of opening events. */
export interface Panels {
  /** Each panel with its control. */
  readonly controls: ReadonlyMap<number, number>;
  /** Buttons that head no panel and are all that a heading or a cell of a table says. */
  readonly kept: ReadonlySet<number>;
}

const WHOLE_PAGE: ReadonlySet<string> = new Set(["html", "body", "main"]);
/** A row that is opened belongs to its table: its control says what the row of the control is about. */
const PARTS_OF_TABLES: ReadonlySet<string> = new Set("caption col colgroup tbody td tfoot th thead tr".split(" "));
/** An element of running text: a button's words are none. */
const KEPT_AS = "span";
/** Headings below it are those of parts. */
const LOWEST_TOP_LEVEL = 2;
/** A share of a page's text that is the page itself; the longer one of two panels is less. */
const WHOLE_SHARE = 0.8;
const HEADING = /^h[1-6]$/;
/** What names the element that a link or button shows instead of leading there. */
const TOGGLES = /^(?:tab|pill|collapse)$/;

/**
 * The panels of a page with their controls: by what the control says it controls (`aria-controls`, its target or address), or by standing right behind an accordion's
 * button. A control opens one panel.
 */
export function findPanels(events: readonly MarkupEvent[]): Panels {
  if (!events.some(mayControl)) return { controls: new Map(), kept: new Set() };
  const partner = partnersOf(events);
  const byId = new Map<string, number>();
  for (const [i, event] of events.entries()) {
    const id = event.type === "open" ? event.attributes.id : undefined;
    if (id !== undefined && !byId.has(id)) byId.set(id, i);
  }
  const controls = events.flatMap((_, i) =>
    isControl(events, i, byId) &&
    !isInSentence(events, i, partner) &&
    isWhole(events[partner[i] ?? i]) &&
    saysSomething(events, i, partner[i] ?? i)
      ? [i]
      : [],
  );
  const inCells = inCellsOf(events);
  const openers = controls.filter((i) => !inCells.has(i));
  const isControlAt = new Set(openers);
  const parents = parentsOf(events);
  const isWholePage = wholePageOf(events, partner);
  const found = new Map<number, number>();
  const matched = new Set<number>();
  const match = (control: number, panel: number | undefined, isGuess = false): boolean => {
    if (panel === undefined || matched.has(control) || found.has(panel) || isControlAt.has(panel)) return false;
    const event = events[panel] as OpenEvent;
    const isAround = panel <= control && (partner[panel] ?? panel) >= control;
    const isInside = control <= panel && (partner[control] ?? control) >= panel;
    if (isAround || isInside || isNeverText(event.name) || WHOLE_PAGE.has(event.name) || PARTS_OF_TABLES.has(event.name)) return false;
    if (event.name === "table" && !saysItOpens(events[control] as OpenEvent)) return false;
    if (!isTab(events[control]) && !isTabPanel(event) && isWholePage(panel, isGuess)) return false;
    found.set(panel, control);
    matched.add(control);
    return true;
  };
  for (const control of openers) targetsOf(events[control] as OpenEvent).some((id) => match(control, byId.get(id)));
  for (const control of openers) {
    const event = events[control] as OpenEvent;
    if (!isAccordionButton(event) || targetsOf(event).some((id) => byId.has(id))) continue;
    const isNamed = "aria-controls" in event.attributes || wholeOf(events, control, { partner, parents }) !== null;
    match(control, elementBehind(events, control, partner), !isNamed);
  }
  const kept = controls.filter(
    (i) => (events[i] as OpenEvent).name === "button" && !matched.has(i) && wholeOf(events, i, { partner, parents }) !== null,
  );
  return { controls: found, kept: new Set(kept) };
}

/**
 * The events with each panel as the `details` that it is, its control's words as its summary, and with kept buttons as text unless they are `unseen`. What says
 * nothing of this stays as it is.
 */
export function withPanelsAsDetails(
  events: readonly MarkupEvent[],
  { controls, kept }: Panels,
  unseen: ReadonlySet<OpenEvent>,
): readonly MarkupEvent[] {
  if (controls.size + kept.size === 0) return events;
  const partner = partnersOf(events);
  const parents = parentsOf(events);
  const moved = new Map<number, { readonly from: number; readonly to: number }>();
  const ends = new Map<number, number>();
  const summaries = new Map<number, MarkupEvent[]>();
  for (const [panel, control] of controls) {
    const words = events.slice(control + 1, partner[control]);
    const heading = wholeOf(events, control, { partner, parents });
    const around = heading ?? control;
    const [open, close] = [events[around], events[partner[around] ?? around]];
    summaries.set(panel, heading === null || open === undefined || close === undefined ? words : [open, ...words, close]);
    moved.set(around, { from: around, to: partner[around] ?? around });
    ends.set(partner[panel] ?? panel, panel);
  }
  const isKept = (i: number) => kept.has(i) && !unseen.has(events[i] as OpenEvent);
  const written: MarkupEvent[] = [];
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as MarkupEvent;
    const control = moved.get(i);
    if (control !== undefined) {
      written.push(...emptyBlock(event.start));
      i = control.to;
      continue;
    }
    const summary = summaries.get(i);
    if (summary !== undefined) {
      const at = summary[0]?.start ?? event.start;
      written.push(opening("details", event.start), opening("summary", at), ...summary, closing("summary", summary.at(-1)?.end ?? at));
      written.push(shown(event as OpenEvent));
    } else if (event.type === "close" && isKept(partner[i] ?? i)) written.push({ ...event, name: KEPT_AS });
    else if (event.type === "open" && isKept(i)) written.push({ ...event, name: KEPT_AS });
    else written.push(event);
    if (ends.has(i)) written.push(closing("details", event.end));
  }
  return written;
}

/** Cheap: most pages have nothing of the kind. */
function mayControl(event: MarkupEvent): boolean {
  return event.type === "open" && (event.name === "button" || event.name === "a" || event.attributes.role === "tab");
}

function isControl(events: readonly MarkupEvent[], index: number, byId: ReadonlyMap<string, number>): boolean {
  const event = events[index];
  if (event?.type !== "open") return false;
  const { name, attributes } = event;
  if ((attributes["aria-haspopup"] ?? "false") !== "false") return false;
  if (isTab(event) || isAccordionButton(event)) return true;
  if (name !== "a" && name !== "button") return false;
  if ("aria-controls" in attributes || TOGGLES.test(toggledBy(attributes))) return true;
  const target = attributes.href?.startsWith("#") ? byId.get(attributes.href.slice(1)) : undefined;
  return target !== undefined && isTabPanel(events[target]);
}

/** A link among other words of its paragraph is part of what they say. */
function isInSentence(events: readonly MarkupEvent[], index: number, partner: Int32Array): boolean {
  const event = events[index];
  if (event?.type !== "open" || event.name !== "a" || isTab(event)) return false;
  const isBlank = (i: number) => events[i]?.type === "comment" || (events[i]?.type === "text" && !isWords(events[i]));
  let [before, behind] = [index - 1, (partner[index] ?? index) + 1];
  while (isBlank(before)) before--;
  while (isBlank(behind)) behind++;
  return isWords(events[before]) || isWords(events[behind]);
}

/** A button that opens the text below it is that text's title; any other is a control. */
function isAccordionButton(event: MarkupEvent | undefined): boolean {
  if (event?.type !== "open" || event.name !== "button" || isTab(event)) return false;
  return "aria-controls" in event.attributes || "aria-expanded" in event.attributes || (event.attributes.class ?? "").includes("accordion");
}

/** Controls also sort a table, or turn its pages. */
function saysItOpens({ attributes }: OpenEvent): boolean {
  return attributes.role === "tab" || "aria-expanded" in attributes || TOGGLES.test(toggledBy(attributes));
}

function toggledBy(attributes: OpenEvent["attributes"]): string {
  return attributes["data-bs-toggle"] ?? attributes["data-toggle"] ?? "";
}

function isTab(event: MarkupEvent | undefined): boolean {
  return event?.type === "open" && event.attributes.role === "tab";
}

function isTabPanel(event: MarkupEvent | undefined): event is OpenEvent {
  return event?.type === "open" && event.attributes.role === "tabpanel";
}

function targetsOf({ attributes }: OpenEvent): string[] {
  const links = [attributes["data-bs-target"], attributes["data-target"], attributes.href].flatMap((link) =>
    link?.startsWith("#") ? [link.slice(1)] : [],
  );
  return [...(attributes["aria-controls"] ?? "").split(/\s+/), ...links];
}

/** What is never closed would have the rest of the document for its words. */
function isWhole(close: MarkupEvent | undefined): boolean {
  return close?.type === "close" && !close.atEnd;
}

function saysSomething(events: readonly MarkupEvent[], from: number, to: number): boolean {
  for (let i = from + 1; i < to; i++) if (isWords(events[i])) return true;
  return false;
}

function isWords(event: MarkupEvent | undefined): boolean {
  return event?.type === "text" && event.text.trim() !== "";
}

/** The element right behind a control, or behind what holds nothing but the control. */
function elementBehind(events: readonly MarkupEvent[], control: number, partner: Int32Array): number | undefined {
  for (let i = (partner[control] ?? control) + 1; i < events.length; i++) {
    const event = events[i];
    if (event?.type === "open") return i;
    if (isWords(event) || (event?.type === "close" && !holdsOnly(events, partner[i] ?? i, control))) return undefined;
  }
  return undefined;
}

/** Whether nothing that is read stands between the beginning of an element and a control in it. */
function holdsOnly(events: readonly MarkupEvent[], element: number, control: number): boolean {
  for (let i = element + 1; i < control; i++) {
    const event = events[i];
    if (event?.type === "close" || isWords(event)) return false;
  }
  return true;
}

/** What stands in a cell of a table. */
function inCellsOf(events: readonly MarkupEvent[]): ReadonlySet<number> {
  const found = new Set<number>();
  let depth = 0;
  for (const [i, event] of events.entries()) {
    const isCell = (event.type === "open" || event.type === "close") && (event.name === "td" || event.name === "th");
    if (isCell) depth += event.type === "open" ? 1 : -1;
    else if (depth > 0 && event.type === "open") found.add(i);
  }
  return found;
}

function parentsOf(events: readonly MarkupEvent[]): Int32Array {
  const parents = new Int32Array(events.length).fill(-1);
  const open: number[] = [];
  for (const [i, event] of events.entries()) {
    if (event.type === "close") open.pop();
    parents[i] = open.at(-1) ?? -1;
    if (event.type === "open") open.push(i);
  }
  return parents;
}

/** The heading or the cell that holds nothing but a control; `null`: the control stands in none. */
function wholeOf(
  events: readonly MarkupEvent[],
  control: number,
  { partner, parents }: { readonly partner: Int32Array; readonly parents: Int32Array },
): number | null {
  let child = control;
  for (let at = parents[control] ?? -1; at >= 0; at = parents[at] ?? -1) {
    if (!holdsOnly(events, at, child) || saysSomething(events, partner[child] ?? child, partner[at] ?? at)) return null;
    if (/^(?:h[1-6]|td|th)$/.test((events[at] as OpenEvent).name)) return at;
    child = at;
  }
  return null;
}

/** A panel that its control opens, whatever it is now. */
function shown(panel: OpenEvent): OpenEvent {
  const { hidden: _, "aria-hidden": __, ...attributes } = panel.attributes;
  return { ...panel, attributes };
}

/** What stands around something that went elsewhere does not join. */
function emptyBlock(at: number): MarkupEvent[] {
  return [opening("hr", at), closing("hr", at)];
}

/**
 * Tells whether an element is the page rather than a part of it: it holds all headings of the page's highest level or nearly all text. Only the title, or both, says
 * so against a control that names what it opens.
 */
function wholePageOf(events: readonly MarkupEvent[], partner: Int32Array): (element: number, isGuess: boolean) => boolean {
  const letters = new Float64Array(events.length + 1);
  const headings: { readonly at: number; readonly level: number }[] = [];
  let neverTextUntil = -1;
  for (const [i, event] of events.entries()) {
    if (event.type === "open" && isNeverText(event.name)) neverTextUntil = Math.max(neverTextUntil, partner[i] ?? i);
    if (event.type === "open" && HEADING.test(event.name)) headings.push({ at: i, level: Number(event.name[1]) });
    letters[i + 1] = (letters[i] ?? 0) + (event.type === "text" && i > neverTextUntil ? event.text.trim().length : 0);
  }
  const level = headings.reduce((least, one) => Math.min(least, one.level), Number.POSITIVE_INFINITY);
  const top = headings.filter((one) => one.level === level);
  return (element, isGuess) => {
    const end = partner[element] ?? element;
    const holdsTop = level <= LOWEST_TOP_LEVEL && (top[0]?.at ?? -1) > element && (top.at(-1)?.at ?? end) < end;
    const holdsMost = (letters[end] ?? 0) - (letters[element] ?? 0) > WHOLE_SHARE * (letters[events.length] ?? 0);
    return isGuess ? holdsTop || holdsMost : holdsTop && (level === 1 || holdsMost);
  };
}
