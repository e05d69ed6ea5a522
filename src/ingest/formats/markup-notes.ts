import { partnersOf } from "./elements.ts";
import type { MarkupEvent, OpenEvent } from "./markup.ts";

/** What calls a note, with or without brackets. */
export const NOTE_MARK = /^\[?(\d{1,3}|\*{1,3}|[\u2020\u2021])\]?$/;
/** Blocks behind which a note may stand that is called in them. */
const CALLERS: ReadonlySet<string> = new Set(["p", "li", "dd", "dt", "blockquote", "figure", "h1", "h2", "h3", "h4", "h5", "h6"]);
/** Elements that hold one note. */
const HOLDERS: ReadonlySet<string> = new Set(["aside", "li", "p", "div", "dd"]);
/** Events of the longest note: more is no note, and would be looked through for every link to it. */
const MOST_EVENTS = 2_000;

/** Events of the longest link that calls a note, and of what is raised around it: a sign in some markup. */
const MOST_CALL_EVENTS = 8;

/** From its opening to its closing event. */
interface Element {
  readonly open: number;
  readonly close: number;
}

interface Call extends Element {
  /** Without brackets. */
  readonly mark: string;
  /** The id of what it leads to; empty: it leads to another file. */
  readonly target: string;
  /** The closing event behind which its note may stand. */
  readonly end: number;
}

interface Note extends Element {
  readonly call: Call;
  /** Links in it that lead back to its call. */
  readonly back: ReadonlySet<number>;
}

/**
 * Events of a chapter with the signs that call its notes in brackets, and each note behind the paragraph, item or table that calls it first, begun by its sign.
 * A note is what a link with such a sign leads to, where the book calls it a note or where a link in it leads back. A note that only another note calls stays.
 */
export function notesToTheirCalls(events: readonly MarkupEvent[]): readonly MarkupEvent[] {
  const partner = partnersOf(events);
  const calls = callsOf(events, partner);
  if (calls.length === 0) return events;
  const byId = new Map<string, Element>();
  for (const [open, event] of events.entries()) {
    const id = event.type === "open" ? event.attributes.id : undefined;
    if (id !== undefined && !byId.has(id)) byId.set(id, { open, close: partner[open] ?? open });
  }
  const notes = new Map<string, Note>();
  const isNote = new Uint8Array(events.length);
  for (const call of calls) {
    if (isNote[call.open] === 1 || notes.has(call.target)) continue;
    const note = noteOf(events, call, byId);
    if (note === null) continue;
    notes.set(call.target, note);
    isNote.fill(1, note.open, note.close + 1);
  }
  return rewrite(events, partner, { calls, notes: [...notes.values()].filter(({ call }) => isNote[call.open] !== 1) });
}

/** The links that call notes, as far as the links themselves show it. */
function callsOf(events: readonly MarkupEvent[], partner: Int32Array): Call[] {
  const calls: Call[] = [];
  const around = [{ block: -1, table: -1 }];
  for (const [open, event] of events.entries()) {
    if (event.type === "close") around.pop();
    if (event.type !== "open") continue;
    const close = partner[open] ?? open;
    const outer = around.at(-1) ?? { block: -1, table: -1 };
    const table = outer.table < 0 && event.name === "table" ? close : outer.table;
    around.push({ block: CALLERS.has(event.name) ? close : outer.block, table });
    const mark = markOf(events, event, { open, close });
    if (mark === null) continue;
    const [path, target = ""] = event.attributes.href?.split("#") ?? [];
    const end = table >= 0 ? table : outer.block >= 0 ? outer.block : close;
    calls.push({ open, close, mark, target: path === "" ? target : "", end });
  }
  return calls;
}

