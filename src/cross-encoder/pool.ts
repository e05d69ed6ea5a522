import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../package.ts";
import { ModelError, messageOf } from "../shared/errors.ts";
import type { ReadingOf, ToRead } from "./reader.ts";
import type { ReaderWeights } from "./weights.ts";

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
  /** The thread ended for any reason; no reply follows. */
  onEnd(cause: unknown): void;
}

export type StartThread = (arenaNumber: number, events: ThreadEvents) => ReaderThread;

/** A pool with one queue for all threads, so that no thread is idle while work waits. */
export interface ReaderPool {
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

/** A text is retried once after a crash; a text that crashes two threads would crash the next. */
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
        // Ignores threads that were replaced or closed.
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
    else job.reject(new ModelError("reader_failed", `the cross-encoder could not score a text: ${reply.failure}`, {}));
    next();
  }

  /** Clears the slot of an ended thread and puts its text back at the front of the queue, once. */
  function replace(slot: Slot, cause: unknown): void {
    const job = slot.job;
    slot.thread = null;
    slot.job = null;
    if (job !== null) {
      job.crashes++;
      if (job.crashes < MAX_CRASHES) row.unshift(job);
      else {
        const message = `a worker thread of the cross-encoder crashed twice on the same text (${messageOf(cause)}). Please report it with the text`;
        job.reject(new ModelError("reader_crashed", message, {}, { cause }));
      }
    }
    next();
  }

  /** Removes a cancelled job from the queue. A running one finishes in its thread, about 10 ms later. */
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

export function closedError(): ModelError {
  return new ModelError("reader_closed", "the cross-encoder is closed. Open a new engine");
}

/** Heap limits of a thread: it holds a vocabulary and one text; weights and buffers are in shared memory. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };

const ENTRY = join(PACKAGE_ROOT, "dist", "src", "cross-encoder", "worker.js");

export function createThreadStarter(weights: ReaderWeights): StartThread {
  return (arenaNumber, { onReply, onEnd }) => {
    const setup: ThreadSetup = { weights, arenaNumber };
    // The flags of the process are not passed on: some of them (`--input-type`) prevent a thread from starting.
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
