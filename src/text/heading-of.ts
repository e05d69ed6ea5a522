import type { Passage } from "../types.ts";

/** The last heading at or above the window of a passage that was found; `null` when there is none. */
export function headingOf({ units, window, range, text, headingPath }: Passage): string | null {
  const above = units.filter(({ type, start }) => type === "heading" && start <= window.start).at(-1);
  if (above === undefined) return headingPath.at(-1) ?? null;
  return text.slice(above.start - range.start, above.end - range.start);
}
