import { type ModelError, messageOf } from "../shared/errors.ts";
import { plainLetters } from "../text/normalise.ts";
import { createWordpiece } from "../text/wordpiece.ts";
import { mergeAdapter, type TokenHead } from "./adapter.ts";
import { openContainer } from "./container.ts";
import { compileKernel, createKernel, largestCode } from "./kernel/kernel.ts";
import type { PairReading, ReadingOf, ToRead } from "./reader.ts";
import { checkTensors, headerSchema, layerMatrices, type WeightsHeader } from "./weights-file.ts";

const PAGE_BYTES = 65536;
const SPECIAL_PIECES = ["[UNK]", "[CLS]", "[SEP]"];

/**
 * Weights in shared memory, packed for the kernel, so that threads share them without a copy. After the weights, the memory
 * has one area (arena) per thread for its computation.
 */
export interface ReaderWeights {
  readonly header: Omit<WeightsHeader, "tensors">;
  /** SHA-256 of the file's content, or of the adapter's content if one is merged. */
  readonly hash: string;
  readonly tokenHead: TokenHead | null;
  /** Byte offset of each tensor in the memory. */
  readonly places: ReadonlyMap<string, number>;
  readonly vocabulary: { readonly bytes: number; readonly pieces: number };
  readonly memory: WebAssembly.Memory;
  /** Largest code for the quantised input of each matrix. */
  readonly limits: ReadonlyMap<string, number>;
  readonly module: WebAssembly.Module;
  readonly firstArena: number;
  readonly arenaBytes: number;
}

/**
 * Loads a weights file into shared memory, validates its hash and sizes, and packs its matrices for the kernel.
 * @param threads maximum concurrent threads; each gets an arena
 * @param adapter file of an adapter, which is merged into the matrices; `null` for none
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt` | `reader_unsupported`
 */
