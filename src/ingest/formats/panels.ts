import { closing, isNeverText, type MarkupEvent, type OpenEvent, opening, partnersOf } from "./markup.ts";

/** What the controls of a page open (a tab's panel, an accordion's text). By the indexes of opening events. */
export interface Panels {
  /** Each panel with its control. */
  readonly controls: ReadonlyMap<number, number>;
  /** Buttons that head no panel and are all that a heading or a cell of a table says. */
  readonly kept: ReadonlySet<number>;
}

/** Elements that are never a panel: the page, tables and parts of tables. */
const NO_PANEL: ReadonlySet<string> = new Set("html body main table caption col colgroup tbody td tfoot th thead tr".split(" "));
/** An element of running text: a button's words are none. */
const KEPT_AS = "span";
/** A share of a page's text that is the page itself; the longer one of two panels is less. */
const WHOLE_SHARE = 0.8;
/** What names the element that a link or button shows instead of leading there. */
const TOGGLES = /^(?:tab|pill|collapse)$/;

/** Events with the one that closes each element, and the element around each. */
interface Tree {
  readonly events: readonly MarkupEvent[];
  readonly partner: Int32Array;
  readonly parents: Int32Array;
}

/**
 * The panels of a page with their controls: by what the control says it controls (`aria-controls`, its target or address), or by standing right behind an accordion's
 * button. A control opens one panel.
 */
export function findPanels(events: readonly MarkupEvent[]): Panels {
  if (!events.some(mayControl)) return { controls: new Map(), kept: new Set() };
  const tree: Tree = { events, partner: partnersOf(events), parents: parentsOf(events) };
  const { partner } = tree;
  const byId = new Map<string, number>();
  const inCells = new Set<number>();
  let cells = 0;
  for (const [i, event] of events.entries()) {
    const isCell = (event.type === "open" || event.type === "close") && /^t[dh]$/.test(event.name);
    if (isCell) cells += event.type === "open" ? 1 : -1;
    if (event.type !== "open") continue;
    if (cells > 0) inCells.add(i);
    const { id } = event.attributes;
    if (id !== undefined && !byId.has(id)) byId.set(id, i);
  }
  const controls = events.flatMap((event, i) => (event.type === "open" && isControl(tree, i, byId) ? [{ i, event }] : []));
  const openers = controls.filter(({ i }) => !inCells.has(i));
  const isOpener = new Set(openers.map(({ i }) => i));
  const isWholePage = wholePageOf(tree);
  const found = new Map<number, number>();
  const matched = new Set<number>();
  const match = (control: number, panel: number | undefined, isNamed = true): boolean => {
    if (panel === undefined || matched.has(control) || found.has(panel) || isOpener.has(panel)) return false;
    const { name } = events[panel] as OpenEvent;
    const isAround = panel <= control && (partner[panel] ?? panel) >= control;
    const isInside = control <= panel && (partner[control] ?? control) >= panel;
    if (isAround || isInside || isNeverText(name) || NO_PANEL.has(name)) return false;
    if (!isRole(events[control], "tab") && !isRole(events[panel], "tabpanel") && isWholePage(panel, isNamed)) return false;
    found.set(panel, control);
    matched.add(control);
    return true;
  };
  for (const { i, event } of openers) targetsOf(event).some((id) => match(i, byId.get(id)));
  for (const { i, event } of openers) {
    if (!isAccordionButton(event) || targetsOf(event).some((id) => byId.has(id))) continue;
    match(i, elementBehind(tree, i), "aria-controls" in event.attributes || wholeOf(tree, i) !== null);
  }
  const kept = controls.filter(({ i, event }) => event.name === "button" && !matched.has(i) && wholeOf(tree, i) !== null);
  return { controls: found, kept: new Set(kept.map(({ i }) => i)) };
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
  const tree: Tree = { events, partner: partnersOf(events), parents: parentsOf(events) };
  const { partner } = tree;
  const moved = new Map<number, number>();
  const ends = new Map<number, number>();
  const summaries = new Map<number, MarkupEvent[]>();
  for (const [panel, control] of controls) {
    const words = events.slice(control + 1, partner[control]);
    const heading = wholeOf(tree, control);
    const around = heading ?? control;
    const [open, close] = [events[around], events[partner[around] ?? around]];
    summaries.set(panel, heading === null || open === undefined || close === undefined ? words : [open, ...words, close]);
    moved.set(around, partner[around] ?? around);
    ends.set(partner[panel] ?? panel, panel);
  }
  const isKept = (i: number) => kept.has(i) && !unseen.has(events[i] as OpenEvent);
  const written: MarkupEvent[] = [];
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as MarkupEvent;
    const end = moved.get(i);
    if (end !== undefined) {
      // What stands around something that went elsewhere does not join.
      written.push(opening("hr", event.start), closing("hr", event.start));
      i = end;
      continue;
    }
    const summary = summaries.get(i);
    if (summary !== undefined) {
      const at = summary[0]?.start ?? event.start;
      written.push(opening("details", event.start), opening("summary", at), ...summary, closing("summary", summary.at(-1)?.end ?? at));
      written.push(shown(event as OpenEvent));
    } else if ((event.type === "close" && isKept(partner[i] ?? i)) || (event.type === "open" && isKept(i)))
      written.push({ ...event, name: KEPT_AS });
    else written.push(event);
    if (ends.has(i)) written.push(closing("details", event.end));
  }
  return written;
}