function markOf(events: readonly MarkupEvent[], event: OpenEvent, { open, close }: Element): string | null {
  const { name, attributes } = event;
  if (name !== "a" || attributes.href?.includes("#") !== true || close - open > MOST_CALL_EVENTS) return null;
  const before = events[open - 1];
  const isRaised = before?.type === "open" && before.name === "sup";
  if (!isRaised && !/noteref/.test(kindOf(event)) && !/\bfootnote-?ref\b/.test(attributes.class ?? "")) return null;
  const texts = events.slice(open, close).map((inner) => (inner.type === "text" ? inner.text : ""));
  return NOTE_MARK.exec(texts.join("").trim())?.[1] ?? null;
}

function noteOf(events: readonly MarkupEvent[], call: Call, byId: ReadonlyMap<string, Element>): Note | null {
  const element = byId.get(call.target);
  const holder = element === undefined ? undefined : events[element.open];
  if (element === undefined || holder?.type !== "open" || !HOLDERS.has(holder.name)) return null;
  const { open, close } = element;
  if (close - open > MOST_EVENTS || (open < call.open && call.open < close)) return null;
  const back = new Set<number>();
  for (let i = open; i <= close; i++) {
    const event = events[i];
    if (event?.type !== "open" || event.name !== "a" || event.attributes.href?.startsWith("#") !== true) continue;
    const to = byId.get(event.attributes.href.slice(1));
    // The id stands at the link or at what is raised around it.
    if (to !== undefined && to.open <= call.open && call.close <= to.close && to.close - to.open <= MOST_CALL_EVENTS) back.add(i);
  }
  return back.size > 0 || /\b(?:foot|end|rear)note\b/.test(kindOf(holder)) ? { open, close, call, back } : null;
}

function kindOf({ attributes }: OpenEvent): string {
  return `${attributes["epub:type"] ?? ""} ${attributes.role ?? ""}`;
}

function rewrite(
  events: readonly MarkupEvent[],
  partner: Int32Array,
  { calls, notes }: { readonly calls: readonly Call[]; readonly notes: readonly Note[] },
): readonly MarkupEvent[] {
  const callAt = new Map(calls.map((call) => [call.open, call]));
  const noteAt = new Map(notes.map((note) => [note.open, note]));
  const behind = new Map<number, Note[]>();
  for (const note of notes) behind.set(note.call.end, [...(behind.get(note.call.end) ?? []), note]);
  const rewritten: MarkupEvent[] = [];
  /** Writes what begins with an event, or leaves it out. Returns the last event of it. */
  const writeOne = (at: number, dropped: ReadonlySet<number>): number => {
    if (dropped.has(at)) return partner[at] ?? at;
    const note = noteAt.get(at);
    if (note !== undefined) return note.close;
    rewritten.push(events[at] as MarkupEvent);
    const call = callAt.get(at);
    if (call === undefined) return at;
    rewritten.push(signOf(events, call, `[${call.mark}]`), events[call.close] as MarkupEvent);
    return call.close;
  };
  const write = (from: number, to: number, dropped: ReadonlySet<number>) => {
    for (let next = from; next <= to; ) {
      const last = writeOne(next, dropped);
      for (const called of behind.get(last) ?? []) writeNote(called);
      next = last + 1;
    }
  };
  const writeNote = (note: Note) => {
    const { start, end } = events[note.close] as MarkupEvent;
    rewritten.push({ ...(events[note.open] as OpenEvent), name: "div" });
    const inner = events.slice(note.open + 1, note.close + 1);
    const begin = inner.findIndex((event) => event.type !== "text" || event.text.trim() !== "");
    const first = inner[begin];
    const isParagraph = first?.type === "open" && first.name === "p";
    if (isParagraph) rewritten.push(first);
    rewritten.push(signOf(events, note.call, `[${note.call.mark}] `));
    write(note.open + 1 + begin + (isParagraph ? 1 : 0), note.close - 1, note.back);
    rewritten.push({ type: "close", name: "div", atEnd: false, start, end });
  };
  write(0, events.length - 1, new Set());
  return rewritten;
}

/** A sign in the place of the call's own text. */
function signOf(events: readonly MarkupEvent[], { open, close }: Element, text: string): MarkupEvent {
  return { type: "text", text, start: (events[open] as MarkupEvent).end, end: (events[close] as MarkupEvent).start };
}
