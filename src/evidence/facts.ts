import { type ContentWord, createWordReader, type ReadWords } from "../language/content-words.ts";
import { NEGATOR } from "../language/negation.ts";
import { SPELLED_NUMBER } from "../language/numerals.ts";
import { createReading, type Reading } from "../language/reading.ts";
import { joinValues, type Value } from "../language/values.ts";
import type { Passage, TextRange } from "../shared/types.ts";
import { once } from "../text/memo.ts";
import { type Piece, piecesOf } from "./pieces.ts";

/** Analysed content of a sentence, list item or table row, ready for comparison. */
export interface Fact {
  readonly piece: Piece;
  /** Without text in brackets. Offsets are those of `piece.text`. */
  readonly reading: Reading;
  /** Content words outside values. */
  readonly words: readonly ContentWord[];
  /** Roots of these words with their weights. */
  readonly own: ReadonlyMap<string, number>;
  readonly amounts: readonly Value[];
  /** Roots of the title and of the headings with their weights. Computed on first use, as most facts are never compared that far. */
  readonly title: () => ReadonlyMap<string, number>;
  readonly above: () => ReadonlyMap<string, number>;
  readonly amountsAbove: () => readonly Value[];
  /** Roots of the neighbouring sentences. */
  readonly beside: () => ReadonlySet<string>;
}

/** Functions of the index that reading facts needs. */
export interface FactWords {
  tokens(text: string): string[];
  idf(token: string): number;
}

/** A sentence, list item or table row with its index tokens. */
export interface PieceTokens {
  readonly piece: Piece;
  readonly own: ReadonlySet<string>;
  /** Tokens of the text above and before it, computed on first use. */
  readonly around: () => readonly ReadonlySet<string>[];
}

/** Maximum number of cached facts and passages. The same ones recur. */
const REMEMBERED = 4000;

const PASSAGES_REMEMBERED = 1000;

/** Minimum weight of a word, even if every text contains it. */
const BASE_WEIGHT = 0.3;

/** Maximum length of a comparable sentence in characters. Longer ones are lists whose relations are unclear. */
const LONGEST = 600;

const SHORTEST = 12;

/** Quick test for a value. */
const VALUE = new RegExp(
  String.raw`\d|\b(?:${SPELLED_NUMBER}|half|once|twice|any time|no (?:time )?(?:limit|deadline)|unlimited|indefinitely)\b`,
  "iu",
);
/** Quick test for a negation. */
const DENIAL = new RegExp(NEGATOR, "iu");

/** A reference to the previous sentence at the beginning. */
export const POINTS_BACK = /^(?:it|its|this|that|these|those|they|their|he|she|such)\b/i;

/** Checks whether a text has a length and form that can be compared. */
export function isStatement(text: string): boolean {
  return text.length >= SHORTEST && text.length <= LONGEST && !text.endsWith("?") && !text.endsWith(":");
}

/** Checks quickly whether a text may contain a value, before it is analysed. */
export function mayHoldValue(text: string): boolean {
  return VALUE.test(text);
}

/** Checks quickly whether a text contains a negation. */
export function mayDeny(text: string): boolean {
  return DENIAL.test(text);
}

/**
 * Returns functions that analyse sentences and passages, with caches.
 * @param readWords word reader with its own cache; may be shared
 */
export function createFactReader(readWords: ReadWords = createWordReader()) {
  const read = createReading(readWords);
  const facts = remembering<Fact>(REMEMBERED);
  const passages = remembering<PassageTokens>(PASSAGES_REMEMBERED);
  const weights = remembering<ReadonlyMap<string, number>>(PASSAGES_REMEMBERED);
  const viewOf = (passage: Passage, words: FactWords): PassageTokens => {
    const { document, range, chunkId } = passage;
    const key = `${document.id} ${document.version} ${chunkId} ${range.start} ${range.end}`;
    return passages(key, words, () => tokensOfPassage(passage, words));
  };
  const wordsIn = (texts: readonly string[]) => texts.flatMap((text) => read(text).words);
  /** Weights of headings are cached, because many facts share them. */
  const weightsAbove = (texts: readonly string[], words: FactWords): ReadonlyMap<string, number> =>
    weights(texts.join("\u0000"), words, () => weightsOf(wordsIn(texts), weighing(words)));
  return {
    piecesOf: (passage: Passage, words: FactWords) => viewOf(passage, words).pieces,
    /** Returns the tokens of a passage with its title and headings. */
    tokensOf: (passage: Passage, words: FactWords) => viewOf(passage, words).whole(),
    read(piece: Piece, words: FactWords): Fact {
      const key = [piece.text, piece.previous, piece.next, piece.title, ...piece.above].join("\u0000");
      const fact = facts(key, words, () => readFact(piece, read, words, (texts) => weightsAbove(texts, words)));
      return fact.piece.start === piece.start ? fact : { ...fact, piece };
    },
  };
}
export type FactReader = ReturnType<typeof createFactReader>;

