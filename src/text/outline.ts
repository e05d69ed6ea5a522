import type { Block, Heading } from "../types.ts";

/** Longer headings are cut in an outline, in characters: none that is longer is asked for by name. */
const MAX_HEADING = 300;

/** The headings of a document, in order. */
export function outlineOf(text: string, blocks: readonly Block[]): Heading[] {
  return blocks
    .filter(({ type }) => type === "heading")
    .map(({ start, end, level }) => ({ start, level, text: text.slice(start, Math.min(end, start + MAX_HEADING)) }));
}

/** The headings under which an offset stands, outermost first, with one that begins there. */
export function headingsAt(outline: readonly Heading[], offset: number): Heading[] {
  const path: Heading[] = [];
  for (const heading of outline) {
    if (heading.start > offset) break;
    while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop();
    path.push(heading);
  }
  return path;
}
