import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ModelError, messageOf, systemCodeOf } from "../errors.ts";
import { arenaBytes } from "./arena.ts";
import { largestCode } from "./kernel/kernel.ts";
import { compileKernel } from "./kernel/wasm.ts";
import { bufferOf, openKernel, piecesOf, type ReaderWeights, type StoredWeights } from "./shared-weights.ts";
import { checkTensors, headerSchema, layerMatrices, MAGIC, MAX_HEADER_BYTES, PREFIX_BYTES, type WeightsHeader } from "./weights-file.ts";

const PAGE_BYTES = 65536;
const SPECIAL_PIECES = ["[UNK]", "[CLS]", "[SEP]"];

export interface LoadOptions {
  /** Threads that will read at the same time; each gets an arena. */
  readonly threads: number;
  /** "scalar" only to compare, or where there is no SIMD. @default the best that the machine has */
  readonly kernel?: "wasm" | "scalar" | undefined;
}

/**
 * Reads a weights file into shared memory, checks its hash and every size in it, and arranges its matrices for the kernel.
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt`
 */
export function loadReaderWeights(path: string, { threads, kernel }: LoadOptions): ReaderWeights {
  const module = kernel === "scalar" ? null : compileKernel();
  const arenas = { firstArena: 0, arenaBytes: 0 };
  const stored = readStoredWeights(path, (payloadBytes, header) => {
    arenas.firstArena = Math.ceil(payloadBytes / PAGE_BYTES) * PAGE_BYTES;
    arenas.arenaBytes = arenaBytes(header);
    return allocate(arenas.firstArena + threads * arenas.arenaBytes, module !== null);
  });
  const weights = { ...stored, ...arenas, module };
  return { ...weights, limits: packMatrices(weights) };
}

type Allocate = (payloadBytes: number, header: Omit<WeightsHeader, "tensors">) => StoredWeights["memory"];

/**
 * Reads a weights file into memory, whose beginning it fills, and checks its hash and every size in it.
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt`
 */
export function readStoredWeights(path: string, allocateFor: Allocate = (bytes) => allocate(bytes, false)): StoredWeights {
  const corrupt = (what: string, cause?: unknown) =>
    new ModelError(
      "reader_corrupt",
      `the reader's weights ${path} are damaged (${what}): reinstall the package, or make them again with lab/train/reader`,
      { path },
      { cause },
    );
  const file = openWeights(path);
  try {
    const size = fstatSync(file).size;
    const prefix = readExactly(file, 0, Buffer.alloc(Math.min(PREFIX_BYTES, size)));
    if (size < PREFIX_BYTES || prefix.toString("latin1", 0, 8) !== MAGIC) throw corrupt(`no ${MAGIC} mark`);
    const headerBytes = prefix.readUInt32LE(40);
    if (headerBytes > MAX_HEADER_BYTES || PREFIX_BYTES + headerBytes > size) throw corrupt("the header is cut short");
    const headerText = readExactly(file, PREFIX_BYTES, Buffer.alloc(headerBytes));
    const { tensors, ...header } = parseOr(headerText, (error) => corrupt(`the header is not readable: ${messageOf(error)}`, error));
    const payloadBytes = size - PREFIX_BYTES - headerBytes;
    let places: Map<string, number>;
    try {
      places = checkTensors({ ...header, tensors }, payloadBytes);
    } catch (error) {
      throw corrupt(messageOf(error), error);
    }
    const memory = allocateFor(payloadBytes, header);
    const payload = Buffer.from(bufferOf({ memory }), 0, payloadBytes);
    readExactly(file, PREFIX_BYTES + headerBytes, payload);
    const hash = createHash("sha256").update(prefix.subarray(40)).update(headerText).update(payload).digest();
    if (!hash.equals(prefix.subarray(8, 40))) throw corrupt("its hash differs from the one that it carries");
    const vocabulary = { bytes: tensors.vocabulary?.shape[0] as number, pieces: tensors.rows?.shape[0] as number };
    const weights = { header, hash: hash.toString("hex"), memory, places, vocabulary };
    checkVocabulary(weights, tensors["words.scales"]?.shape[0] as number, corrupt);
    return weights;
  } finally {
    closeSync(file);
  }
}

/** The special pieces are there, and every piece has one of the kept rows. */
function checkVocabulary(
  weights: Pick<StoredWeights, "memory" | "places" | "vocabulary">,
  keptRows: number,
  corrupt: (what: string) => ModelError,
): void {
  const pieces = piecesOf(weights);
  if (pieces.length !== weights.vocabulary.pieces) throw corrupt("its vocabulary and rows do not add up");
  for (const piece of SPECIAL_PIECES) if (!pieces.includes(piece)) throw corrupt(`the vocabulary has no piece "${piece}"`);
  const rows = new Uint16Array(bufferOf(weights), weights.places.get("rows"), pieces.length);
  if (rows.some((row) => row >= keptRows)) throw corrupt("a piece has no row");
}

function openWeights(path: string): number {
  try {
    const file = openSync(path, "r");
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
    throw new Error("it is no file");
  } catch (error) {
    const code = systemCodeOf(error) === "ENOENT" ? "reader_missing" : "reader_unreadable";
    const message = `the reader's weights ${path} cannot be read (${messageOf(error)}): reinstall the package, or give the path of a weights file`;
    throw new ModelError(code, message, { path }, { cause: error });
  }
}

function readExactly<T extends Buffer>(file: number, from: number, into: T): T {
  for (let done = 0; done < into.length; ) {
    const count = readSync(file, into, done, into.length - done, from + done);
    if (count === 0) throw new ModelError("reader_corrupt", "the reader's weights became shorter while they were read: try again");
    done += count;
  }
  return into;
}

function parseOr(text: Buffer, failure: (error: unknown) => ModelError): WeightsHeader {
  try {
    return headerSchema.parse(JSON.parse(text.toString("utf8")));
  } catch (error) {
    throw failure(error);
  }
}

function allocate(bytes: number, forWasm: boolean): WebAssembly.Memory | SharedArrayBuffer {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  if (!forWasm) return new SharedArrayBuffer(pages * PAGE_BYTES);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

/** Arranges every int8 matrix for `multiply`, in place. The first arena lends the room. */
function packMatrices(weights: Pick<ReaderWeights, "header" | "places" | "memory" | "module" | "firstArena">): Map<string, number> {
  const { header, places, firstArena } = weights;
  const kernel = openKernel(weights);
  const limits = new Map<string, number>();
  for (let layer = 0; layer < header.layers; layer++) {
    for (const [name, rows, depth] of layerMatrices(header)) {
      const matrix = `layer.${layer}.${name}`;
      limits.set(matrix, largestCode(kernel.packRows(places.get(`${matrix}.codes`) as number, rows, depth, firstArena)));
    }
  }
  return limits;
}
