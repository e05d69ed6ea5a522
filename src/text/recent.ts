import { sha256Hex } from "./hash.ts";

/** Characters of the longest text whose result is kept: several questions long. */
const MOST_CHARACTERS = 2_000;

/**
 * A pure function of a text whose last results are kept. Texts themselves are not: only hashes of them.
 * @param most results kept; the one that was not asked for longest goes first
 */
export function recent<T>(most: number, make: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    if (text.length > MOST_CHARACTERS) return make(text);
    const key = sha256Hex(text);
    const result = kept.has(key) ? (kept.get(key) as T) : make(text);
    kept.delete(key);
    kept.set(key, result);
    if (kept.size > most) kept.delete(kept.keys().next().value as string);
    return result;
  };
}
