import { parseMarkers } from "../check/markers.ts";
import { splitSentences } from "../text/sentences.ts";
import type { TextRange } from "../types.ts";
import { leadingMarkers } from "../write/draft.ts";

/** Longest answer that is read, in characters: about 40 pages. */
export const MAX_ANSWER_CHARACTERS = 100_000;

/** Sentences with the markers that stand behind their stop. */
export function markedSentences(answer: string): TextRange[] {
  const ranges: { start: number; end: number }[] = [];
  for (const { start, end } of splitSentences(answer)) {
    const behind = leadingMarkers(answer.slice(start, end), parseMarkers);
    const before = ranges.at(-1);
    if (before !== undefined) before.end = Math.max(before.end, start + behind);
    if (start + behind < end) ranges.push({ start: before === undefined ? start : start + behind, end });
  }
  return ranges;
}
