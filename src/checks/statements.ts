import {
  type ContentWord,
  countNegators,
  createReading,
  createWordReader,
  EXCEPTION,
  type Reading,
  type ReadWords,
} from "../language/content-words.ts";
import type { Value } from "../language/values.ts";
import type { TextRange } from "../shared/types.ts";
import { memoised } from "../text/memo.ts";
import { splitSentences } from "../text/sentences.ts";
import { type CitedQuote, type Finding, finding } from "./finding.ts";

/** A sentence, list item or table row of a quote, with its context. */
export interface Statement extends Reading {
  /** Roots of the words in the texts above: title, headings, lead-in of a list, header of a table. */
  readonly above: ReadonlySet<string>;
  /** Roots of the words in adjacent sentences of the same quote. */
  readonly beside: ReadonlySet<string>;
  /** Values in the texts that `above` covers. */
  readonly valuesAbove: readonly Value[];
}

/** Analyses texts and caches the results, so that each quote is analysed once per answer. */
export interface Reader {
  read(text: string): Reading;
  statements(quote: CitedQuote): readonly Statement[];
}

/** Maximum number of cached quotes. */
const REMEMBERED = 2000;

export function createReader(readWords: ReadWords = createWordReader()): Reader {
  const read = createReading(readWords);
  const known = memoised((key: string) => statementsOf(JSON.parse(key), read), REMEMBERED);
  return { read, statements: ({ text, above }) => known(JSON.stringify({ text, above })) };
}

function statementsOf(quote: CitedQuote, read: Reader["read"]): Statement[] {
  const pieces = splitSentences(quote.text).map(({ start, end }) => read(quote.text.slice(start, end)));
  const fixed = (quote.above ?? []).map(read);
  let leadIn: readonly Reading[] = [];
  return pieces.map((piece, i) => {
    const over = [...fixed, ...leadIn];
    if (piece.text.endsWith(":")) leadIn = [piece];
    return {
      ...piece,
      above: new Set(over.flatMap(({ roots }) => [...roots])),
      beside: new Set([...(pieces[i - 1]?.roots ?? []), ...(pieces[i + 1]?.roots ?? [])]),
      valuesAbove: over.flatMap(({ values }) => values),
    };
  });
}

/** A sentence or a clause of it. */
export interface Part {
  readonly claim: Reading;
  readonly range: TextRange;
}

/** A value or table cell that the claim assigns to the wrong thing. */
export interface Misplaced {
  readonly reason: string;
  readonly spans: readonly TextRange[];
}

const EXCEPTS = new RegExp(EXCEPTION, "iu");

export function wholeOf(claim: Reading): Part {
  return { claim, range: { start: 0, end: claim.text.length } };
}

/** Checks whether a sentence makes an exception. If so, it is ambiguous which value belongs to which thing. */
export function excepts({ text }: Reading): boolean {
  return EXCEPTS.test(text);
}

export function negatorsIn({ claim, range }: Part): number {
  return countNegators(claim.text.slice(range.start, range.end));
}

export function isWithin(one: TextRange, range: TextRange): boolean {
  return one.start >= range.start && one.end <= range.end;
}

export function wordsOf({ claim, range }: Part): string[] {
  return claim.words.filter((word) => isWithin(word, range)).map(({ root }) => root);
}

/** Checks whether a claimed value has no bound or the stated bound: "€ 3" agrees with "less than € 3", but not the reverse. */
export function isBound(said: Value, stated: Value): boolean {
  return said.bound === "none" || said.bound === stated.bound;
}

/** Combines misplaced values into one warning that marks each place once; `null` if there are none. */
export function doubtOf(name: string, found: readonly Misplaced[]): Finding | null {
  if (found.length === 0) return null;
  const places = new Map(found.flatMap(({ spans }) => spans.map((span) => [span.start, span])));
  const spans = [...places.values()].sort((a, b) => a.start - b.start);
  return finding(name, "warn", 0, [...new Set(found.map(({ reason }) => reason))].join("; "), spans);
}

/**
 * Weight of a word of the claim that a source contains: in the quoted sentence itself (`OWN`), in title or headings above
 * it (`ABOVE`), or in a neighbouring sentence (`BESIDE`).
 */
const OWN = 1;
const ABOVE = 0.8;
const BESIDE = 0.4;
/**
 * Minimum weight of a word of the claim that the question contains, even if the quoted sentence lacks it. The weight
 * only serves to compare quoted sentences; it never counts as support.
 */
const GIVEN = 0.6;
/**
 * Limits for `outdoes`. The first sentence must not cover any word of the claim worse than the second one by more than
 * `SLACK`, and must cover some word better by at least `CLEARLY_MORE`.
 */
