import { isNeverText } from "./elements.ts";
import type { MarkupEvent } from "./markup.ts";

/** Headings below it are those of parts. */
const LOWEST_TOP_LEVEL = 2;
/** A share of a page's text that is the page itself; the longer one of two panels is less. */
const WHOLE_SHARE = 0.8;
const HEADING = /^h[1-6]$/;

/**
 * Tells whether an element is the page rather than a part of it: it holds all headings of the page's highest level or nearly all text. Only the title, or both, says
 * so against a control that names what it opens.
 */
export function wholePageOf(events: readonly MarkupEvent[], partner: Int32Array): (element: number, isGuess: boolean) => boolean {
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
