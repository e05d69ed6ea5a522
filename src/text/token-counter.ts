import type { TextRange } from "../shared/types.ts";
import { cl100kSplitter, countTokens, RUN_LIMIT } from "./cl100k.ts";
import { isInsidePair } from "./sentences.ts";

/** `countTokens(text.slice(start, end))`, for many ranges of one text. */
export type TokenCounter = (range: TextRange) => number;

/** Shorter slices are tokenised again: looking places up costs more. */
const SHORT = 24;

/**
 * Reads a text once, so that the tokens of any part of it are known without reading the part again: the encoder splits text into words by what stands next
 * to them, so that inside a part the words are those of the whole text but for its first and its last ones, which are counted again. The same number as
 * `countTokens` of the slice, always.
 */
export function createTokenCounter(text: string, known: WordTokens = createWordTokens()): TokenCounter {
  const longRuns = longRunsOf(text);
  const split = cl100kSplitter();
  const { starts, sums } = readWords(text, longRuns, { known, split });
  const countWords = (part: string) => {
    let sum = 0;
    for (let at = 0; at < part.length; ) {
      const end = wordEnd(part, at, split);
      sum += known.count(part, at, end);
      at = end;
    }
    return sum;
  };
  return ({ start, end }) => {
    const part = text.slice(start, end);
    if (isInsidePair(text, start) || isInsidePair(text, end) || longRuns.some((run) => run.start < end && run.end > start))
      return countTokens(part);
    if (part.length < SHORT) return countWords(part);
    let last = lastAtMost(starts, end - 1);
    while (last > 0 && text.slice(starts[last], end).trim() === "") last--;
    let at = start;
    let count = 0;
    for (;;) {
      const first = lastAtMost(starts, at);
      if (first >= last) return countWords(part);
      if (starts[first] === at) {
        const tail = known.count(text, starts[last] as number, end);
        return count + (sums[last] as number) - (sums[first] as number) + tail;
      }
      const stop = wordEnd(part, at - start, split);
      count += known.count(part, at - start, stop);
      at = start + stop;
    }
  };
}

interface Words {
  /** Where each word begins. */
  readonly starts: readonly number[];
  /** Tokens before each word. */
  readonly sums: readonly number[];
}

/** Where the text goes on without a blank, or in blanks alone, for longer than words do. */
function longRunsOf(text: string): TextRange[] {
  const runs: TextRange[] = [];
  let from = 0;
  let wasSpace = false;
  for (let i = 0; i <= text.length; i++) {
    const code = text.charCodeAt(i);
    const isSpace = code === 32 || (code >= 9 && code <= 13);
    if (i < text.length && isSpace === wasSpace) continue;
    if (i - from > RUN_LIMIT) runs.push({ start: from, end: i });
    from = i;
    wasSpace = isSpace;
  }
  return runs;
}

/** Words between long runs, which are never split: a run of a million letters is more than the expression can hold. */
function readWords(
  text: string,
  longRuns: readonly TextRange[],
  { known, split }: { readonly known: WordTokens; readonly split: RegExp },
): Words {
  const starts: number[] = [];
  const sums: number[] = [];
  let sum = 0;
  for (const [i, from] of [0, ...longRuns.map(({ end }) => end)].entries()) {
    const part = longRuns.length === 0 ? text : text.slice(from, longRuns[i]?.start ?? text.length);
    for (let at = 0; at < part.length; ) {
      const end = wordEnd(part, at, split);
      starts.push(from + at);
      sums.push(sum);
      sum += known.count(part, at, end);
      at = end;
    }
  }
  return { starts, sums };
}

/** Where the word ends that begins at `at`. */
function wordEnd(text: string, at: number, split: RegExp): number {
  const end = plainWordEnd(text, at);
  if (end > at) return end;
  split.lastIndex = at;
  return split.test(text) ? split.lastIndex : text.length;
}

/**
 * Where the word ends that begins at `at`, if it is what most of a text is: English letters with at most one other character before them, up to three digits,
 * a mark before a blank; else `at`. The same word as the expression finds, in a fraction of its time.
 */
function plainWordEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (isDigit(first)) return digitsEnd(text, at);
  const from = isEnglishLetter(first) || !mayPrecedeLetters(first) ? at : at + 1;
  let end = from;
  while (isEnglishLetter(text.charCodeAt(end))) end++;
  // What follows may be a letter too, or a mark that changes the last one.
  if (end > from) return text.charCodeAt(end) > 127 ? at : end;
  return from > at && first > 32 && text.charCodeAt(from) === 32 ? from : at;
}

/** What goes into one word with the letters behind it. Not so an apostrophe: with some letters it is a word of its own. */
function mayPrecedeLetters(code: number): boolean {
  return code === 32 || (code > 32 && code < 127 && code !== 39);
}

function digitsEnd(text: string, at: number): number {
  let end = at + 1;
  while (end < at + 3 && isDigit(text.charCodeAt(end))) end++;
  return end < at + 3 && text.charCodeAt(end) > 127 ? at : end;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isEnglishLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** Index of the last number that is at most `limit`; -1: none is. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

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
