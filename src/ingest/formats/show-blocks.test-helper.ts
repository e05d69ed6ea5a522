import type { WrittenBlocks } from "../block-writer.ts";

/** Formats blocks for assertions: type, level, `^` index of the header row, text with `⏎` for line breaks. */
export function blocksOf({ text, blocks }: WrittenBlocks): string[] {
  return blocks.map(({ type, level, header, start, end }) => {
    const content = text.slice(start, end).replaceAll("\n", "⏎");
    return `${type}${level || ""}${header >= 0 ? `^${header}` : ""} ${content}`;
  });
}
