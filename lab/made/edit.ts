import type { TextRange } from "../../src/shared/types.ts";

/** One of them, drawn; `null` where there is none. */
export function pick<T>(items: readonly T[], random: () => number): T | null {
  return items[Math.floor(random() * items.length)] ?? null;
}

/** The text with something else in place of a range. */
export function replaceRange(text: string, { start, end }: TextRange, instead: string): string {
  return text.slice(0, start) + instead + text.slice(end);
}

/** The text with something else in place of a match. */
export function replaceAt(text: string, match: RegExpExecArray, instead: string): string {
  return replaceRange(text, { start: match.index, end: match.index + match[0].length }, instead);
}

/** The text with one match of the pattern, drawn, in other words; `null` where there is none. `pattern` is global. */
export function replaceMatch(text: string, pattern: RegExp, random: () => number, by: (found: string) => string): string | null {
  const match = pick([...text.matchAll(pattern)], random);
  return match === null ? null : replaceAt(text, match, by(match[0]));
}

/** A changed text; `null` where nothing was. */
export function changed(text: string, other: string): string | null {
  return other === text ? null : other;
}
