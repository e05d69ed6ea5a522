import type { TextRange } from "../../src/shared/types.ts";

/** Picks a random item; `null` if there is none. */
export function pick<T>(items: readonly T[], random: () => number): T | null {
  return items[Math.floor(random() * items.length)] ?? null;
}

export function replaceRange(text: string, { start, end }: TextRange, instead: string): string {
  return text.slice(0, start) + instead + text.slice(end);
}

export function replaceAt(text: string, match: RegExpExecArray, instead: string): string {
  return replaceRange(text, { start: match.index, end: match.index + match[0].length }, instead);
}

/** Replaces one random match of a global pattern; `null` if there is none. */
export function replaceMatch(text: string, pattern: RegExp, random: () => number, by: (found: string) => string): string | null {
  const match = pick([...text.matchAll(pattern)], random);
  return match === null ? null : replaceAt(text, match, by(match[0]));
}

/** Returns the changed text; `null` if it equals the original. */
export function changed(text: string, other: string): string | null {
  return other === text ? null : other;
}