/** Cheap: most pages have nothing of the kind. */
function mayControl(event: MarkupEvent): boolean {
  return event.type === "open" && (event.name === "button" || event.name === "a" || event.attributes.role === "tab");
}

function isControl(tree: Tree, index: number, byId: ReadonlyMap<string, number>): boolean {
  const { events, partner } = tree;
  const { name, attributes } = events[index] as OpenEvent;
  if ((attributes["aria-haspopup"] ?? "false") !== "false") return false;
  const target = attributes.href?.startsWith("#") ? byId.get(attributes.href.slice(1)) : undefined;
  const toggles = TOGGLES.test(attributes["data-bs-toggle"] ?? attributes["data-toggle"] ?? "");
  const opens = "aria-controls" in attributes || toggles || (target !== undefined && isRole(events[target], "tabpanel"));
  const isTab = isRole(events[index], "tab");
  if (!isTab && !isAccordionButton(events[index]) && !((name === "a" || name === "button") && opens)) return false;
  if (name === "a" && !isTab && isInSentence(tree, index)) return false;
  const close = events[partner[index] ?? index];
  // What is never closed would have the rest of the document for its words.
  return close?.type === "close" && !close.atEnd && saysSomething(events, index, partner[index] ?? index);
}

/** A link among other words of its paragraph is part of what they say. */
function isInSentence({ events, partner }: Tree, index: number): boolean {
  const isBlank = (i: number) => events[i]?.type === "comment" || (events[i]?.type === "text" && !isWords(events[i]));
  let [before, behind] = [index - 1, (partner[index] ?? index) + 1];
  while (isBlank(before)) before--;
  while (isBlank(behind)) behind++;
  return isWords(events[before]) || isWords(events[behind]);
}

/** A button that opens the text below it is that text's title; any other is a control. */
function isAccordionButton(event: MarkupEvent | undefined): boolean {
  if (event?.type !== "open" || event.name !== "button" || isRole(event, "tab")) return false;
  return "aria-controls" in event.attributes || "aria-expanded" in event.attributes || (event.attributes.class ?? "").includes("accordion");
}

function isRole(event: MarkupEvent | undefined, role: "tab" | "tabpanel"): boolean {
  return event?.type === "open" && event.attributes.role === role;
}

/** Ids that an element may open, by attribute or address. */
export function targetsOf({ attributes }: OpenEvent): string[] {
  const links = [attributes["data-bs-target"], attributes["data-target"], attributes.href].flatMap((link) =>
    link?.startsWith("#") ? [link.slice(1)] : [],
  );
  return [...(attributes["aria-controls"] ?? "").split(/\s+/), ...links];
}

function saysSomething(events: readonly MarkupEvent[], from: number, to: number): boolean {
  for (let i = from + 1; i < to; i++) if (isWords(events[i])) return true;
  return false;
}

function isWords(event: MarkupEvent | undefined): boolean {
  return event?.type === "text" && event.text.trim() !== "";
}

/** The element right behind a control, or behind what holds nothing but the control. */
function elementBehind({ events, partner }: Tree, control: number): number | undefined {
  for (let i = (partner[control] ?? control) + 1; i < events.length; i++) {
    const event = events[i];
    if (event?.type === "open") return i;
    if (isWords(event) || (event?.type === "close" && !holdsOnly(events, partner[i] ?? i, control))) return undefined;
  }
  return undefined;
}

/** Whether nothing that is read stands between the beginning of an element and a control in it. */
function holdsOnly(events: readonly MarkupEvent[], element: number, control: number): boolean {
  for (let i = element + 1; i < control; i++) if (events[i]?.type === "close" || isWords(events[i])) return false;
  return true;
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
function wholeOf({ events, partner, parents }: Tree, control: number): number | null {
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

/** Tells whether an element is the page rather than a part of it: it holds the page's title, or nearly all of its text where no control names it. */
function wholePageOf({ events, partner }: Tree): (element: number, isNamed: boolean) => boolean {
  const letters = new Float64Array(events.length + 1);
  const titles: number[] = [];
  let neverTextUntil = -1;
  for (const [i, event] of events.entries()) {
    if (event.type === "open" && isNeverText(event.name)) neverTextUntil = Math.max(neverTextUntil, partner[i] ?? i);
    if (event.type === "open" && event.name === "h1") titles.push(i);
    letters[i + 1] = (letters[i] ?? 0) + (event.type === "text" && i > neverTextUntil ? event.text.trim().length : 0);
  }
  return (element, isNamed) => {
    const end = partner[element] ?? element;
    const holdsMost = (letters[end] ?? 0) - (letters[element] ?? 0) > WHOLE_SHARE * (letters[events.length] ?? 0);
    return (holdsMost && !isNamed) || ((titles[0] ?? -1) > element && (titles.at(-1) ?? end) < end);
  };
}
