import { type ModelError, messageOf } from "../shared/errors.ts";
import { mergeAdapter } from "./adapter.ts";
import { openContainer } from "./container.ts";
import { compileKernel, createKernel, largestCode } from "./kernel/kernel.ts";
import { checkTensors, headerSchema, layerMatrices, type WeightsHeader } from "./weights-file.ts";

const PAGE_BYTES = 65536;
const SPECIAL_PIECES = ["[UNK]", "[CLS]", "[SEP]"];

/**
 * Weights in shared memory, packed for the kernel. Threads share them without a copy. Behind the weights, each thread
 * has its own arena.
 */
export interface ReaderWeights {
  readonly header: Omit<WeightsHeader, "tensors">;
  /** SHA-256 of the file's content, or of the merged adapter's content. */
  readonly hash: string;
  /** Byte offset of each tensor in the memory. */
  readonly places: ReadonlyMap<string, number>;
  readonly vocabulary: { readonly bytes: number; readonly pieces: number };
  readonly memory: WebAssembly.Memory;
  /** Largest input code of each packed matrix. */
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
    const hash = adapter === null ? own : mergeAdapter(adapter, { header, hash: own, places, memory });
    const vocabulary = { bytes: tensors.vocabulary?.shape[0] as number, pieces: tensors.rows?.shape[0] as number };
    const weights = { header, hash, memory, module, places, vocabulary, firstArena, arenaBytes };
    checkVocabulary(weights, tensors["words.scales"]?.shape[0] as number, corrupt);
    return { ...weights, limits: packMatrices(weights) };
  });
}

/** Validates that the special tokens exist and that every token has a kept row. */
function checkVocabulary(
  weights: Pick<ReaderWeights, "memory" | "places" | "vocabulary">,
  keptRows: number,
  corrupt: (what: string) => ModelError,
): void {
  const pieces = piecesOf(weights);
  if (pieces.length !== weights.vocabulary.pieces) throw corrupt("its vocabulary and rows have inconsistent sizes");
  for (const piece of SPECIAL_PIECES) if (!pieces.includes(piece)) throw corrupt(`the vocabulary has no token "${piece}"`);
  const rows = new Uint16Array(weights.memory.buffer, weights.places.get("rows"), pieces.length);
  if (rows.some((row) => row >= keptRows)) throw corrupt("a token has no row");
}

/** Packs every int8 matrix for `multiply` in place, with the first arena as scratch memory. */
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
  // Copies the bytes, because decoders do not accept shared memory.
  const bytes = new Uint8Array(weights.memory.buffer, weights.places.get("vocabulary"), weights.vocabulary.bytes);
  return Buffer.from(bytes).toString("utf8").split("\n");
}

/** Returns the byte offset of a tensor. */
export function placeOf({ places }: Pick<ReaderWeights, "places">, name: string): number {
  const place = places.get(name);
  if (place === undefined) throw new Error(`the weights have no tensor "${name}"`);
  return place;
}

/** Byte addresses of a thread's buffers, and the size of the arena. */
export interface Arena {
  readonly x: number;
  readonly keyValue: number;
  readonly query: number;
  readonly mixed: number;
  readonly wide: number;
  readonly narrow: number;
  readonly codes: number;
  readonly codeScales: number;
  readonly scratch: number;
  readonly bytes: number;
}

/** Plans buffers for up to `max_tokens` tokens, rounded to a multiple of 8, so that tiles are complete. */
export function planArena({ hidden, heads, feed_forward, max_tokens: tokens }: Omit<WeightsHeader, "tensors">, start = 0): Arena {
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
