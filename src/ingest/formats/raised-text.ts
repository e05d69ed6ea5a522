import { decodeHTMLStrict } from "entities";
import { BLOCK_ELEMENTS, type MarkupEvent, partnersOf } from "./markup.ts";

const PLAIN = "0123456789+-\u2212\u2013=()n, ";
const RAISED = [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ, "];
const LOWERED = [..."₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₙ, "];
/** What calls a note, with or without brackets. */
const NOTE_MARK = /^\[?(\d{1,3}|\*{1,3}|[\u2020\u2021])\]?$/;
/** What may go on with a number. */
const OF_A_NUMBER = /^[-+\u2212\u2013.,]?\p{Nd}/u;

/**
 * Events with raised and lowered text as characters of its own, wherever it would become another number or part of one: `10<sup>6</sup>` is "10⁶", or `^`
 * where a character lacks. What calls a note is "[1]". Lowered digits behind a letter stay: "H2O" is found as it is written.
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

/** What is written in the place of a raised or lowered element; `null`: it stays as it is. */
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

/** The text that directly follows in the same block, at the same height. */
function textAfter(events: readonly MarkupEvent[], close: number): string {
  for (const event of events.slice(close + 1, close + 5)) {
    if (event.type === "text") return event.text;
    if (event.type !== "comment" && (BLOCK_ELEMENTS.has(event.name) || isRaising(event))) return "";
  }
  return "";
}
