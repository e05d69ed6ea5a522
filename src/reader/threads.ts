import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../package.ts";
import type { ReadingOf, ToRead } from "./reader.ts";
import type { ReaderWeights } from "./shared-weights.ts";

export interface ThreadSetup {
  readonly weights: ReaderWeights;
  readonly arenaNumber: number;
}

export interface ThreadTask {
  readonly id: number;
  readonly read: ToRead;
}

/** A failure that an error of ours tells has its code. */
export type ThreadReply = { readonly id: number } & (
  | { readonly reading: ReadingOf<ToRead> }
  | { readonly failure: string; readonly code?: string | undefined }
);

/** A thread that reads one text at a time, or a process. */
export interface ReaderThread {
  post(task: ThreadTask): void;
  /** Whether it keeps the process alive. */
  hold(busy: boolean): void;
  end(): Promise<void>;
}

export interface ThreadEvents {
  onReply(reply: ThreadReply): void;
  /** It ended, whatever the reason; no reply comes after it. */
  onEnd(cause: unknown): void;
}

export type StartThread = (arenaNumber: number, events: ThreadEvents) => ReaderThread;

/** A thread's own heap holds a vocabulary and one text at a time; weights and buffers are outside. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };

export const ENTRY = join(PACKAGE_ROOT, "dist", "src", "reader", "worker.js");

/** Starts worker threads over shared weights. */
export function createThreadStarter(weights: ReaderWeights): StartThread {
  return (arenaNumber, { onReply, onEnd }) => {
    const setup: ThreadSetup = { weights, arenaNumber };
    // Without the flags of the process: some of them (`--input-type`) keep a thread from starting.
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
    worker.once("exit", (code) => onEnd(cause ?? new Error(`the thread ended with code ${code}`)));
    worker.unref();
    return {
      post: (task) => worker.postMessage(task),
      hold: (busy) => (busy ? worker.ref() : worker.unref()),
      end: async () => void (await worker.terminate()),
    };
  };
}
