import { countTokens } from "./cl100k.ts";

/** Tokens of words that were counted before; kept from one text to the next, it saves most of the counting. */
export interface WordTokens {
  /** Tokens of the word `text.slice(start, end)`. */
  count(text: string, start: number, end: number): number;
}

/** Different words whose tokens are kept: most of a text are words that were used before. */
const KEPT_WORDS = 200_000;
/** Longer words are rare and soon not seen again. */
const KEPT_LENGTH = 64;
const FIRST_WORDS = 512;
/** Places of the table for each word that it may hold, a power of two. */
const PLACES_PER_WORD = 4;

/**
 * A table from words to their tokens that is asked by where a word stands: a string of its own for each word of a text takes longer than to look it up.
 */
export function createWordTokens(): WordTokens {
  /** 1 + the index of the word that a place holds; 0: none. */
  let places = new Int32Array(FIRST_WORDS * PLACES_PER_WORD);
  /** Characters of the kept words, one after the other. */
  let characters = new Uint16Array(FIRST_WORDS * 8);
  /** Of each word: where its characters begin, its hash, its tokens; after the last one, where they end. */
  let words = new Int32Array((FIRST_WORDS + 1) * 3);
  let size = 0;
  return { count };

  function count(text: string, start: number, end: number): number {
    const length = end - start;
    if (length > KEPT_LENGTH) return countTokens(text.slice(start, end));
    const hash = hashOf(text, start, end);
    const mask = places.length - 1;
    let place = hash & mask;
    for (let found = places[place] as number; found !== 0; found = places[place] as number) {
      const word = (found - 1) * 3;
      if (words[word + 1] === hash && isAt(word, text, start, length)) return words[word + 2] as number;
      place = (place + 1) & mask;
    }
    const kept = text.slice(start, end);
    const tokens = countTokens(kept);
    if (size < KEPT_WORDS) keep(kept, { place, hash, tokens });
    return tokens;
  }

  function isAt(word: number, text: string, start: number, length: number): boolean {
    const from = words[word] as number;
    if ((words[word + 3] as number) - from !== length) return false;
    for (let i = 0; i < length; i++) if (characters[from + i] !== text.charCodeAt(start + i)) return false;
    return true;
  }

  function keep(word: string, { place, hash, tokens }: { readonly place: number; readonly hash: number; readonly tokens: number }): void {
    const from = words[size * 3] as number;
    const to = from + word.length;
    if (to > characters.length) characters = grown(characters, new Uint16Array(characters.length * 2));
    if ((size + 2) * 3 > words.length) words = grown(words, new Int32Array(words.length * 2));
    for (let i = 0; i < word.length; i++) characters[from + i] = word.charCodeAt(i);
    words[size * 3 + 1] = hash;
    words[size * 3 + 2] = tokens;
    places[place] = ++size;
    words[size * 3] = to;
    if (size * PLACES_PER_WORD >= places.length * 2) spread();
  }

  /** The words over twice as many places. */
  function spread(): void {
    places = new Int32Array(places.length * 2);
    const mask = places.length - 1;
    for (let word = 0; word < size; word++) {
      let place = (words[word * 3 + 1] as number) & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = word + 1;
    }
  }
}

/** FNV-1a over the characters, with its upper half folded in. */
function hashOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

function grown<Numbers extends Uint16Array | Int32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
