import { deniesAsVerb, EXCEPTION, NEGATOR } from "../language/content-words.ts";
import { keyOf, valuesIn } from "../language/values.ts";
import type { NearDuplicate, Passage } from "../shared/types.ts";
import { once } from "../text/memo.ts";
import { tokenize } from "../text/tokens.ts";
import type { IndexWords } from "./understand.ts";

const LIMIT = String.raw`\b(?:excluding|only|must|may|should|less than|more than|at least|at most|up to|under|over|before|after|within|denied)\b`;
const TURN = new RegExp(`${NEGATOR}|${EXCEPTION}|${LIMIT}`, "giu");
const NAME = /\p{Lu}[\p{L}\p{N}&'-]*(?:\s+\p{Lu}[\p{L}\p{N}&'-]*)*/gu;
const SENTENCE_START = /(?:^|[.!?:\n•*-])\s*$/u;

/**
 * Returns the facts of a text in text order, so that "A pays 10, B pays 20" differs from "A pays 20, B pays 10". Two
 * texts with equal facts and nearly equal words are treated as saying the same.
 */
function signatureOf(text: string): string {
  // Numbers with units, amounts, percentages, codes, years, and dates.
  const values = valuesIn(text).map(keyOf);
  // Negations and limits, each with the content word that follows: `not eligible`.
  const polarity = Array.from(text.matchAll(TURN), ({ 0: turn, index }) => {
    return `${deniesAsVerb(turn) ? "not" : turn.toLowerCase()} ${nextWord(text, index + turn.length)}`;
  });
  // Names and months.
  const entities = [...text.matchAll(NAME)].flatMap(({ 0: name, index }) => namesOf(name, index, text));
  return JSON.stringify([values, polarity, entities]);
}

/** Returns the first content word after a negation or limit, in the same sentence; empty without one. */
function nextWord(text: string, from: number): string {
  return tokenize(text.slice(from, from + 60).replace(/[.!?\n][\s\S]*$/, ""))[0] ?? "";
}

/** Returns the words of a name in lower case. Leaves out a word that begins a sentence, because it is always capitalised. */
function namesOf(name: string, index: number, text: string): string[] {
  const opens = SENTENCE_START.test(text.slice(Math.max(0, index - 4), index));
  const words = name.toLowerCase().split(/\s+/);
  return opens ? words.slice(1) : words;
}

/** Minimum cosine of the TF-IDF vectors of near-duplicates, as in the published `spark` design (docs/profiles.md). */
export const NEAR_DUPLICATE_COSINE = 0.85;

/** The functions of the index that comparing passages needs. */
type DuplicateWords = Pick<IndexWords, "tokens" | "idf">;

/**
 * Minimum share of long words that two passages have in common, relative to the passage with fewer long words. Passages
 * that share fewer count as different, and their cosine is not computed.
 */
const WORTH_COMPARING = 0.5;
/** Minimum length of a long word in characters. Shorter words occur in every text. */
const LONG_WORD = 6;
/** Matches a character that separates words. */
const BETWEEN = /[\s.,;:!?()"“”]/;

/**
 * Merges near-duplicates. The highest-ranked passage stays and lists the others as further sources.
 * - `same-facts` merges passages with similar text and equal values, dates, polarity and names. Passages that differ in
 * one of these stay separate and may be a conflict.
 * - `cosine` merges all passages with similar text. A passage with different facts is dropped and not listed as a
 * source.
 * @param passages in rank order, which the result keeps
 */
export function deduplicate(passages: readonly Passage[], rule: "same-facts" | "cosine", words: DuplicateWords): Passage[] {
  const kept: { passage: Passage; fingerprint: Fingerprint; duplicates: NearDuplicate[] }[] = [];
  for (const passage of passages) {
    const fingerprint = fingerprintOf(passage.text, words);
    const near = kept.filter((other) => nearDuplicates(other.fingerprint, fingerprint));
    const same = near.find((other) => other.fingerprint.signature() === fingerprint.signature());
    if (same !== undefined) same.duplicates.push(nearDuplicateOf(passage));
    else if (rule === "same-facts" || near.length === 0) kept.push({ passage, fingerprint, duplicates: [] });
  }
  return kept.map(({ passage, duplicates }, i) => ({
    ...passage,
    sid: `S${i + 1}`,
    ...(duplicates.length === 0 ? {} : { twins: duplicates }),
  }));
}

type Fingerprint = ReturnType<typeof fingerprintOf>;

/** Returns the data for comparing a passage. Vector and signature are computed on first use. */
function fingerprintOf(text: string, words: DuplicateWords) {
  return { words: longWords(text), vector: once(() => tfIdf(text, words)), signature: once(() => signatureOf(text)) };
}

function longWords(text: string): Set<string> {
  const found = new Set<string>();
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !isBetween(text, at)) continue;
    if (at - start >= LONG_WORD) found.add(text.slice(start, at));
    start = at + 1;
  }
  return found;
}

/** Returns whether the character at `at` separates words. Skips the regular expression, for speed, where it cannot match: `A` to DEL. */
function isBetween(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return !(code > 64 && code < 128) && BETWEEN.test(text.charAt(at));
}

function nearDuplicates(a: Fingerprint, b: Fingerprint): boolean {
  const [small, large] = a.words.size <= b.words.size ? [a.words, b.words] : [b.words, a.words];
  const wanted = WORTH_COMPARING * small.size;
  let shared = 0;
  let left = small.size;
  for (const word of small) {
    if (shared + left < wanted) return false;
    if (large.has(word)) shared++;
    left--;
  }
  return shared >= wanted && cosine(a.vector(), b.vector()) >= NEAR_DUPLICATE_COSINE;
}

function nearDuplicateOf({ chunkId, document, headingPath, range }: Passage): NearDuplicate {
  const { id, version, title, url, asOf } = document;
  return { chunkId, documentId: id, documentVersion: version, title, url, asOf, headingPath, range };
}

/** Returns the TF-IDF vector of a text, scaled to length 1: token → weight. */
export function tfIdf(text: string, words: DuplicateWords): Map<string, number> {
  const vector = new Map<string, number>();
  for (const token of words.tokens(text)) vector.set(token, (vector.get(token) ?? 0) + 1);
  let squares = 0;
  for (const [token, frequency] of vector) {
    const weight = frequency * words.idf(token);
    vector.set(token, weight);
    squares += weight * weight;
  }
  const length = Math.sqrt(squares) || 1;
  for (const [token, weight] of vector) vector.set(token, weight / length);
  return vector;
}

/** Returns the dot product of two unit vectors; 0 if one is empty. */
export function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let dot = 0;
  for (const [token, weight] of small) dot += weight * (large.get(token) ?? 0);
  return dot;
}

/**
 * Moves all but the first `perDocument` items of each document to the end, in order. No item is dropped, so nothing is
 * lost if only one document answers.
 * @param perDocument `null`: no item is moved
 */
export function diversify<T>(ranked: readonly T[], documentOf: (item: T) => string, perDocument: number | null): T[] {
  if (perDocument === null) return [...ranked];
  const first = new Set([...Map.groupBy(ranked, documentOf).values()].flatMap((items) => items.slice(0, perDocument)));
  return [...ranked.filter((item) => first.has(item)), ...ranked.filter((item) => !first.has(item))];
}
