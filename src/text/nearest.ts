import { closest, distance } from "fastest-levenshtein";

/** The candidate nearest to `word` by edit distance, or `null` when none is near enough to be what was meant (more than half of its letters differ). */
export function nearestName(word: string, candidates: readonly string[]): string | null {
  if (candidates.length === 0) return null;
  const best = closest(word, candidates);
  return distance(word, best) <= Math.max(2, Math.floor(best.length / 2)) ? best : null;
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
