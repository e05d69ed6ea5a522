import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { PACKAGE_ROOT } from "../package.ts";
import { ModelError, messageOf } from "../shared/errors.ts";
import { sha256Hex } from "../text/hash.ts";
import { createForward } from "./forward.ts";
import type { Reader, ReadingOf, ToRead } from "./reader.ts";
import { createReadText, loadReaderWeights, type ReaderWeights } from "./weights.ts";

export const weightsFile = (name: string) => join(PACKAGE_ROOT, "src", "models", "weights", `${name}.bin`);
export const SHIPPED_WEIGHTS = weightsFile("reader");
/** An adapter for the embedded weights. `questions` is for pairs of questions, `claims` for sentences with their evidence. */
export type Adapter = "questions" | "claims";
/**
 * Default maximum number of threads. More threads gain little, because a question has about a dozen candidates, and
 * other processes need cores too.
 */
export const MAX_DEFAULT_THREADS = 4;
/** Estimated bytes of a cache entry besides its vector. */
const ENTRY_BYTES = 400;
/** Default size of the cache in bytes, enough for about 8,000 results. */
export const DEFAULT_CACHE_BYTES = 16 * 2 ** 20;

export interface ReaderOptions {
  /** Weights file. @default the embedded weights */
  readonly path?: string | undefined;
  /** An adapter of the embedded weights, merged into them while loading (about 0.3 s). @default none */
  readonly adapter?: Adapter | null | undefined;
  /**
   * Number of worker threads. With 0 the cross-encoder runs in the calling thread, for tests and short scripts.
   * @default available parallelism, at most 4
   */
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
    threads === 0 ? readHere(createReadText(weights, createForward(weights, 0))) : createReaderPool(createThreadStarter(weights), threads);
  return createPooledReader(
    pool,
    { name: adapter === null ? weights.header.name : `${weights.header.name} with ${adapter}`, hash: weights.hash },
    cacheBytes,
  );
}

export function defaultThreads(): number {
  return Math.min(MAX_DEFAULT_THREADS, availableParallelism());
}

/** Adds a cache to a pool. Equal texts in one call are computed once. */
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
    // Process the longest texts first, so that no thread still works on a long text while the other threads have nothing left to do.
    const longestFirst = [...missing].sort(([, a], [, b]) => lengthOf(b) - lengthOf(a));
    // If one text fails, cancel all others, because the whole call is rejected.
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
    // The key was computed from the input, so the result has the type for this input.
    return keys.map((key) => found.get(key) as ReadingOf<Read>);
  }

  return { read: readAll, weights, warm: () => pool.warm(), close: () => pool.close() };
}

/** Returns the cache key of an input. The same input has a different key for other weights. */
export function readingKey(weightsHash: string, read: ToRead): string {
  return sha256Hex(JSON.stringify([weightsHash, read]));
}

function lengthOf(read: ToRead): number {
  return typeof read === "string" ? read.length : read.question.length + read.text.length;
}

/** Creates a pool that runs in the calling thread. It yields to the event loop before each text. */
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

export interface ThreadSetup {
  readonly weights: ReaderWeights;
  readonly arenaNumber: number;
}

export interface ThreadTask {
  readonly id: number;
  readonly read: ToRead;
}

export type ThreadReply = { readonly id: number } & ({ readonly reading: ReadingOf<ToRead> } | { readonly failure: string });

/** A thread that scores one text or pair at a time. */
export interface ReaderThread {
  post(task: ThreadTask): void;
  /** Sets whether the thread keeps the process alive. */
  hold(busy: boolean): void;
  end(): Promise<void>;
}

export interface ThreadEvents {
  onReply(reply: ThreadReply): void;
  /** Called when the thread has ended for any reason. Its current task gets no reply. */
  onEnd(cause: unknown): void;
}

export type StartThread = (arenaNumber: number, events: ThreadEvents) => ReaderThread;

/** A pool of threads with one common queue. */
interface ReaderPool {
  /** @throws the signal's reason | {ModelError} `reader_closed` | `reader_crashed` | `reader_failed`, or a loading error */
  read(read: ToRead, signal: AbortSignal | undefined): Promise<ReadingOf<ToRead>>;
  /** Starts every thread that is not running. */
  warm(): void;
  close(): Promise<void>;
}

interface Job {
  readonly id: number;
  readonly read: ToRead;
  readonly resolve: (reading: ReadingOf<ToRead>) => void;
  readonly reject: (reason: unknown) => void;
  crashes: number;
}

interface Slot {
  thread: ReaderThread | null;
  job: Job | null;
}

/** Number of crashes after which a text is rejected instead of tried again. The text probably caused them. */
const MAX_CRASHES = 2;

