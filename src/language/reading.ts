import { memoised, once } from "../text/memo.ts";
import { type ContentWord, createWordReader, type ReadWords } from "./content-words.ts";
import { type Value, valuesIn } from "./values.ts";

/** Analysis of a text without a model: its words with their negation, and its values. */
export interface Reading {
  readonly text: string;
  readonly words: readonly ContentWord[];
  /** Roots of the words. A negated word also adds its root with the prefix `¬`. */
  readonly roots: ReadonlySet<string>;
  readonly values: readonly Value[];
}

/** Maximum number of cached analyses. */
const REMEMBERED = 2000;
/** Maximum number of characters to analyse. The rest of a longer text is ignored. */
const MAX_CHARACTERS = 20_000;

/** Returns a function that analyses texts and caches the results. */
export function createReading(readWords: ReadWords = createWordReader()): (text: string) => Reading {
  return memoised(REMEMBERED, (text: string) => {
    const beginning = text.slice(0, MAX_CHARACTERS);
    const words = readWords(beginning);
    // Computed on first use, because most texts never need them.
    const roots = once(() => new Set(words.flatMap(({ root, negated }) => (negated ? [root, `¬${root}`] : [root]))));
    const values = once(() => valuesIn(beginning));
    return {
      text,
      words,
      get roots() {
        return roots();
      },
      get values() {
        return values();
      },
    };
  });
}
