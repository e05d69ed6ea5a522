import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { PACKAGE_ROOT } from "../package.ts";
import { sha256Hex } from "../text/hash.ts";
import { createForward } from "./forward.ts";
import { closedError, createReaderPool, createThreadStarter, type ReaderPool } from "./pool.ts";
import { createReadText } from "./read-text.ts";
import type { Reader, ReadingOf, ToRead } from "./reader.ts";
import { loadReaderWeights } from "./weights.ts";

export const weightsFile = (name: string) => join(PACKAGE_ROOT, "src", "models", "weights", `${name}.bin`);
export const SHIPPED_WEIGHTS = weightsFile("reader");
/** Adapters of the embedded weights: for pairs of questions. */
export type Adapter = "questions";
/** More threads gain little: a question has about a dozen candidates, and other processes need cores as well. */
export const MAX_DEFAULT_THREADS = 4;
/** Estimated overhead of a cache entry with its key. */
const ENTRY_BYTES = 400;
/** About 8,000 results. */
export const DEFAULT_CACHE_BYTES = 16 * 2 ** 20;

export interface ReaderOptions {
  /** Weights file. @default the embedded weights */
  readonly path?: string | undefined;
  /** An adapter of the embedded weights, merged into them while loading (about 0.3 s). @default none */
  readonly adapter?: Adapter | null | undefined;
  /** Worker threads; 0 runs in the calling thread, for tests and short scripts. @default available parallelism, at most 4 */
  readonly threads?: number | undefined;
  /** Maximum bytes of cached results; 0 disables the cache. @default DEFAULT_CACHE_BYTES */
  readonly cacheBytes?: number | undefined;
}

/**
 * Loads the weights of the cross-encoder (about 50 ms). Threads start with the first call of `read` or `warm`.
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt` | `reader_unsupported`
 * @example
 * const reader = createReader();
 * const [reading] = await reader.read([{ question: "What is the fee?", text: "Library › Fees\nA card costs $3." }]);
 * await reader.close();
 */
export function createReader(options: ReaderOptions = {}): Reader {
  const { path = SHIPPED_WEIGHTS, adapter = null, threads = defaultThreads(), cacheBytes = DEFAULT_CACHE_BYTES } = options;
  const weights = loadReaderWeights(path, Math.max(1, threads), adapter === null ? null : weightsFile(adapter));
  const pool =
    threads === 0
      ? readHere(createReadText(weights, createForward(weights, 0).run))
      : createReaderPool(createThreadStarter(weights), threads);
  return createPooledReader(
    pool,
    { name: adapter === null ? weights.header.name : `${weights.header.name} with ${adapter}`, hash: weights.hash },
    cacheBytes,
  );
}

export function defaultThreads(): number {
  return Math.min(MAX_DEFAULT_THREADS, availableParallelism());
}

/** Adds a cache to a pool; a batch computes equal texts once. */
export function createPooledReader(pool: ReaderPool, weights: Reader["weights"], cacheBytes: number): Reader {
  const cache =
    cacheBytes === 0
      ? null
      : new LRUCache<string, ReadingOf<ToRead>>({
          maxSize: cacheBytes,
          sizeCalculation: ({ vector }) => ENTRY_BYTES + vector.byteLength,
        });

  async function readAll<Read extends ToRead>(texts: readonly Read[], signal?: AbortSignal): Promise<ReadingOf<Read>[]> {
    signal?.throwIfAborted();
    const keys = texts.map((text) => readingKey(weights.hash, text));
    const found = new Map<string, ReadingOf<ToRead>>();
    const missing = new Map<string, ToRead>();
    for (const [i, text] of texts.entries()) {
      const key = keys[i] as string;
      const known = cache?.get(key);
      if (known === undefined) missing.set(key, text);
      else found.set(key, known);
    }
    // Longest first, so that no thread is left with a long text at the end.
    const longestFirst = [...missing].sort(([, a], [, b]) => lengthOf(b) - lengthOf(a));
    // A failure stops the others, because the whole call is rejected.
    const stop = new AbortController();
    const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    try {
      await Promise.all(
        longestFirst.map(async ([key, text]) => {
          const reading = await pool.read(text, both);
          cache?.set(key, reading);
          found.set(key, reading);
        }),
      );
    } catch (error) {
      stop.abort(error);
      throw error;
    }
    // Keys are computed from the input, so each result has the type of its input.
    return keys.map((key) => found.get(key) as ReadingOf<Read>);
  }

  return {
    read: readAll,
    weights,
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}

/** Returns a cache key over the hash of the weights and the input. */
export function readingKey(weightsHash: string, read: ToRead): string {
  return sha256Hex(JSON.stringify([weightsHash, read]));
}

function lengthOf(read: ToRead): number {
  return typeof read === "string" ? read.length : read.question.length + read.text.length;
}

/** Runs in the calling thread and yields to the event loop between texts. */
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
