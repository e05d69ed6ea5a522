import { decodeHTMLStrict } from "entities";
import { BLOCK_ELEMENTS, type MarkupEvent, partnersOf } from "./markup.ts";
import { NOTE_MARK } from "./notes-at-calls.ts";

const PLAIN = "0123456789+-\u2212\u2013=()n, ";
const RAISED = [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ, "];
const LOWERED = [..."₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₙ, "];
/** A continuation of a number. */
const OF_A_NUMBER = /^[-+\u2212\u2013.,]?\p{Nd}/u;

/**
 * Writes raised and lowered text in characters of its own where plain digits would change a number: `10<sup>6</sup>` becomes "10⁶", with
 * `^` for missing characters. Note references become "[1]". Lowered digits after a letter stay, so that "H2O" remains searchable.
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

function isRaising(event: MarkupEvent): boolean {
  return event.type === "open" && (event.name === "sup" || event.name === "sub");
}

/** Returns the replacement of a raised or lowered element; `null` to keep it. */
function raised(events: readonly MarkupEvent[], open: number, close: number, before: string): string | null {
  const inner = events.slice(open, close);
  const isSimple = inner.every((event) => event.type !== "open" || (!BLOCK_ELEMENTS.has(event.name) && event.name !== "img"));
  const text = decodeHTMLStrict(inner.map((event) => (event.type === "text" ? event.text : "")).join(""))
    .replace(/\s+/g, " ")
    .trim();
  if (!isSimple || !/\p{Nd}/u.test(text) || /[[\]*_`\\<]/.test(text)) return null;
  const isLowered = inner.some((event, i) => i === 0 && event.type === "open" && event.name === "sub");
  if (isLowered && /[\p{L})\]]$/u.test(before) && !/^\p{Nd}/u.test(textAfter(events, close))) return null;
  const leads = inner.some((event) => event.type === "open" && event.name === "a" && event.attributes.href?.includes("#") === true);
  if (leads && NOTE_MARK.test(text)) return `[${text}]`;
  const characters = [...text].map((character) => (isLowered ? LOWERED : RAISED)[PLAIN.indexOf(character)]);
  if (characters.every((character) => character !== undefined)) return characters.join("");
  if (!/\p{Nd}$/u.test(before) || !OF_A_NUMBER.test(text)) return null;
  return `${isLowered ? "_" : "^"}${text.includes(" ") ? `(${text})` : text}`;
}

/** Returns the text directly after the element in the same block, unless raised or lowered. */
function textAfter(events: readonly MarkupEvent[], close: number): string {
  for (const event of events.slice(close + 1, close + 5)) {
    if (event.type === "text") return event.text;
    if (event.type !== "comment" && (BLOCK_ELEMENTS.has(event.name) || isRaising(event))) return "";
  }
  return "";
}
