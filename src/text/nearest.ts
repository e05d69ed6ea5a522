import { distance } from "fastest-levenshtein";
import { editDistance } from "./spelling.ts";

/**
 * The candidate nearest to `word` by edits (two exchanged neighbours are one), the first of equals; `null` when none is near enough to be what was meant:
 * more than one letter of three differs.
 */
export function nearestName(word: string, candidates: readonly string[]): string | null {
  let best: { name: string; away: number } | null = null;
  for (const name of candidates) {
    const limit = Math.floor(Math.min(word.length, name.length) / 3);
    const away = editDistance(word.toLowerCase(), name.toLowerCase(), limit);
    if (away <= limit && (best === null || away < best.away)) best = { name, away };
  }
  return best?.name ?? null;
}

/** ` Did you mean "x"?` or the empty string; appended to messages about unknown names. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const best = nearestName(word, candidates);
  return best === null ? "" : ` Did you mean "${best}"?`;
}

/** The names nearest to `word` by edit distance, nearest first, whatever their case; equal ones in their order. */
export function nearestNames(word: string, names: readonly string[], limit: number): string[] {
  const asked = word.toLowerCase();
  return names
    .map((name) => ({ name, away: distance(asked, name.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
    .slice(0, limit)
    .map(({ name }) => name);
}
