import { headBreaks } from "./head-lines.ts";
import { rowBreaks } from "./row-lines.ts";

/** What the line ends that a break within a paragraph ends: a row, or the heading of what follows. */
export type LineBreak = "row" | "head";

/** Line breaks within paragraphs of `source` from `from` on that say something, by their place. */
export function lineBreaks(source: string, from = 0): ReadonlyMap<number, LineBreak> {
  const found = new Map<number, LineBreak>();
  for (const at of rowBreaks(source, from)) found.set(at, "row");
  for (const at of headBreaks(source, from)) found.set(at, "head");
  return found;
}
