/**
 * Generates any number of passages and vectors from a seed, identical on every machine.
 *
 * Words follow Zipf's law. An index drops stop words first, so the `STOP_RANKS` most frequent ranks are omitted: the first remaining word
 * occurs in about half of the passages, as the main word of a domain does. Half of a passage's words come from its topic's part of the
 * vocabulary. A question is 4 to 8 words of one passage. Vectors lie around cluster centres, as embeddings of texts with topics do.
 */

import type { StoredDocument } from "../../../src/index.ts";
import { createRandom } from "../../../src/internals.ts";

const VOCABULARY = 200_000;
/** Fewer than in a stop list, because a domain has frequent words of its own. */
const STOP_RANKS = 10;
const TOPICS = 500;
const TOPIC_WORDS = 400;
const PASSAGE_WORDS = { least: 40, most: 140 } as const;
const QUESTION_WORDS = { least: 4, most: 8 } as const;
/** Share of a vector's variance that is not its cluster's. Cosines within a cluster are then about 0.5, as for passages on one subject. */
const OWN_SHARE = 0.5;

export interface GeneratedTexts {
  /** The next passage, as tokens. */
  passage(): string[];
  /** A question about a passage, as tokens. */
  question(passage: readonly string[]): string[];
}

/** Creates a generator of passages; the same seed yields the same passages. */
export function createTexts(seed: number): GeneratedTexts {
  const random = createRandom(seed);
  const names = Array.from({ length: VOCABULARY }, (_, rank) => nameOf(rank));
  const zipfRank = zipfSampler(VOCABULARY, random);
  const word = () => names[zipfRank()] as string;
  const topics = Array.from({ length: TOPICS }, () => Array.from({ length: TOPIC_WORDS }, word));
  const topicRank = zipfSampler(TOPIC_WORDS, random);
  const asking = createRandom(seed + 1);
  return {
    passage() {
      const topic = topics[Math.floor(random() * TOPICS)] as string[];
      const length = between(random, PASSAGE_WORDS);
      return Array.from({ length }, () => (random() < 0.5 ? (topic[topicRank()] as string) : word()));
    },
    question(passage) {
      const length = between(asking, QUESTION_WORDS);
      return Array.from({ length }, () => passage[Math.floor(asking() * passage.length)] as string);
    },
  };
}

/** Creates a generator of unit vectors; the same arguments yield the same vectors. */
export function createVectors(seed: number, dimensions: number, topics = TOPICS): () => Float32Array {
  const random = createRandom(seed);
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Array.from({ length: topics }, () => Float32Array.from({ length: dimensions }, gauss));
  const shared = Math.sqrt(1 - OWN_SHARE);
  const own = Math.sqrt(OWN_SHARE);
  return () => {
    const centre = centres[Math.floor(random() * topics)] as Float32Array;
    const vector = centre.map((value) => shared * value + own * gauss());
    const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    return vector.map((value) => value / norm);
  };
}

/** Samples ranks from 0 with probability ∝ 1 / (rank + 1 + skipped). */
export function zipfSampler(size: number, random: () => number, skipped = STOP_RANKS): () => number {
  const cumulative = new Float64Array(size);
  let sum = 0;
  for (let rank = 0; rank < size; rank++) {
    sum += 1 / (rank + 1 + skipped);
    cumulative[rank] = sum;
  }
  return () => {
    const target = random() * sum;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((cumulative[middle] as number) < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Returns a pronounceable word for a rank. */
function nameOf(rank: number): string {
  const consonants = "bdfgklmnprstvz";
  const vowels = "aeiou";
  let left = rank + consonants.length * vowels.length;
  let name = "";
  while (left > 0) {
    name += (consonants[left % consonants.length] as string) + (vowels[Math.floor(left / consonants.length) % vowels.length] as string);
    left = Math.floor(left / (consonants.length * vowels.length));
  }
  return name;
}

function between(random: () => number, { least, most }: { readonly least: number; readonly most: number }): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** Creates a stored document with passages of `texts`: `passages` chunks with some windows each, one passage per window. */
export function generatedDocument(domain: string, number: number, texts: GeneratedTexts, passages: number, windows = 1): StoredDocument {
  const id = `generated-${String(number).padStart(8, "0")}`;
  let text = "";
  const chunks = Array.from({ length: passages }, (_, ordinal) => {
    const parts = Array.from({ length: windows }, () => {
      const words = texts.passage();
      const start = text.length;
      text += `${words.join(" ")}.\n`;
      return { start, end: text.length - 1, tokens: words.length };
    });
    const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
    const range = { start: parts[0]?.start ?? 0, end: text.length - 1, tokens };
    return { ...range, id: `${id}-${ordinal}`, documentId: id, ordinal, headingPath: [`Part ${ordinal}`], windows: parts };
  });
  const none = { description: null, url: null, asOf: null, authority: null, topic: null, subtopic: null, type: null, tenant: null };
  const place = { id, domain, access: "public", source: "generated", path: `${id}.md`, title: `Document ${number}` };
  const made = { originalHash: "", version: "1", normaliser: "1", blocks: [], units: [], sourceMap: [0, text.length, 0, text.length] };
  return { ...none, ...place, ...made, text, chunks };
}

/** Creates an encoder that returns generated vectors for any text, to measure everything but the encoding. */
export function generatedEncoder(seed: number): { id: string; embed(texts: readonly string[]): Promise<Float32Array[]> } {
  let next: (() => Float32Array) | null = null;
  return {
    id: "generated",
    async embed(texts) {
      const vector = next ?? createVectors(seed, GENERATED_DIMENSIONS);
      next = vector;
      return texts.map(() => vector());
    },
  };
}

const GENERATED_DIMENSIONS = 384;
/** Normal numbers from which vectors of texts are cut. */
const NOISE = 2 ** 20;

/**
 * Creates a function that returns a unit vector for a text, in any process the same. Texts with the same first line lie around the same
 * centre.
 */
export function createTextVectors(seed: number, dimensions = GENERATED_DIMENSIONS, topics = TOPICS): (text: string) => Float32Array {
  const random = createRandom(seed);
  const noise = Float32Array.from({ length: NOISE }, () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
  const [shared, own] = [Math.sqrt(1 - OWN_SHARE), Math.sqrt(OWN_SHARE / 2)];
  return (text) => {
    const centre = (hashOf(text.split("\n", 1)[0] ?? "", seed) % topics) * dimensions;
    const one = hashOf(text, seed + 1) % (NOISE - dimensions);
    const two = hashOf(text, seed + 2) % (NOISE - dimensions);
    const vector = new Float32Array(dimensions);
    let sum = 0;
    for (let i = 0; i < dimensions; i++) {
      const value = shared * (noise[centre + i] as number) + own * ((noise[one + i] as number) + (noise[two + i] as number));
      vector[i] = value;
      sum += value * value;
    }
    const norm = Math.sqrt(sum);
    for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] as number) / norm;
    return vector;
  };
}

/** FNV-1a over code units, mixed. */
function hashOf(text: string, seed: number): number {
  let hash = Math.imul(seed, 0x9e3779b1) ^ 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
