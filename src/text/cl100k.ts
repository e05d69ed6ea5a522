import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { PACKAGE_ROOT } from "../package.ts";
import type { TextRange } from "../shared/types.ts";
import { once } from "./memo.ts";
import { firstIndex } from "./numbers.ts";
import { isInsidePair } from "./sentences.ts";

/**
 * Longest run, in UTF-16 code units, that is tokenised in one go. A run contains only white space, or no white space.
 * Merging takes time quadratic in its length, so longer runs are split first.
 */
export const RUN_LIMIT = 256;

/** Pattern by which cl100k_base splits text into words before it merges bytes (https://github.com/openai/tiktoken, MIT licence). */
const SPLIT =
  /'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s/gu;

const ranks = once(readRanks);

/**
 * Counts the tokens of `text` in OpenAI's cl100k_base encoding. Special tokens such as `<|endoftext|>` are counted as
 * ordinary text. The first call loads the merge ranks (about 40 ms). The count is exact, except for runs longer than
 * `RUN_LIMIT`. These are split first, so that hostile input takes linear time.
 *
 * @example countTokens("Who may apply?") // 4
 */
export function countTokens(text: string): number {
  if (text.length <= RUN_LIMIT || longRunsOf(text).length === 0) return countWords(text);
  let total = 0;
  for (const [piece] of text.matchAll(/ ?\S{1,256}|\s{1,256}/g)) total += countWords(piece);
  return total;
}

/** Returns `countTokens(text.slice(start, end))` for the text that was passed to `createTokenCounter`. */
export type TokenCounter = (range: TextRange) => number;

/**
 * Creates a counter that is cheap for many ranges of one text. It tokenises the text once. For each range, it tokenises
 * only the words at the two ends again.
 */
export function createTokenCounter(text: string): TokenCounter {
  const longRuns = longRunsOf(text);
  const starts: number[] = [];
  /** Number of tokens before each word of the text. */
  const sums: number[] = [];
  let sum = 0;
  // Leave out long runs, because the regular expression cannot match a run of a million letters. For a range that
  // overlaps a long run, the function below calls `countTokens`.
  for (const [i, from] of [0, ...longRuns.map(({ end }) => end)].entries()) {
    let start = from;
    for (const word of wordsOf(text.slice(from, longRuns[i]?.start))) {
      starts.push(start);
      sums.push(sum);
      start += word.length;
      sum += wordTokens(word);
    }
  }
  const split = new RegExp(SPLIT);
  const lastAtMost = (offset: number) => firstIndex(starts.length, (i) => (starts[i] as number) > offset) - 1;
  return ({ start, end }) => {
    const part = text.slice(start, end);
    if (isInsidePair(text, start) || isInsidePair(text, end) || longRuns.some((run) => run.start < end && run.end > start))
      return countTokens(part);
    let last = lastAtMost(end - 1);
    while (last > 0 && text.slice(starts[last], end).trim() === "") last--;
    let count = 0;
    for (let at = start; at < end; at = start + split.lastIndex) {
      const first = lastAtMost(at);
      if (first < last && starts[first] === at)
        return count + (sums[last] as number) - (sums[first] as number) + countWords(text.slice(starts[last], end));
      split.lastIndex = at - start;
      const word = split.exec(part)?.[0];
      if (word === undefined) return count;
      count += wordTokens(word);
    }
    return count;
  };
}

/** Returns the runs that are longer than `RUN_LIMIT` and contain only white space, or no white space. */
function longRunsOf(text: string): TextRange[] {
  const runs: TextRange[] = [];
  const isSpaceAt = (i: number) => {
    const code = text.charCodeAt(i);
    return code === 32 || (code >= 9 && code <= 13);
  };
  // A run longer than the limit contains an offset that is a multiple of the limit. So only these offsets are tested.
  for (let at = 0; at < text.length; at += RUN_LIMIT) {
    const isSpace = isSpaceAt(at);
    let [start, end] = [at, at + 1];
    while (start > 0 && isSpaceAt(start - 1) === isSpace) start--;
    while (end < text.length && isSpaceAt(end) === isSpace) end++;
    if (end - start > RUN_LIMIT) runs.push({ start, end });
    while (at + RUN_LIMIT < end) at += RUN_LIMIT;
  }
  return runs;
}

/** Splits a text into words. Every character belongs to exactly one word, so the lengths of the words give their positions. */
function wordsOf(text: string): readonly string[] {
  return text.match(SPLIT) ?? [];
}

function countWords(text: string): number {
  let total = 0;
  for (const word of wordsOf(text)) total += wordTokens(word);
  return total;
}

/** Maximum number of cached words. Most words of a text repeat. */
const KEPT_WORDS = 100_000;
const known = new Map<string, number>();

function wordTokens(word: string): number {
  const before = known.get(word);
  if (before !== undefined) return before;
  const bytes = Buffer.from(word, "utf8");
  const name = bytes.toString("latin1");
  const tokens = ranks().has(name) ? 1 : countMerged(name, ranks());
  if (known.size >= KEPT_WORDS) known.clear();
  // Decode the bytes again: a slice of the text would keep the whole text in memory.
  known.set(bytes.toString("utf8"), tokens);
  return tokens;
}

/**
 * Returns the number of tokens of a word after byte-pair merging. Each character of `word` is one byte. The adjacent
 * pair with the lowest rank is merged until no pair has a rank.
 */
function countMerged(word: string, known: ReadonlyMap<string, number>): number {
  const starts = Array.from({ length: word.length + 1 }, (_, i) => i);
  const rankAt = (i: number) => known.get(word.slice(starts[i], starts[i + 2])) ?? Number.POSITIVE_INFINITY;
  const pairs = Array.from({ length: word.length - 1 }, (_, i) => rankAt(i));
  for (;;) {
    let lowest = 0;
    for (let i = 1; i < pairs.length; i++) if ((pairs[i] as number) < (pairs[lowest] as number)) lowest = i;
    if ((pairs[lowest] ?? Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY) return starts.length - 1;
    starts.splice(lowest + 1, 1);
    pairs.splice(lowest, 1);
    if (lowest < pairs.length) pairs[lowest] = rankAt(lowest);
    if (lowest > 0) pairs[lowest - 1] = rankAt(lowest - 1);
  }
}

/** Reads the tokens and their ranks from the file that `scripts/build-data.mjs` writes. A token has one character per byte. */
function readRanks(): ReadonlyMap<string, number> {
  const file = brotliDecompressSync(readFileSync(join(PACKAGE_ROOT, "src", "text", "cl100k.bin")));
  const found = new Map<string, number>();
  for (let at = 0; at < file.length; ) {
    const end = at + 1 + (file[at] as number);
    found.set(file.toString("latin1", at + 1, end), found.size);
    at = end;
  }
  return found;
}
