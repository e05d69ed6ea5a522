import { createStemmer } from "../../text/tokens.ts";

/** What is needed of a text encoder: a vector and a weight for each piece of a word. */
export interface WordVectors {
  readonly dimensions: number;
  tokenVectors(text: string): { readonly vectors: Float32Array; readonly weights: Float32Array };
}

/** Words kept; 26 MB when full. */
const MAX_WORDS = 65_536;
/** Two words below this cosine are taken as strangers. */
const RELATED_COSINE = 0.35;
/** Signs of two vectors of cosine .35 differ in 148 ± 10 of 384: only closer pairs are multiplied out. */
const MAX_DIFFERING_SHARE = 160 / 384;

/**
 * Words seen so far with stem, weight and vector, so that a pair of words is compared in nanoseconds. All of it can be made again; it is
 * cleared when it is full.
 */
export class SupportVocabulary {
  readonly dimensions: number;
  private readonly encoder: WordVectors;
  private readonly stem = createStemmer();
  private readonly signatureWords: number;
  private ids = new Map<string, number>();
  private stemIds = new Map<string, number>();
  private stems: number[] = [];
  private weights: number[] = [];
  private vectors = new Int8Array(0);
  private scales = new Float32Array(0);
  private signatures = new Int32Array(0);

  constructor(encoder: WordVectors) {
    this.encoder = encoder;
    this.dimensions = encoder.dimensions;
    this.signatureWords = Math.ceil(encoder.dimensions / 32);
  }

  /** Forgets everything when full: to be called between answers, because ids do not outlive it. @returns did it? */
  trim(): boolean {
    if (this.stems.length <= MAX_WORDS) return false;
    this.ids = new Map();
    this.stemIds = new Map();
    this.stems = [];
    this.weights = [];
    this.vectors = new Int8Array(0);
    this.scales = new Float32Array(0);
    this.signatures = new Int32Array(0);
    return true;
  }

  /** @param word lower case */
  idOf(word: string): number {
    const known = this.ids.get(word);
    if (known !== undefined) return known;
    const id = this.stems.length;
    this.ids.set(word, id);
    this.stems.push(this.stemOf(word));
    this.weights.push(0);
    this.grow(id + 1);
    this.store(id, word);
    return id;
  }

  /** Number of a word's stem. */
  stemOf(word: string): number {
    const stem = this.stem(word);
    const known = this.stemIds.get(stem);
    if (known !== undefined) return known;
    const id = this.stemIds.size;
    this.stemIds.set(stem, id);
    return id;
  }

  stemOfWord(id: number): number {
    return this.stems[id] as number;
  }

  /** How much a word counts for the encoder: frequent words count little. */
  weightOf(id: number): number {
    return this.weights[id] as number;
  }

  /** 1 for forms of one word, the cosine for related words, 0 for strangers. */
  similarity(one: number, other: number): number {
    if (this.stems[one] === this.stems[other]) return 1;
    if (this.scales[one] === 0 || this.scales[other] === 0) return 0;
    const size = this.signatureWords;
    let differing = 0;
    for (let i = 0; i < size; i++) {
      differing += countBits((this.signatures[one * size + i] as number) ^ (this.signatures[other * size + i] as number));
    }
    if (differing > MAX_DIFFERING_SHARE * this.dimensions) return 0;
    const from = one * this.dimensions;
    const to = other * this.dimensions;
    let dot = 0;
    for (let i = 0; i < this.dimensions; i++) dot += (this.vectors[from + i] as number) * (this.vectors[to + i] as number);
    const cosine = dot * (this.scales[one] as number) * (this.scales[other] as number);
    return cosine < RELATED_COSINE ? 0 : Math.min(cosine, 0.99);
  }

  /** Adds a word's vector times a factor to a sum. */
  addTo(sum: Float64Array, id: number, factor: number): void {
    const scale = (this.scales[id] as number) * (this.weights[id] as number) * factor;
    if (scale === 0) return;
    const from = id * this.dimensions;
    for (let i = 0; i < this.dimensions; i++) sum[i] = (sum[i] as number) + scale * (this.vectors[from + i] as number);
  }

  /** The unit sum of a word's pieces, one byte a dimension, and its signs. */
  private store(id: number, word: string): void {
    const { dimensions } = this;
    const { vectors, weights } = this.encoder.tokenVectors(word);
    const sum = new Float64Array(dimensions);
    for (let piece = 0; piece < weights.length; piece++) {
      const weight = weights[piece] as number;
      for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + weight * (vectors[piece * dimensions + i] as number);
    }
    let largest = 0;
    let squares = 0;
    for (const value of sum) {
      largest = Math.max(largest, Math.abs(value));
      squares += value * value;
    }
    if (largest === 0) return;
    this.weights[id] = Math.sqrt(squares);
    let codes = 0;
    for (let i = 0; i < dimensions; i++) {
      const code = Math.round(((sum[i] as number) / largest) * 127);
      codes += code * code;
      this.vectors[id * dimensions + i] = code;
      if (code > 0) {
        const at = id * this.signatureWords + (i >> 5);
        this.signatures[at] = (this.signatures[at] as number) | (1 << (i & 31));
      }
    }
    this.scales[id] = 1 / Math.sqrt(codes);
  }

  private grow(count: number): void {
    if (count <= this.scales.length) return;
    const room = Math.max(1024, this.scales.length * 2);
    const vectors = new Int8Array(room * this.dimensions);
    const scales = new Float32Array(room);
    const signatures = new Int32Array(room * this.signatureWords);
    vectors.set(this.vectors);
    scales.set(this.scales);
    signatures.set(this.signatures);
    this.vectors = vectors;
    this.scales = scales;
    this.signatures = signatures;
  }
}

function countBits(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