const SLACK = 0.1;
const CLEARLY_MORE = 0.39;
/** Distance in content words at which the weight of a word halves. Used to find what a value or name is about. */
const HALF_DISTANCE = 4;
/** Distance in content words at which the weight of a word halves in `close`, which considers only the nearest words. */
const CLOSE_DISTANCE = 1.5;
/** Weight in `close` of a word that only title or headings contain. */
const BARELY = 0.3;

/** A claim compared with every sentence of its quotes. */
export type Alignment = ReturnType<typeof align>;

/** Returns the coverage of the best quoted sentence. */
export function fitOf({ coverage }: Alignment): number {
  return Math.max(0, ...coverage);
}

/** Compares a claim with quoted sentences. @param given word roots of the question */
export function align(claim: Reading, statements: readonly Statement[], given: ReadonlySet<string>) {
  /** For each root, the indexes of its words in the claim. Roots are ordered by first occurrence. */
  const places = Map.groupBy(claim.words.keys(), (i) => (claim.words[i] as ContentWord).root);
  const distinct = [...places.values()].map(([first]) => claim.words[first as number] as ContentWord);
  // A word in many of the quoted sentences hardly shows which of them is meant.
  const rarity = (frequency: number) => (frequency <= 2 ? 1 : 1 / (1 + Math.log(frequency / 2)));
  const weights = distinct.map(({ root }) => rarity(statements.filter(({ roots }) => roots.has(root)).length));
  const held = statements.map((statement) => distinct.map((word) => holds(statement, word, given)));
  const own = statements.map(({ roots, above }) => distinct.map(({ root }) => (roots.has(root) ? 1 : above.has(root) ? BARELY : 0)));
  const score = (table: readonly (readonly number[])[], shares: readonly number[] = []) =>
    table.map((row) => {
      let sum = 0;
      let total = 0;
      for (let i = 0; i < distinct.length; i++) {
        const weight = (weights[i] as number) * (shares[i] ?? 1);
        total += weight;
        sum += weight * (row[i] as number);
      }
      return total === 0 ? 0 : sum / total;
    });
  const sharesAround = (place: TextRange, halfDistance: number) => {
    const before = claim.words.filter(({ end }) => end <= place.start).length;
    const after = claim.words.length - claim.words.filter(({ start }) => start >= place.end).length;
    /** The weight halves with each `halfDistance` of content words between the word and the place. */
    const nearness = (between: number) => 1 / (1 + between / halfDistance);
    const share = (i: number) => (i < before ? nearness(before - 1 - i) : i >= after ? nearness(i - after) : 0);
    return [...places.values()].map((indexes) => Math.max(...indexes.map(share)));
  };
  const heldHere = (i: number) => distinct.map((word) => holds(statements[i] as Statement, word, given, false));
  return {
    claim,
    statements,
    /** Checks whether any quoted sentence, or the headings above it, contains the root. */
    knows: (root: string) => statements.some(({ roots, above }) => roots.has(root) || above.has(root)),
    /** Checks whether the question contains the root. */
    given: (root: string) => given.has(root),
    /** For each quoted sentence, the weighted share of the claim's words that it covers with its context, 0 to 1. */
    coverage: score(held),
    /**
     * Checks whether the quoted sentence at index `one` covers every word of the claim about as well as the sentence at
     * index `other`, and some word clearly better (`SLACK`, `CLEARLY_MORE`).
     */
    outdoes(one: number, other: number) {
      const [a, b] = [heldHere(one), heldHere(other)];
      return a.every((worth, i) => worth >= (b[i] as number) - SLACK) && a.some((worth, i) => worth >= (b[i] as number) + CLEARLY_MORE);
    },
    /** Like `coverage`, but words near a place of the claim weigh more. Words of the place itself are left out. */
    near: (place: TextRange) => score(held, sharesAround(place, HALF_DISTANCE)),
    /** For each quoted sentence: the weighted share of the claim's words near a place that the sentence itself contains. */
    close: (place: TextRange) => score(own, sharesAround(place, CLOSE_DISTANCE)),
  };
}

function holds({ roots, above, beside }: Statement, { root }: ContentWord, given: ReadonlySet<string>, asksBeside = true): number {
  const [where, worth] = roots.has(root) ? [roots, OWN] : above.has(root) ? [above, ABOVE] : [beside, asksBeside ? BESIDE : 0];
  if (!where.has(root)) return given.has(root) ? GIVEN : 0;
  return Math.max(worth, given.has(root) ? GIVEN : 0);
}
