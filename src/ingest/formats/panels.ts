import { closing, HIDDEN_ELEMENTS, indexesById, type MarkupEvent, type OpenEvent, opening, opens, partnersOf } from "./markup.ts";

export type Panels = ReturnType<typeof findPanels>;

/** Elements that are never a panel: the whole page, and tables with their parts. */
const NO_PANEL: ReadonlySet<string> = new Set("html body main table caption col colgroup tbody td tfoot th thead tr".split(" "));
/** Element that replaces a button whose text is kept, because the text of a `button` element is hidden. */
const KEPT_AS = "span";
/** Matches values of `data-toggle` or `data-bs-toggle` for a link or button that opens a panel. */
const TOGGLES = /^(?:tab|pill|collapse)$/;

type Tree = ReturnType<typeof treeOf>;

/** Adds the index of each event's partner tag and of its parent. */
function treeOf(events: readonly MarkupEvent[]) {
  const parents = new Int32Array(events.length).fill(-1);
  const open: number[] = [];
  for (const [i, event] of events.entries()) {
    if (event.type === "close") open.pop();
    parents[i] = open.at(-1) ?? -1;
    if (event.type === "open") open.push(i);
  }
  return { events, partner: partnersOf(events), parents };
}

/** Returns the indexes of the opening events of table cells and of elements inside them. */
function indexesInCells(events: readonly MarkupEvent[]): ReadonlySet<number> {
  const inside = new Set<number>();
  let cells = 0;
  for (const [i, event] of events.entries()) {
    if (event.type !== "open" && event.type !== "close") continue;
    if (event.name === "td" || event.name === "th") cells += event.type === "open" ? 1 : -1;
    if (event.type === "open" && cells > 0) inside.add(i);
  }
  return inside;
}

/**
 * Finds the panels of a page: content such as tab panels and accordion texts that a control opens. A control names its
 * panel by `aria-controls`, a data attribute or a link (`href="#id"`), and opens one panel. `controls` maps each panel
 * to its control. `kept` contains buttons that open no panel and are the only text of a heading or table cell. Panels,
 * controls and buttons are given as indexes of their opening events.
 */
export function findPanels(events: readonly MarkupEvent[]) {
  const found = new Map<number, number>();
  if (!events.some(mayControl)) return { controls: found, kept: new Set<number>() };
  const tree = treeOf(events);
  const { partner } = tree;
  const byId = indexesById(events);
  const controls = events.flatMap((event, i) => (event.type === "open" && isControl(tree, i, byId) ? [{ i, event }] : []));
  const inCells = indexesInCells(events);
  const openers = controls.filter(({ i }) => !inCells.has(i));
  const isOpener = new Set(openers.map(({ i }) => i));
  const titles = events.flatMap((event, i) => (opens(event, "h1") ? [i] : []));
  const isWholePage = (element: number) => (titles[0] ?? -1) > element && (titles.at(-1) ?? 0) < (partner[element] ?? element);
  const matched = new Set<number>();
  const match = (control: number, panel: number | undefined): boolean => {
    if (panel === undefined || matched.has(control) || found.has(panel) || isOpener.has(panel)) return false;
    const { name } = events[panel] as OpenEvent;
    const isAround = panel <= control && (partner[panel] ?? panel) >= control;
    const isInside = control <= panel && (partner[control] ?? control) >= panel;
    if (isAround || isInside || HIDDEN_ELEMENTS.has(name) || NO_PANEL.has(name)) return false;
    if (!isRole(events[control], "tab") && !isRole(events[panel], "tabpanel") && isWholePage(panel)) return false;
    found.set(panel, control);
    matched.add(control);
    return true;
  };
  for (const { i, event } of openers) targetsOf(event).some((id) => match(i, byId.get(id)));
  const kept = controls.filter(({ i, event }) => event.name === "button" && !matched.has(i) && wholeOf(tree, i) !== null);
  return { controls: found, kept: new Set(kept.map(({ i }) => i)) };
}

/**
 * Rewrites each panel as a `details` element whose summary is the text of the control. Rewrites the buttons in `kept`
 * as text, unless they are in `unseen`.
 */
export function withPanelsAsDetails(
  events: readonly MarkupEvent[],
  { controls, kept }: Panels,
  unseen: ReadonlySet<OpenEvent>,
): readonly MarkupEvent[] {
  if (controls.size + kept.size === 0) return events;
  const tree = treeOf(events);
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
      // An empty block keeps the text before the removed control apart from the text after it.
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

/** Quick test for an event that may be a control. Most pages have none. */
function mayControl(event: MarkupEvent): boolean {
  return opens(event, "button", "a") || isRole(event, "tab");
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
  const close = events[partner[index] ?? index];
  // Without a closing tag, the rest of the document would become the label of the control.
  return close?.type === "close" && !close.atEnd && saysSomething(events, index, partner[index] ?? index);
}

/** Checks whether an element is a button that opens the text below it and is the title of that text. */
function isAccordionButton(event: MarkupEvent | undefined): boolean {
  if (!opens(event, "button") || isRole(event, "tab")) return false;
  return "aria-controls" in event.attributes || "aria-expanded" in event.attributes || (event.attributes.class ?? "").includes("accordion");
}

function isRole(event: MarkupEvent | undefined, role: "tab" | "tabpanel"): boolean {
  return event?.type === "open" && event.attributes.role === role;
}

/** Returns the ids of elements that an element may open. */
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

/** Checks whether an element contains neither text nor a complete child element before a control inside it. */
function holdsOnly(events: readonly MarkupEvent[], element: number, control: number): boolean {
  for (let i = element + 1; i < control; i++) if (events[i]?.type === "close" || isWords(events[i])) return false;
  return true;
}

/** Returns the heading or cell that contains nothing but this control, or `null`. */
function wholeOf({ events, partner, parents }: Tree, control: number): number | null {
  let child = control;
  for (let at = parents[control] ?? -1; at >= 0; at = parents[at] ?? -1) {
    if (!holdsOnly(events, at, child) || saysSomething(events, partner[child] ?? child, partner[at] ?? at)) return null;
    if (/^(?:h[1-6]|td|th)$/.test((events[at] as OpenEvent).name)) return at;
    child = at;
  }
  return null;
}

/** Removes the attributes that hide a panel. */
function shown(panel: OpenEvent): OpenEvent {
  const { hidden: _, "aria-hidden": __, ...attributes } = panel.attributes;
  return { ...panel, attributes };
}
