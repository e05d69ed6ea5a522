import type { TextRange } from "../shared/types.ts";

/** A stretch of a text, and how much of the wording that was looked for it has: 0–1. */
export interface NearestWording extends TextRange {
  readonly likeness: number;
}

const WORD = /[\p{L}\p{N}]+/gu;

/**
 * The stretch of a text that comes nearest to a wording: of all stretches with as many words, the one that shares most of them, each word weighted by how
 * rare it is in the text. `null` where no word is shared. Of equals the one nearest to `near`. Linear in the text.
 * @param near offset at which the wording used to stand
 */
export function nearestWording(wording: string, text: string, near: number): NearestWording | null {
  const sought = new Map<string, number>();
  let size = 0;
  for (const [word] of wording.matchAll(WORD)) {
    const key = word.toLowerCase();
    sought.set(key, (sought.get(key) ?? 0) + 1);
    size++;
  }
  const words = [...text.matchAll(WORD)].map((match) => ({ key: match[0].toLowerCase(), start: match.index, length: match[0].length }));
  if (size === 0 || words.length === 0) return null;
  const counts = new Map<string, number>();
  for (const { key } of words) if (sought.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const weightOf = (key: string) => 1 / Math.log2(2 + (counts.get(key) ?? 0));
  const most = [...sought].reduce((sum, [key, count]) => sum + count * weightOf(key), 0);
  const left = new Map(sought);
  let shared = 0;
  let best: { at: number; shared: number } | null = null;
  const isBetter = (at: number) => {
    if (best === null || shared > best.shared + 1e-9) return shared > 1e-9;
    const away = (index: number) => Math.abs((words[index]?.start ?? 0) - near);
    return shared > best.shared - 1e-9 && away(at) < away(best.at);
  };
  for (let end = 0; end < words.length; end++) {
    const entering = words[end]?.key ?? "";
    const rest = left.get(entering);
    if (rest !== undefined) {
      if (rest > 0) shared += weightOf(entering);
      left.set(entering, rest - 1);
    }
    const leaving = words[end - size]?.key;
    const owed = leaving === undefined ? undefined : left.get(leaving);
    if (leaving !== undefined && owed !== undefined) {
      left.set(leaving, owed + 1);
      if (owed >= 0) shared -= weightOf(leaving);
    }
    const at = Math.max(0, end - size + 1);
    if (isBetter(at)) best = { at, shared };
  }
  if (best === null) return null;
  const inside = words.slice(best.at, best.at + size);
  const first = inside.find(({ key }) => sought.has(key));
  const last = inside.findLast(({ key }) => sought.has(key));
  if (first === undefined || last === undefined) return null;
  return { start: first.start, end: last.start + last.length, likeness: Math.min(1, best.shared / most) };
}
