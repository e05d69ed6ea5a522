import type { EmbeddedEncoder } from "../models/embedded-encoder.ts";
import { createEnglishWords, type EnglishWords } from "../reading/content-words.ts";
import { splitSentences } from "../text/sentences.ts";
import { createStemmer, type Word, words, wordTokens } from "../text/tokens.ts";
import type { TextRange } from "../types.ts";

/** A text as ids of words in a lexicon, stop words included. */
export interface ReadText {
  readonly words: Int32Array;
  /** Place in `words` where each sentence ends. */
  readonly sentenceEnds: Int32Array;
  readonly sentences: readonly TextRange[];
}

/** Kinds of value that a question can ask for. */
export const VALUE_BITS = { number: 1, date: 2, duration: 4, amount: 8, name: 16, code: 32 } as const;

/** Words kept; a corpus has fewer, hostile text has more. 65,536 × 396 bytes = 26 MB when full. */
const MAX_WORDS = 65_536;
/** Texts read lately that are kept as ids, and as many read before them: a window of 150 words takes about a kilobyte. */
const MAX_TEXTS = 8_192;
/** Two words below this cosine are taken as strangers: most pairs of words stand below it by chance. */
export const RELATED_COSINE = 0.35;
/** A signature is one bit per dimension. Of 384 bits two words of cosine .35 differ in 148 ± 10: only closer pairs are multiplied out. */
const MAX_DIFFERING_SHARE = 160 / 384;

/**
 * Words seen so far, each with its stem and the unit vector of its pieces, so that a text is read once and a pair of words compared in nanoseconds.
 * Everything in it can be made again; it is cleared when it is full.
 */
export class Lexicon {
  private readonly encoder: Pick<EmbeddedEncoder, "dimensions" | "tokenVectors">;
  /** Is a word (lower case) an English one? */
  readonly isEnglish: EnglishWords["isEnglish"];
  /** Is a word (lower case) one of the few thousand that every text uses? */
  readonly isCommon: EnglishWords["isCommon"];
  private readonly stem = createStemmer();
  private readonly signatureWords: number;
  private ids = new Map<string, number>();
  private texts = new Map<string, ReadText>();
  /** Those read before `texts` was begun. */
  private earlier = new Map<string, ReadText>();
  /** Per word: its index tokens; none for a stop word. */
  private tokens: (readonly string[])[] = [];
  private weights: number[] = [];
  private vectors = new Int8Array(0);
  private scales = new Float32Array(0);
  private signatures = new Int32Array(0);
  /** Working memory. */
  private readonly sum: Float64Array;
  private rows = new Int32Array(0);

  constructor(
    encoder: Pick<EmbeddedEncoder, "dimensions" | "tokenVectors">,
    { isEnglish, isCommon }: Pick<EnglishWords, "isEnglish" | "isCommon"> = createEnglishWords(),
  ) {
    this.encoder = encoder;
    this.isEnglish = isEnglish;
    this.isCommon = isCommon;
    this.sum = new Float64Array(encoder.dimensions);
    this.signatureWords = Math.ceil(encoder.dimensions / 32);
  }

  get size(): number {
    return this.tokens.length;
  }

  /** Reads texts that are compared with one another; ids hold until the next call. */
  read(texts: readonly string[]): ReadText[] {
    if (this.tokens.length > MAX_WORDS) this.clear();
    if (this.texts.size > MAX_TEXTS) {
      this.earlier = this.texts;
      this.texts = new Map();
    }
    return texts.map((text) => this.readOne(text));
  }

  /** A place for each word, all 0, until it is asked for again: the same memory each time, for one as large per question keeps the collector busy. */
  blankRows(): Int32Array {
    if (this.rows.length < this.size) this.rows = new Int32Array(this.scales.length);
    return this.rows.fill(0);
  }

  tokensOf(id: number): readonly string[] {
    return this.tokens[id] as readonly string[];
  }

  /** How much the word counts for the encoder: frequent words count little. */
  weightOf(id: number): number {
    return this.weights[id] as number;
  }

  /** 1 for forms of one word, the cosine for related words, 0 for strangers and stop words. */
  similarity(one: number, other: number): number {
    const a = this.tokens[one] as readonly string[];
    const b = this.tokens[other] as readonly string[];
    if (a.length === 0 || b.length === 0) return 0;
    if (one === other || share(a, b)) return 1;
    if (this.scales[one] === 0 || this.scales[other] === 0 || !this.mayRelate(one, other)) return 0;
    const { dimensions } = this.encoder;
    const from = one * dimensions;
    const to = other * dimensions;
    const { vectors } = this;
    let dot = 0;
    for (let i = 0; i < dimensions; i++) dot += (vectors[from + i] as number) * (vectors[to + i] as number);
    const cosine = dot * (this.scales[one] as number) * (this.scales[other] as number);
    return cosine < RELATED_COSINE ? 0 : Math.min(cosine, 1);
  }

  private mayRelate(one: number, other: number): boolean {
    const { signatures, signatureWords: size } = this;
    const from = one * size;
    const to = other * size;
    let differing = 0;
    for (let i = 0; i < size; i++) differing += countBits((signatures[from + i] as number) ^ (signatures[to + i] as number));
    return differing <= MAX_DIFFERING_SHARE * this.encoder.dimensions;
  }

  private readOne(text: string): ReadText {
    const known = this.texts.get(text) ?? this.earlier.get(text);
    if (known !== undefined) {
      this.texts.set(text, known);
      return known;
    }
    const ids: number[] = [];
    const ends: number[] = [];
    const sentences = splitSentences(text);
    for (const { start, end } of sentences) {
      for (const word of words(text.slice(start, end))) ids.push(this.idOf(word));
      ends.push(ids.length);
    }
    const read = { words: Int32Array.from(ids), sentenceEnds: Int32Array.from(ends), sentences };
    this.texts.set(text, read);
    return read;
  }