export function loadReaderWeights(path: string, threads: number, adapter: string | null = null): ReaderWeights {
  const module = compileKernel();
  return openContainer(path, headerSchema, ({ header: { tensors, ...header }, payloadBytes, read, corrupt }) => {
    let places: Map<string, number>;
    try {
      places = checkTensors({ ...header, tensors }, payloadBytes);
    } catch (error) {
      throw corrupt(messageOf(error), error);
    }
    const firstArena = Math.ceil(payloadBytes / PAGE_BYTES) * PAGE_BYTES;
    const arenaBytes = planArena(header).bytes;
    const pages = Math.ceil((firstArena + threads * arenaBytes) / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    const own = read(Buffer.from(memory.buffer, 0, payloadBytes));
    const { hash, tokenHead } =
      adapter === null ? { hash: own, tokenHead: null } : mergeAdapter(adapter, { header, hash: own, places, memory });
    const vocabulary = { bytes: tensors.vocabulary?.shape[0] as number, pieces: tensors.rows?.shape[0] as number };
    const weights = { header, hash, tokenHead, memory, module, places, vocabulary, firstArena, arenaBytes };
    checkVocabulary(weights, tensors["words.scales"]?.shape[0] as number, corrupt);
    return { ...weights, limits: packMatrices(weights) };
  });
}

/** Checks that the vocabulary has the special tokens, and that every token has a row in the word embeddings. */
function checkVocabulary(
  weights: Pick<ReaderWeights, "memory" | "places" | "vocabulary">,
  keptRows: number,
  corrupt: (what: string) => ModelError,
): void {
  const pieces = piecesOf(weights);
  if (pieces.length !== weights.vocabulary.pieces) throw corrupt("its vocabulary and rows have inconsistent sizes");
  for (const piece of SPECIAL_PIECES) if (!pieces.includes(piece)) throw corrupt(`the vocabulary has no token "${piece}"`);
  const rows = new Uint16Array(weights.memory.buffer, weights.places.get("rows"), pieces.length);
  if (rows.some((row) => row >= keptRows)) throw corrupt("a token has no embedding");
}

/** Packs every int8 matrix in place. The first arena serves as scratch memory. */
function packMatrices(weights: Pick<ReaderWeights, "header" | "places" | "memory" | "module" | "firstArena">): Map<string, number> {
  const { header, places, firstArena } = weights;
  const kernel = createKernel(weights);
  const limits = new Map<string, number>();
  for (let layer = 0; layer < header.layers; layer++) {
    for (const [name, rows, depth] of layerMatrices(header)) {
      const matrix = `layer.${layer}.${name}`;
      limits.set(matrix, largestCode(kernel.packRows(places.get(`${matrix}.codes`) as number, rows, depth, firstArena)));
    }
  }
  return limits;
}

/** Returns the vocabulary by token id. */
export function piecesOf(weights: Pick<ReaderWeights, "memory" | "places" | "vocabulary">): string[] {
  // Copy the bytes, because decoders do not accept shared memory.
  const bytes = new Uint8Array(weights.memory.buffer, weights.places.get("vocabulary"), weights.vocabulary.bytes);
  return Buffer.from(bytes).toString("utf8").split("\n");
}

export function placeOf({ places }: Pick<ReaderWeights, "places">, name: string): number {
  const place = places.get(name);
  if (place === undefined) throw new Error(`the weights have no tensor "${name}"`);
  return place;
}

/** Returns the byte offsets of an arena's buffers. `max_tokens` is a multiple of 8, because the kernel processes 8 tokens at a time. */
export function planArena({ hidden, heads, feed_forward, max_tokens: tokens }: Omit<WeightsHeader, "tensors">, start = 0) {
  let at = start;
  const take = (bytes: number) => {
    const place = at;
    at += Math.ceil(bytes / 64) * 64;
    return place;
  };
  return {
    x: take(4 * tokens * hidden),
    keyValue: take(4 * tokens * 2 * hidden),
    query: take(4 * tokens * hidden),
    mixed: take(4 * tokens * hidden),
    wide: take(4 * tokens * feed_forward),
    narrow: take(4 * tokens * hidden),
    codes: take(2 * tokens * Math.max(hidden, feed_forward)),
    codeScales: take(4 * tokens),
    scratch: take(4 * tokens * (2 * (hidden / heads) + tokens)),
    bytes: at - start,
  };
}

/** Maximum tokens of a text, including [CLS] and [SEP]. Longer text is cut. */
export const MAX_TOKENS = 256;
/** Maximum tokens of a pair, and of the question in it, as in training (`lab/train/reader`). */
export const MAX_PAIR_TOKENS = 176;
export const MAX_QUESTION_TOKENS = 48;

/** Scores one text or pair at a time in the calling thread. */
export type ReadText = <Read extends ToRead>(read: Read) => ReadingOf<Read>;

/** The forward pass over token ids (`createForward`). */
export interface Forward {
  run(ids: Int32Array): PairReading;
  /** Returns the log odds of the token head for the tokens from `start` to `end` of the sequence that `run` scored last. */
  tokenOdds(head: TokenHead, start: number, end: number): Float32Array;
}

export function createReadText(weights: ReaderWeights, { run, tokenOdds }: Forward): ReadText {
  const { sequence, count } = createSequenceBuilder(piecesOf(weights));
  const { tokenHead } = weights;
  /** Returns the lowest log odds among the tokens of each word of the claim. */
  const oddsOfWords = (claim: string, head: TokenHead, end: number) => {
    const odds = tokenOdds(head, 1, end);
    let at = 0;
    return Float32Array.from(
      (claim.match(/\S+/gu) ?? []).map((word) => {
        const start = at;
        at += count(word);
        return Math.min(...odds.subarray(start, at));
      }),
    );
  };
  const readingOf = (read: ToRead): ReadingOf<ToRead> => {
    const ids = sequence(read);
    const reading = run(ids);
    // The heads are meaningful for pairs only, so a text gets no scores.
    if (typeof read === "string") return { vector: reading.vector };
    // The claim ends before the first separator.
    const end = ids.indexOf(ids.at(-1) as number);
    return tokenHead === null ? reading : { ...reading, words: oddsOfWords(read.question, tokenHead, end) };
  };
  return (read) => readingOf(read) as ReadingOf<typeof read>;
}

/** Returns functions that convert input to token ids, `[CLS] text [SEP]` or `[CLS] question [SEP] text [SEP]`, and that count tokens. */
export function createSequenceBuilder(pieces: readonly string[]) {
  const idOf = (piece: string) => {
    const id = pieces.indexOf(piece);
    if (id < 0) throw new Error(`the vocabulary has no token "${piece}"`);
    return id;
  };
  const wordpiece = createWordpiece(pieces, { piece: idOf("[UNK]") });
  const [start, separator] = [idOf("[CLS]"), idOf("[SEP]")];
  const tokens = (text: string, limit: number) => wordpiece.ids.slice(0, wordpiece.encode(plainLetters(text), limit));
  return {
    sequence(read: ToRead): Int32Array {
      if (typeof read === "string") return Int32Array.from([start, ...tokens(read, MAX_TOKENS - 2), separator]);
      const question = tokens(read.question, MAX_QUESTION_TOKENS);
      const text = tokens(read.text, MAX_PAIR_TOKENS - 3 - question.length);
      return Int32Array.from([start, ...question, separator, ...text, separator]);
    },
    count: (text: string) => wordpiece.encode(plainLetters(text)),
  };
}
