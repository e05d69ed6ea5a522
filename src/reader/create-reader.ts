import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { PACKAGE_ROOT } from "../package.ts";
import { createForward } from "./forward.ts";
import { createOnnxReadText } from "./onnx/read-text.ts";
import { createProcessStarter } from "./onnx/start-process.ts";
import { closedError, createReaderPool, type ReaderPool } from "./pool.ts";
import { createReadText } from "./read-text.ts";
import type { Reader, ReadingOf, ToRead } from "./reader.ts";
import { createReadingCache, readingKey } from "./reading-cache.ts";
import type { StoredWeights } from "./shared-weights.ts";
import { createThreadStarter } from "./threads.ts";
import { loadReaderWeights, readStoredWeights } from "./weights.ts";

/** The weights that ship with the package. */
export const SHIPPED_WEIGHTS = join(PACKAGE_ROOT, "src", "models", "weights", "reader.bin");
/** More threads gain little: a question has a dozen pieces, and others on the machine want to work too. */
export const MAX_DEFAULT_THREADS = 4;
/** Some 8,000 readings. */
export const DEFAULT_CACHE_BYTES = 16 * 2 ** 20;

export interface ReaderOptions {
  /** Weights file. @default the one that ships */
  readonly path?: string | undefined;
  /** Worker threads; 0 reads in the calling thread, for tests and short scripts. @default what the machine can run at once, 1 to 4: the calling thread waits meanwhile */
  readonly threads?: number | undefined;
  /** @default WebAssembly SIMD where the machine has it, else "scalar" */
  readonly kernel?: "wasm" | "scalar" | undefined;
  /** File of `onnxruntime-node` that is loaded (`findOnnxRuntime`): it reads in the place of our own kernel, in processes in the place of threads. @default our own kernel */
  readonly onnxRuntime?: string | undefined;
  /** Most bytes of readings that are kept; 0 keeps none. @default DEFAULT_CACHE_BYTES */
  readonly cacheBytes?: number | undefined;
}

/**
 * Opens the reader: loads its weights (about 50 ms); threads start with the first reading or `warm`.
 *
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt`
 * @example
 * const reader = createReader();
 * const [reading] = await reader.read([{ question: "What is the fee?", text: "Library › Fees\nA card costs $3." }]);
 * await reader.close();
 */
export function createReader(options: ReaderOptions = {}): Reader {
  const { path = SHIPPED_WEIGHTS, threads = defaultThreads(), kernel, onnxRuntime, cacheBytes = DEFAULT_CACHE_BYTES } = options;
  const { pool, weights } = onnxRuntime === undefined ? openOwn(path, threads, kernel) : openOnnx(path, threads, onnxRuntime);
  return createPooledReader(pool, { name: weights.header.name, hash: weights.hash }, cacheBytes);
}

interface Opened {
  readonly pool: ReaderPool;
  readonly weights: StoredWeights;
}

function openOwn(path: string, threads: number, kernel: ReaderOptions["kernel"]): Opened {
  const weights = loadReaderWeights(path, { threads: Math.max(1, threads), kernel });
  const here = () => readHere(createReadText(weights, createForward(weights, 0).run));
  return { weights, pool: threads === 0 ? here() : createReaderPool(createThreadStarter(weights), threads) };
}

/** The weights are read here too, so that what is wrong with them is said at once; each process reads them for itself. */
function openOnnx(path: string, processes: number, file: string): Opened {
  const weights = readStoredWeights(path);
  const here = () => readHere(createOnnxReadText(path, file));
  return { weights, pool: processes === 0 ? here() : createReaderPool(createProcessStarter(path, file), processes) };
}

export function defaultThreads(): number {
  return Math.min(MAX_DEFAULT_THREADS, availableParallelism());
}

/** Whatever reads single texts as a reader: what was read before is remembered, and the same is read once. */
export function createPooledReader(pool: ReaderPool, weights: Reader["weights"], cacheBytes: number): Reader {
  const cache = createReadingCache(cacheBytes);

  async function readAll<Read extends ToRead>(texts: readonly Read[], signal?: AbortSignal): Promise<ReadingOf<Read>[]> {
    signal?.throwIfAborted();
    const keys = texts.map((text) => readingKey(weights.hash, text));
    const found = new Map<string, ReadingOf<ToRead>>();
    const missing = new Map<string, ToRead>();
    for (const [i, text] of texts.entries()) {
      const key = keys[i] as string;
      const known = cache.get(key);
      if (known === undefined) missing.set(key, text);
      else found.set(key, known);
    }
    // The longest first: no thread is left alone with a long one at the end.
    const longestFirst = [...missing].sort(([, a], [, b]) => lengthOf(b) - lengthOf(a));
    // One that fails stops the others: nobody would see them.
    const stop = new AbortController();
    const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    try {
      await Promise.all(
        longestFirst.map(async ([key, text]) => {
          const reading = await pool.read(text, both);
          cache.set(key, reading);
          found.set(key, reading);
        }),
      );
    } catch (error) {
      stop.abort(error);
      throw error;
    }
    // What was read is what the key was made of.
    return keys.map((key) => found.get(key) as ReadingOf<Read>);
  }

  return {
    read: readAll,
    weights,
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}

function lengthOf(read: ToRead): number {
  return typeof read === "string" ? read.length : read.question.length + read.text.length;
}

/** Reads in the calling thread, which others get between two texts. */
function readHere(readText: ReturnType<typeof createReadText>): ReaderPool {
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  return {
    read(text, signal) {
      const reading = last.then(async () => {
        await turn();
        if (closed) throw closedError();
        signal?.throwIfAborted();
        return readText(text);
      });
      last = reading.catch(() => undefined);
      return reading;
    },
    warm: () => undefined,
    close: async () => {
      closed = true;
    },
  };
}
