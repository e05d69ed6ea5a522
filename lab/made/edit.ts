import type { TextRange } from "../../src/types.ts";

/** One of them, drawn; `null` where there is none. */
export function pick<T>(items: readonly T[], random: () => number): T | null {
  return items[Math.floor(random() * items.length)] ?? null;
}

/** The text with something else in place of a range. */
export function replaceRange(text: string, { start, end }: TextRange, instead: string): string {
  return text.slice(0, start) + instead + text.slice(end);
}
