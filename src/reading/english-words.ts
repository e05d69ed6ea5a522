import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../package.ts";
import { once } from "../text/once.ts";

/** The highest level of the SCOWL word lists (of 10 to 95) that we have: whatever stands there is a real word. */
const REAL_LEVEL = 70;
/** The highest level of words that most people know. */
const KNOWN_LEVEL = 50;
/** The level of words that every text uses. */
const COMMON_LEVEL = 10;

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
  const lists = once(readLists);
  const upTo = (highest: number) => once(() => new Set(lists().flatMap(({ level, words }) => (level <= highest ? words : []))));
  const [known, common, real] = [upTo(KNOWN_LEVEL), upTo(COMMON_LEVEL), upTo(REAL_LEVEL)];
  return { isEnglish: (word) => known().has(word), isCommon: (word) => common().has(word), real };
}

/** A line for each level. `scripts/build-data.mjs` wrote the file. */
function readLists(): { readonly level: number; readonly words: readonly string[] }[] {
  const lines = readFileSync(join(PACKAGE_ROOT, "src", "reading", "english-words.txt"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const [level, ...words] = line.split(" ");
    return { level: Number(level), words };
  });
}
