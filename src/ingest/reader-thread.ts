import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { IngestError, messageOf } from "../errors.ts";
import { PACKAGE_ROOT } from "../package.ts";
import type { FileOutcome } from "./file-worker.ts";

/** Megabytes of heap of one reader: the structure of the largest text takes less than half. */
const HEAP_MB = 1_024;

/** Built also where this file runs from its source: a thread has no share in what others have read of the program, and types would be stripped anew in each. */
const ENTRY = join(PACKAGE_ROOT, "dist", "src", "ingest", "file-worker.js");

export interface FileToRead {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export type FinishedFile = Exclude<FileOutcome, { type: "going-on" }>;

/** A thread that reads files one after the other, in the order in which they were handed over. */
export interface ReaderThread {
  /** Files that were handed over and are not read yet. */
  readonly waiting: number;
  /**
   * @param file its bytes are taken
   * @throws IngestError `read_timeout`, `read_failed`, with which the thread ends; the reason of `signal`; `ThreadEnded` when a file before this one ended it
   */
  read(file: FileToRead, signal: AbortSignal): Promise<FinishedFile>;
  end(): Promise<void>;
}

/** The thread ended before the file's turn came: another one may read it. */
export class ThreadEnded extends Error {}

interface Task {
  readonly path: string;
  readonly resolve: (outcome: FinishedFile) => void;
  readonly reject: (cause: unknown) => void;
}

/** @param onEnd called once the thread takes no more files */
export function startReaderThread({ timeoutMs, onEnd }: { readonly timeoutMs: number; readonly onEnd: () => void }): ReaderThread {
  const worker = startWorker();
  const tasks: Task[] = [];
  let timer: NodeJS.Timeout | undefined;
  const end = async (blame: (path: string) => unknown = (path) => broken(path, new Error("the reader ended"))) => {
    clearTimeout(timer);
    onEnd();
    const [first, ...others] = tasks.splice(0);
    first?.reject(blame(first.path));
    for (const task of others) task.reject(new ThreadEnded(`${task.path}: the reader ended before its turn`));
    await worker.terminate();
  };
  const watch = () => {
    clearTimeout(timer);
    const [first] = tasks;
    // A reader that waits for files keeps no process alive.
    if (first === undefined) worker.unref();
    else timer = setTimeout(() => void end((path) => tooSlow(path, timeoutMs)), timeoutMs);
  };
  worker.on("message", (outcome: FileOutcome) => {
    if (outcome.type === "going-on") timer?.refresh();
    else {
      tasks.shift()?.resolve(outcome);
      watch();
    }
  });
  worker.on("error", (cause) => void end((path) => broken(path, cause)));
  worker.on("exit", () => void end());
  return {
    get waiting() {
      return tasks.length;
    },
    read: ({ path, bytes }, signal) =>
      new Promise<FinishedFile>((resolve, reject) => {
        const settled = (settle: () => void) => {
          signal.removeEventListener("abort", abort);
          settle();
        };
        const task: Task = {
          path,
          resolve: (outcome) => settled(() => resolve(outcome)),
          reject: (cause) => settled(() => reject(cause)),
        };
        // What is being read is read no further; what waits is read for nobody.
        const abort = () => (tasks[0] === task ? void end(() => signal.reason) : task.reject(signal.reason));
        signal.addEventListener("abort", abort, { once: true });
        tasks.push(task);
        if (tasks.length === 1) {
          worker.ref();
          watch();
        }
        const own = ownBytes(bytes);
        worker.postMessage({ path, bytes: own }, [own.buffer]);
      }),
    end,
  };
}

function startWorker(): Worker {
  return new Worker(ENTRY, {
    // What a parser prints about a file is nobody's business, and it has no use for the environment.
    ...{ stdout: true, stderr: true, env: {} },
    ...{ resourceLimits: { maxOldGenerationSizeMb: HEAP_MB }, execArgv: [] },
    name: `documents: ${ENTRY}`,
  });
}

/** The bytes in a buffer of their own, which can be handed over. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isOwn = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  return isOwn ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes);
}

function tooSlow(path: string, timeoutMs: number): IngestError {
  return new IngestError("read_timeout", `${path}: it could not be read within ${timeoutMs / 1000} seconds: split it, or leave it out`, {
    path,
    timeoutMs,
  });
}

function broken(path: string, cause: unknown): IngestError {
  const isMemory = cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
  const why = isMemory ? `it needs more than ${HEAP_MB} MB of memory` : `its reader failed (${messageOf(cause)})`;
  return new IngestError("read_failed", `${path}: ${why}: split it, or leave it out`, { path }, { cause });
}
