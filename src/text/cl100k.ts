import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { PACKAGE_ROOT } from "../package.ts";
import { once } from "./memo.ts";

/** Byte-pair merging is quadratic in the length of one run; longer runs are counted in pieces of this many code units. */
export const RUN_LIMIT = 256;

/** How cl100k_base splits text into words before it merges bytes (https://github.com/openai/tiktoken, MIT licence). */
const SPLIT =
  /'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s/gu;

const ranks = once(readRanks);

/** Tokens of the last words that are not one token. */
const merged = new LRUCache<string, number>({ max: 10_000, memoMethod: (word) => countMerged(word, ranks()) });

/** A matcher of its own: `lastIndex` is state. */
export function cl100kSplitter(): RegExp {
  return new RegExp(SPLIT);
}

/**
 * Tokens of `text` in OpenAI's cl100k_base encoding; markers of special tokens count as the plain text that they are. The ranks
 * (about 40 ms to read) are read by the first call. Exact, except that runs over 256 characters without a change of white space
 * are counted in pieces, so that hostile input takes linear time.
 *
 * @example countTokens("Who may apply?") // 4
 */
export function countTokens(text: string): number {
  if (text.length <= RUN_LIMIT || !hasLongRun(text)) return countWords(text);
  let total = 0;
  for (const [piece] of text.matchAll(/ ?\S{1,256}|\s{1,256}/g)) total += countWords(piece);
  return total;
}

function countWords(text: string): number {
  let total = 0;
  for (const [word] of text.matchAll(SPLIT)) {
    const bytes = Buffer.from(word, "utf8").toString("latin1");
    total += ranks().has(bytes) ? 1 : merged.memo(bytes);
  }
  return total;
}

/** Tokens of a word whose bytes are the characters of `word`: again and again the neighbours of the lowest rank become one. */
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

/** Ranks by token, a character for each byte. `scripts/build-data.mjs` wrote the file. */
function readRanks(): ReadonlyMap<string, number> {
  const file = readFileSync(join(PACKAGE_ROOT, "src", "text", "cl100k.bin"));
  const found = new Map<string, number>();
  for (let at = 0; at < file.length; ) {
    const end = at + 1 + (file[at] as number);
    found.set(file.toString("latin1", at + 1, end), found.size);
    at = end;
  }
  return found;
}

function hasLongRun(text: string): boolean {
  let length = 0;
  let wasSpace = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isSpace = code === 32 || (code >= 9 && code <= 13);
    length = isSpace === wasSpace ? length + 1 : 1;
    wasSpace = isSpace;
    if (length > RUN_LIMIT) return true;
  }
  return false;
}
