import { decodeHTMLStrict } from "entities";
import { BLOCK_ELEMENTS, closing, indexesById, type MarkupEvent, type OpenEvent, opening, opens, partnersOf, textOf } from "./markup.ts";
import { oneLine } from "./parsed.ts";

/** Matches the mark of a footnote reference, with or without brackets, e.g. "[3]" or "*". */
const NOTE_MARK = /^\[?(\d{1,3}|\*{1,3}|[\u2020\u2021])\]?$/;
/** Elements that may contain a footnote. */
const NOTES: ReadonlySet<string> = new Set(["li", "p", "div", "aside", "dd", "section"]);
const ITSELF = /[\p{L}\p{N}]/u;

/** A footnote with its references. `open` and `calls` are the indexes of their opening events. The footnote is written after event `at`. */
interface CitedNote {
  readonly mark: string;
  readonly open: number;
  readonly at: number;
  readonly calls: number[];
}

/**
 * Moves each footnote behind the block that contains the first reference to it. A reference is a link to the footnote whose text is a
 * superscript or bracketed mark. Links from the footnote back to its references are removed. Linear time.
 */
export function withNotesAtCalls(events: readonly MarkupEvent[]): readonly MarkupEvent[] {
  const partner = partnersOf(events);
  const notes = citedNotes(events, partner);
  if (notes.length === 0) return events;
  const replaced = new Map<number, MarkupEvent[]>();
  const behind = new Map<number, MarkupEvent[]>();
  for (const { mark, open, at, calls } of notes) {
    const { start, end } = events[open] as OpenEvent;
    const inner = withoutLinksBack(events, partner, open);
    const first = inner.findIndex((event) => event.type === "text" && event.text.trim() !== "");
    inner.splice(Math.max(0, first), 0, { type: "text", text: `[${mark}] `, start, end });
    behind.set(at, [...(behind.get(at) ?? []), opening("p", start), ...inner, closing("p", end)]);
    replaced.set(open, []);
    for (const call of calls) {
      const range = { start: (events[call] as OpenEvent).start, end: (events[partner[call] ?? call] as MarkupEvent).end };
      replaced.set(call, [{ type: "text", text: `[${mark}]`, ...range }]);
    }
  }
  const out: MarkupEvent[] = [];
  for (let i = 0; i < events.length; i++) {
    const instead = replaced.get(i);
    out.push(...(instead ?? [events[i] as MarkupEvent]));
    if (instead !== undefined) i = partner[i] ?? i;
    out.push(...(behind.get(i) ?? []));
  }
  return out;
}

