import { createRequire } from "node:module";
import type { TextRange } from "../types.ts";
import { countTokens, RUN_LIMIT } from "./cl100k.ts";
import { isInsidePair } from "./sentences.ts";

/** `countTokens(text.slice(start, end))`, for many ranges of one text. */
export type TokenCounter = (range: TextRange) => number;

/** Tokens of words that were counted before; kept from one text to the next, it saves most of the counting. */
export type WordTokens = Map<string, number>;

/** Shorter slices are counted as they are: looking places up costs more. */
const SHORT = 24;
/** Different words whose tokens are kept: most of a text are words that were used before. */
const KEPT_WORDS = 50_000;
const LONG_RUN = new RegExp(`[\\t-\\r ]{${RUN_LIMIT + 1},}|[^\\t-\\r ]{${RUN_LIMIT + 1},}`, "g");

const require = createRequire(import.meta.url);

/**
 * Reads a text once, so that the tokens of any part of it are known without reading the part again: the encoder splits text into words by what stands next
 * to them, so that inside a part the words are those of the whole text but for its first and its last ones, which are counted anew. The same number as
 * `countTokens` of the slice, always.
 */
export function createTokenCounter(text: string, known: WordTokens = new Map()): TokenCounter {
  const { starts, sums, split } = readWords(text, known);
  const longRuns = [...text.matchAll(LONG_RUN)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  return ({ start, end }) => {
    const slice = () => countTokens(text.slice(start, end));
    if (
      end - start < SHORT ||
      isInsidePair(text, start) ||
      isInsidePair(text, end) ||
      longRuns.some((run) => run.start < end && run.end > start)
    )
      return slice();
    let last = lastAtMost(starts, end - 1);
    while (last > 0 && text.slice(starts[last], end).trim() === "") last--;
    let at = start;
    let count = 0;
    for (;;) {
      const first = lastAtMost(starts, at);
      if (first >= last) return slice();
      if (starts[first] === at) {
        const tail = countTokens(text.slice(starts[last], end));
        return count + (sums[last] as number) - (sums[first] as number) + tail;
      }
      split.lastIndex = at;
      const word = split.exec(text)?.[0] ?? "";
      if (word === "") return slice();
      count += countTokens(word);
      at += word.length;
    }
  };
}

interface Words {
  /** Where each word begins. */
  readonly starts: readonly number[];
  /** Tokens before each word. */
  readonly sums: readonly number[];
  /** What splits text into words. */
  readonly split: RegExp;
}

function readWords(text: string, known: WordTokens): Words {
  const constants: { CL100K_TOKEN_SPLIT_REGEX: RegExp } = require("gpt-tokenizer/encodingParams/constants");
  const split = new RegExp(constants.CL100K_TOKEN_SPLIT_REGEX);
  const starts: number[] = [];
  const sums: number[] = [];
  let sum = 0;
  for (let match = split.exec(text); match !== null; match = split.exec(text)) {
    const [word] = match;
    starts.push(match.index);
    sums.push(sum);
    let tokens = known.get(word);
    if (tokens === undefined) {
      tokens = countTokens(word);
      if (known.size < KEPT_WORDS) known.set(word, tokens);
    }
    sum += tokens;
  }
  return { starts, sums, split };
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
