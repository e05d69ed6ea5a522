import { createEnglishWords, type EnglishWords } from "../reading/english-words.ts";
import { once } from "../text/once.ts";
import { whileHeld } from "../text/while-held.ts";
import { loadWordRelations, type WordRelations } from "./word-relations.ts";
import { createWordStemmer } from "./word-stemmer.ts";

/** What is known of words in every domain. Each list is read when it is first asked for: some tens of milliseconds, once for all who share this. */
export interface GeneralWords {
  readonly english: EnglishWords;
  /** By the stems of `createWordStemmer`. */
  readonly relations: () => WordRelations;
}

export function createGeneralWords(): GeneralWords {
  return { english: createEnglishWords(), relations: once(() => loadWordRelations(createWordStemmer())) };
}

/** The lists that ship, one of each for all of the process. */
export const sharedWords = whileHeld(createGeneralWords);