function citedNotes(events: readonly MarkupEvent[], partner: Int32Array): CitedNote[] {
  const byId = indexesById(events);
  const found = new Map<number, CitedNote>();
  const open: number[] = [];
  for (const [i, event] of events.entries()) {
    if (event.type === "close") open.pop();
    if (event.type !== "open") continue;
    open.push(i);
    const target = event.name === "a" ? byId.get(/^#(.+)$/.exec(event.attributes.href ?? "")?.[1] ?? "") : undefined;
    if (target === undefined || !NOTES.has((events[target] as OpenEvent).name)) continue;
    const close = partner[i] ?? i;
    const text = textOf(events.slice(i, close)).trim();
    const around = [...open.map((at) => events[at]), ...events.slice(i, close)];
    const isRaised = text.startsWith("[") || around.some((one) => opens(one, "sup"));
    const isInside = target < i && (partner[target] ?? target) > i;
    const mark = isRaised && !isInside ? NOTE_MARK.exec(text)?.[1] : undefined;
    const block = open.find((at) => opens(events[at], "table")) ?? open.findLast((at) => opens(events[at], ...BLOCK_ELEMENTS));
    if (mark === undefined || block === undefined) continue;
    const note = found.get(target) ?? { mark, open: target, at: partner[block] ?? block, calls: [] };
    note.calls.push(i);
    found.set(target, note);
  }
  let end = -1;
  // Skip a footnote inside another footnote. It would be moved twice.
  return [...found.values()]
    .sort((a, b) => a.open - b.open)
    .filter(({ open }) => {
      const isOuter = open > end;
      if (isOuter) end = partner[open] ?? open;
      return isOuter;
    });
}

/** Returns the contents of a footnote without its links back: links within the page whose text has no letter or digit. */
function withoutLinksBack(events: readonly MarkupEvent[], partner: Int32Array, open: number): MarkupEvent[] {
  const inner: MarkupEvent[] = [];
  for (let i = open + 1; i < (partner[open] ?? open); i++) {
    const event = events[i] as MarkupEvent;
    const close = partner[i] ?? i;
    const isBack = opens(event, "a") && (event.attributes.href ?? "").startsWith("#");
    if (isBack && !ITSELF.test(textOf(events.slice(i, close)))) i = close;
    else inner.push(event);
  }
  return inner;
}

const PLAIN = "0123456789+-\u2212\u2013=()n, ";
const RAISED = [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ, "];
const LOWERED = [..."₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₙ, "];
/** Matches text that would read as a continuation of the number before it, e.g. ",5". */
const OF_A_NUMBER = /^[-+\u2212\u2013.,]?\p{Nd}/u;

/**
 * Writes superscripts and subscripts with digits as Unicode characters, because plain digits would change the number before them:
 * `10<sup>6</sup>` becomes "10⁶". If Unicode lacks a character, `^` or `_` separates the text from a number before it. Footnote references
 * become "[1]". Subscripts after a letter become plain digits, so that "H2O" can be found.
 */
export function withRaisedText(events: readonly MarkupEvent[]): readonly MarkupEvent[] {
  if (!events.some(isRaising)) return events;
  const partner = partnersOf(events);
  const rewritten: MarkupEvent[] = [];
  let before = "";
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as MarkupEvent;
    const close = partner[i] ?? i;
    const text = isRaising(event) && close > i ? raised(events, i, close, before) : null;
    if (text !== null) {
      rewritten.push({ type: "text", text, start: event.start, end: (events[close] as MarkupEvent).end });
      before = text;
      i = close;
      continue;
    }
    rewritten.push(event);
    if (event.type === "text") before = event.text === "" ? before : event.text;
    else if (event.type !== "comment" && (BLOCK_ELEMENTS.has(event.name) || event.name === "br")) before = "";
  }
  return rewritten;
}

const isRaising = (event: MarkupEvent): boolean => opens(event, "sup", "sub");

/** Returns the text that replaces a superscript or subscript; `null` to keep the element. */
function raised(events: readonly MarkupEvent[], open: number, close: number, before: string): string | null {
  const inner = events.slice(open, close);
  const isSimple = !inner.some((event) => opens(event, "img", ...BLOCK_ELEMENTS));
  const text = oneLine(decodeHTMLStrict(textOf(inner)));
  if (!isSimple || !/\p{Nd}/u.test(text) || /[[\]*_`\\<]/.test(text)) return null;
  const isLowered = opens(inner[0], "sub");
  if (isLowered && /[\p{L})\]]$/u.test(before) && !/^\p{Nd}/u.test(textAfter(events, close))) return null;
  const leads = inner.some((event) => opens(event, "a") && event.attributes.href?.includes("#") === true);
  if (leads && NOTE_MARK.test(text)) return `[${text}]`;
  const characters = [...text].map((character) => (isLowered ? LOWERED : RAISED)[PLAIN.indexOf(character)]);
  if (characters.every((character) => character !== undefined)) return characters.join("");
  if (!/\p{Nd}$/u.test(before) || !OF_A_NUMBER.test(text)) return null;
  return `${isLowered ? "_" : "^"}${text.includes(" ") ? `(${text})` : text}`;
}

/** Returns the text directly after an element. If it is in another block, or in a superscript or subscript, returns "". */
function textAfter(events: readonly MarkupEvent[], close: number): string {
  for (const event of events.slice(close + 1, close + 5)) {
    if (event.type === "text") return event.text;
    if (event.type !== "comment" && (BLOCK_ELEMENTS.has(event.name) || isRaising(event))) return "";
  }
  return "";
}