export function createReaderPool(start: StartThread, threads: number): ReaderPool {
  const slots: Slot[] = Array.from({ length: threads }, () => ({ thread: null, job: null }));
  const row: Job[] = [];
  let lastId = 0;
  let closed = false;

  function startIn(slot: Slot): ReaderThread {
    const thread = start(slots.indexOf(slot), {
      onReply: (reply) => settle(slot, reply),
      onEnd: (cause) => {
        // Ignore a thread that the slot no longer uses.
        if (slot.thread === thread) replace(slot, cause);
      },
    });
    slot.thread = thread;
    return thread;
  }

  function next(): void {
    for (const slot of slots) {
      if (row.length === 0) return;
      if (slot.job !== null) continue;
      const job = row.shift() as Job;
      const thread = slot.thread ?? startIn(slot);
      slot.job = job;
      thread.hold(true);
      thread.post({ id: job.id, read: job.read });
    }
  }

  function settle(slot: Slot, reply: ThreadReply): void {
    const job = slot.job;
    if (job === null || job.id !== reply.id) return;
    slot.job = null;
    slot.thread?.hold(false);
    if ("reading" in reply) job.resolve(reply.reading);
    else
      job.reject(
        new ModelError(
          "reader_failed",
          `the cross-encoder could not score a text (${reply.failure}). Try again, or report this message`,
          {},
        ),
      );
    next();
  }

  /** Handles the end of a thread. Its text goes back to the front of the queue, or is rejected after `MAX_CRASHES`. */
  function replace(slot: Slot, cause: unknown): void {
    const job = slot.job;
    slot.thread = null;
    slot.job = null;
    if (job !== null) {
      job.crashes++;
      if (job.crashes < MAX_CRASHES) row.unshift(job);
      else {
        const message = `the cross-encoder crashed twice on the same text (${messageOf(cause)}). Report this message, with the question and the document if possible`;
        job.reject(new ModelError("reader_crashed", message, {}, { cause }));
      }
    }
    next();
  }

  /** Removes a cancelled job from the queue. A job that is running finishes in its thread within about 10 ms. */
  function drop(job: Job): void {
    const place = row.indexOf(job);
    if (place >= 0) row.splice(place, 1);
  }

  return {
    read(read, signal) {
      if (closed) return Promise.reject(closedError());
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise<ReadingOf<ToRead>>((resolve, reject) => {
        lastId = (lastId % 0x7fffffff) + 1;
        const leave = () => {
          drop(job);
          reject(signal?.reason);
        };
        const settled =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            signal?.removeEventListener("abort", leave);
            settle(value);
          };
        const job: Job = { id: lastId, read, resolve: settled(resolve), reject: settled(reject), crashes: 0 };
        signal?.addEventListener("abort", leave, { once: true });
        row.push(job);
        next();
      });
    },
    warm() {
      if (!closed) for (const slot of slots) if (slot.thread === null) startIn(slot);
    },
    async close() {
      closed = true;
      for (const job of row.splice(0)) job.reject(closedError());
      const ending = slots.map((slot) => {
        const { thread, job } = slot;
        slot.thread = null;
        slot.job = null;
        job?.reject(closedError());
        return thread?.end();
      });
      await Promise.all(ending);
    },
  };
}

function closedError(): ModelError {
  return new ModelError("reader_closed", "the cross-encoder was already closed with its engine. Open a new engine");
}

/** Heap limits of a thread in MB. The heap contains only a vocabulary and one text; weights and buffers are in shared memory. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };

const ENTRY = join(PACKAGE_ROOT, "dist", "src", "cross-encoder", "worker.js");

export function createThreadStarter(weights: ReaderWeights): StartThread {
  return (arenaNumber, { onReply, onEnd }) => {
    const setup: ThreadSetup = { weights, arenaNumber };
    // Do not pass on the command-line flags of this process: some of them (`--input-type`) prevent a thread from starting.
    const worker = new Worker(ENTRY, {
      execArgv: [],
      workerData: setup,
      name: `reader-${arenaNumber}`,
      env: {},
      resourceLimits: HEAP_LIMITS,
    });
    let cause: unknown;
    worker.on("message", onReply);
    worker.on("error", (error) => {
      cause = error;
    });
    worker.once("exit", (code) => onEnd(cause ?? new Error(`the thread exited with code ${code}`)));
    worker.unref();
    return {
      post: (task) => worker.postMessage(task),
      hold: (busy) => (busy ? worker.ref() : worker.unref()),
      end: async () => void (await worker.terminate()),
    };
  };
}

/** Returns a function that opens a reader, which all its callers share. The threads end when the last caller closes it. */
export function createSharing(): (open?: () => Reader) => Reader {
  let shared: { readonly reader: Reader; users: number } | null = null;
  return (open = createReader) => {
    shared ??= { reader: open(), users: 0 };
    const own = shared;
    own.users++;
    let closed = false;
    return {
      ...own.reader,
      close: async () => {
        if (closed) return;
        closed = true;
        own.users--;
        if (own.users > 0) return;
        if (shared === own) shared = null;
        await own.reader.close();
      },
    };
  };
}

const shared = { none: createSharing(), questions: createSharing(), claims: createSharing() };

/**
 * Opens the embedded cross-encoder, with or without an adapter. All engines of the process share it.
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt` | `reader_unsupported`
 */
export function openSharedReader(adapter: Adapter | null = null): Reader {
  return shared[adapter ?? "none"](() => createReader({ adapter }));
}
