import type { Block, Heading, StoredDocument } from "../types.ts";
import { enterHeading, MAX_HEADING } from "./heading-path.ts";

/** The headings of a document, in order. */
export function outlineOf(text: string, blocks: readonly Block[]): Heading[] {
  return blocks
    .filter(({ type }) => type === "heading")
    .map(({ start, end, level }) => ({ start, level, text: text.slice(start, Math.min(end, start + MAX_HEADING)) }));
}

/** The headings under which an offset stands, outermost first, with one that begins there. */
export function headingsAt(outline: readonly Heading[], offset: number): Heading[] {
  let path: Heading[] = [];
  for (const heading of outline) {
    if (heading.start > offset) break;
    path = enterHeading(path, heading);
  }
  return path;
}

/** Headings above an offset, outermost first. */
export function headingPathAt({ text, blocks }: Pick<StoredDocument, "text" | "blocks">, offset: number): string[] {
  return headingsAt(outlineOf(text, blocks), offset).map((heading) => heading.text);
}