/** Caches up to `most` results for the same word statistics. */
function remembering<T>(most: number): (key: string, words: FactWords, make: () => T) => T {
  const kept = new Map<string, { readonly made: T; readonly words: FactWords }>();
  return (key, words, make) => {
    const known = kept.get(key);
    if (known?.words === words) return known.made;
    const made = make();
    if (kept.size >= most) kept.clear();
    kept.set(key, { made, words });
    return made;
  };
}

type PassageTokens = ReturnType<typeof tokensOfPassage>;

function tokensOfPassage({ document, headingPath, units, text, range }: Passage, words: FactWords) {
  const textOf = ({ start, end }: TextRange) =>
    start < range.start || end > range.end ? "" : text.slice(start - range.start, end - range.start);
  const known = new Map<string, ReadonlySet<string>>();
  const tokensOf = (part: string) => {
    const tokens = known.get(part) ?? new Set(words.tokens(part));
    known.set(part, tokens);
    return tokens;
  };
  const pieces: readonly PieceTokens[] = piecesOf({ title: document.title, units, blocks: document.blocks, textOf }).map((piece) => ({
    piece,
    own: tokensOf(piece.text),
    around: once(() => [piece.title, ...piece.above, piece.previous].map(tokensOf)),
  }));
  const isWhole = units.every(({ start, end }) => start >= range.start && end <= range.end);
  const whole = once((): ReadonlySet<string> => {
    const parts = [document.title, ...headingPath, ...(isWhole ? units.map(textOf) : [text])];
    return new Set(parts.flatMap((part) => [...tokensOf(part)]));
  });
  return { pieces, whole };
}

function readFact(
  piece: Piece,
  read: (text: string) => Reading,
  words: FactWords,
  weightsAbove: (texts: readonly string[]) => ReadonlyMap<string, number>,
): Fact {
  const reading = read(withoutAsides(piece.text));
  const amounts = joinValues(reading.values, reading.text);
  const content = reading.words.filter((word) => !amounts.some(({ start, end }) => word.start < end && word.end > start));
  return {
    piece,
    reading,
    words: content,
    own: weightsOf(content, weighing(words)),
    amounts,
    title: once(() => weightsAbove([piece.title])),
    above: once(() => weightsAbove([piece.title, ...piece.above])),
    amountsAbove: once(() => [piece.title, ...piece.above].map(read).flatMap(({ text, values }) => joinValues(values, text))),
    beside: once(() => new Set([piece.previous, piece.next].flatMap((text) => read(text).words.map(({ root }) => root)))),
  };
}

/**
 * Returns word weights: rare words describe a sentence best. From 0.3 (a word of every text) to 1.3 (a word of no other
 * text).
 */
function weighing(words: FactWords): (word: ContentWord) => number {
  const rarest = Math.max(1e-9, words.idf("\u0000"));
  return ({ text }) => {
    const idfs = words.tokens(text).map((token) => words.idf(token));
    return BASE_WEIGHT + (idfs.length === 0 ? 0 : Math.min(1, Math.max(...idfs) / rarest));
  };
}

function weightsOf(words: readonly ContentWord[], weigh: (word: ContentWord) => number): Map<string, number> {
  const weights = new Map<string, number>();
  for (const word of words) if (!weights.has(word.root)) weights.set(word.root, weigh(word));
  return weights;
}

/**
 * Replaces brackets by blanks of the same length, so that offsets stay valid. Brackets that hold most of a text are
 * kept.
 */
function withoutAsides(text: string): string {
  const without = text.replaceAll(/\([^()]{0,300}\)/g, (aside) => " ".repeat(aside.length));
  return without.replaceAll(/\s+/g, "").length * 2 < text.replaceAll(/\s+/g, "").length ? text : without;
}