  private idOf(word: Word): number {
    const known = this.ids.get(word.text);
    if (known !== undefined) return known;
    const id = this.tokens.length;
    this.ids.set(word.text, id);
    const tokens = wordTokens(word, this.stem);
    this.tokens.push(tokens);
    this.weights.push(0);
    this.grow(id + 1);
    if (tokens.length > 0) this.store(id, word.text);
    return id;
  }

  /** The unit sum of a word's pieces, in one byte a dimension, and its signs. */
  private store(id: number, word: string): void {
    const { dimensions } = this.encoder;
    const { vectors: pieces, weights } = this.encoder.tokenVectors(word);
    const { sum, vectors, signatures } = this;
    sum.fill(0);
    for (let piece = 0; piece < weights.length; piece++) {
      const weight = weights[piece] as number;
      const from = piece * dimensions;
      for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + weight * (pieces[from + i] as number);
    }
    let largest = 0;
    let squares = 0;
    for (let i = 0; i < dimensions; i++) {
      const value = sum[i] as number;
      largest = Math.max(largest, Math.abs(value));
      squares += value * value;
    }
    if (largest === 0) return;
    this.weights[id] = Math.sqrt(squares);
    const to = id * dimensions;
    const signs = id * this.signatureWords;
    let codes = 0;
    for (let i = 0; i < dimensions; i++) {
      const code = Math.round(((sum[i] as number) / largest) * 127);
      codes += code * code;
      vectors[to + i] = code;
      if (code > 0) signatures[signs + (i >> 5)] = (signatures[signs + (i >> 5)] as number) | (1 << (i & 31));
    }
    this.scales[id] = 1 / Math.sqrt(codes);
  }

  private grow(count: number): void {
    if (count <= this.scales.length) return;
    const room = Math.max(1024, this.scales.length * 2);
    const vectors = new Int8Array(room * this.encoder.dimensions);
    const scales = new Float32Array(room);
    const signatures = new Int32Array(room * this.signatureWords);
    vectors.set(this.vectors);
    scales.set(this.scales);
    signatures.set(this.signatures);
    this.vectors = vectors;
    this.scales = scales;
    this.signatures = signatures;
  }

  private clear(): void {
    this.ids = new Map();
    this.texts = new Map();
    this.earlier = new Map();
    this.tokens = [];
    this.weights = [];
    this.scales.fill(0);
    this.signatures.fill(0);
  }
}

function share(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length; i++) for (let j = 0; j < b.length; j++) if (a[i] === b[j]) return true;
  return false;
}

function countBits(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const NUMBER_WORDS =
  "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|once|twice";
const MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december";
const NUMBER = new RegExp(String.raw`\d|\b(?:${NUMBER_WORDS})\b`, "i");
const DATE = new RegExp(
  String.raw`\b(?:1[5-9]|20)\d\d\b|\b(?:${MONTHS})\s+\d|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|morning|evening|night|winter|summer|spring|autumn|until|when|after|before|during|once upon)\b`,
  "i",
);
const DURATION = /\b(?:days?|weeks?|months?|years?|hours?|minutes?|seconds?|long|forever)\b/i;
const AMOUNT = /[$€£%]|\b(?:percent|dollars?|pounds?|cents?|cost|price|fee|free|rate|mg|ml|kg)\b/i;
const NAME = /[\p{Ll},;:]["'”’)]?\s+["'“‘(]?\p{Lu}\p{Ll}/u;
const CODE = /\b(?:\d{2}[a-z]?-\d{3,5}[a-z]{0,3}|form\s+\S{0,6}\d|dc\s?\d{4}|§)/i;

/** Kinds of value that a sentence holds. Cheap signs, no parser: they only tip a ranking. */
export function valueBits(sentence: string): number {
  return (
    (NUMBER.test(sentence) ? VALUE_BITS.number : 0) |
    (DATE.test(sentence) ? VALUE_BITS.date : 0) |
    (DURATION.test(sentence) ? VALUE_BITS.duration : 0) |
    (AMOUNT.test(sentence) ? VALUE_BITS.amount : 0) |
    (NAME.test(sentence) ? VALUE_BITS.name : 0) |
    (CODE.test(sentence) ? VALUE_BITS.code : 0)
  );
}

const ASKED: readonly (readonly [RegExp, number])[] = [
  [/\b(?:which|what)\s+(?:\S+\s+)?form\b|\bform\s+number\b/i, VALUE_BITS.code],
  [/\bhow\s+(?:long|soon)\b|\bhow\s+(?:many|much)\s+(?:days|weeks|months|years|hours|minutes|time)\b|\bdeadline\b/i, VALUE_BITS.duration],
  [/\bhow\s+much\b|\bwhat\s+(?:percent|rate|rating|amount)\b|\b(?:cost|price|fee)\b/i, VALUE_BITS.amount | VALUE_BITS.number],
  [/\bhow\s+(?:many|often|old|far)\b/i, VALUE_BITS.number],
  [/\bwhen\b|\bwhat\s+(?:date|day|year|month|time)\b/i, VALUE_BITS.date],
  [/\b(?:who|whom|whose)\b|\bwhere\b/i, VALUE_BITS.name],
];

/** Kinds of value that would answer a question; 0 when its words do not say. */
export function askedBits(question: string): number {
  return ASKED.find(([pattern]) => pattern.test(question))?.[1] ?? 0;
}
