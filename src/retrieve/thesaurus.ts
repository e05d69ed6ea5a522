import { type Word, words } from "../text/tokens.ts";

/** What an abbreviation's long form counts beside the question's own words: it means the same, but its words are commoner. */
export const ABBREVIATION_WEIGHT = 0.5;
/** What a synonym counts: it only often means the same. */
export const SYNONYM_WEIGHT = 0.3;

/** Other words for a phrase of a question. */
export interface Equivalent {
  /** The phrase as the domain pack writes it. */
  readonly of: string;
  readonly to: string;
  /** Tokens of the phrase in the question. */
  readonly ofTokens: readonly string[];
  readonly tokens: readonly string[];
  /** Beside 1 of the question's own words. */
  readonly weight: number;
}

/** The abbreviations and synonyms of a domain. */
export interface Thesaurus {
  /** Every other way of saying something that the text says, longest phrase first at each place. */
  equivalents(text: string): Equivalent[];
  /** Is the word part of some entry? Such words are never taken for misspelt. */
  has(word: string): boolean;
}

export interface ThesaurusEntries {
  /** Abbreviation → what it stands for. */
  readonly abbreviations: Readonly<Record<string, readonly string[]>>;
  /** Groups of phrases that ask for the same. */
  readonly synonyms: readonly (readonly string[])[];
}

/**
 * Phrases match as whole words in any inflection ("buddy letters" is "buddy letter"), stop words included.
 * @param tokenize tokens of a text as the index sees them
 * @param stem the stem of one word
 */
export function createThesaurus(
  { abbreviations, synonyms }: ThesaurusEntries,
  tokenize: (text: string) => string[],
  stem: (word: string) => string,
): Thesaurus {
  const entries = new Map<string, Equivalent[]>();
  const known = new Set<string>();
  let longest = 0;
  const add = (of: string, to: string, weight: number) => {
    const key = keysOf(words(of), stem);
    const tokens = tokenize(to);
    if (key.length === 0 || tokens.length === 0) return;
    longest = Math.max(longest, key.length);
    for (const word of words(of)) known.add(word.text);
    const place = key.join(" ");
    entries.set(place, [...(entries.get(place) ?? []), { of, to, ofTokens: tokenize(of), tokens, weight }]);
  };
  for (const [short, meanings] of Object.entries(abbreviations)) {
    for (const long of meanings) {
      add(short, long, ABBREVIATION_WEIGHT);
      add(long, short, ABBREVIATION_WEIGHT);
    }
  }
  for (const group of synonyms) for (const of of group) for (const to of group) if (of !== to) add(of, to, SYNONYM_WEIGHT);
  return {
    has: (word) => known.has(word),
    equivalents(text) {
      const said = keysOf(words(text), stem);
      const found: Equivalent[] = [];
      for (let at = 0; at < said.length; at++) {
        for (let length = Math.min(longest, said.length - at); length > 0; length--) {
          const here = entries.get(said.slice(at, at + length).join(" "));
          if (here === undefined) continue;
          found.push(...here);
          at += length - 1;
          break;
        }
      }
      return [...new Set(found)];
    },
  };
}

function keysOf(said: readonly Word[], stem: (word: string) => string): string[] {
  return said.map(({ text, code }) => (code ? text : stem(text)));
}
