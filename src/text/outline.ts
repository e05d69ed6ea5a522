import type { Block, Heading, StoredDocument } from "../shared/types.ts";
import { MAX_HEADING, walkHeadings } from "./heading-path.ts";

/** The headings of a document, in order. */
export function outlineOf(text: string, blocks: readonly Block[]): Heading[] {
  return blocks
    .filter(({ type }) => type === "heading")
    .map(({ start, end, level }) => ({ start, level, text: text.slice(start, Math.min(end, start + MAX_HEADING)) }));
}

/** Headings above an offset, outermost first, with one that begins there. */
export function headingPathAt({ text, blocks }: Pick<StoredDocument, "text" | "blocks">, offset: number): string[] {
  const walk = walkHeadings<Block>();
  for (const block of blocks) {
    if (block.start > offset) break;
    if (block.type === "heading") walk.enter(block);
  }
  return walk.at(offset).map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_HEADING)));
}
