import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { IngestError, messageOf } from "../errors.ts";
import { PACKAGE_ROOT } from "../package.ts";
import type { FileOutcome } from "./file-worker.ts";
import { extensionOf } from "./formats/format.ts";
import { textExtensions } from "./formats/formats.ts";
import { findRecognition } from "./formats/pdf/recognise.ts";
import type { DocumentDraft } from "./to-document.ts";

/** Megabytes of heap of one reader: the structure of the largest text takes less than half. */
const HEAP_MB = 1_024;

/** Built also where this file runs from its source: a thread has no share in what others have read of the program, and types would be stripped anew in each. */
const ENTRY = join(PACKAGE_ROOT, "dist", "src", "ingest", "file-worker.js");

interface FileToRead {
  readonly path: string;
  readonly bytes: Uint8Array;
}

type FinishedFile = Exclude<FileOutcome, { type: "going-on" }>;

/** A thread that reads files one after the other, in the order in which they were handed over. */
interface ReaderThread {
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
class ThreadEnded extends Error {}

interface Task {
  readonly path: string;
  readonly resolve: (outcome: FinishedFile) => void;
  readonly reject: (cause: unknown) => void;
}

/** @param onEnd called once the thread takes no more files */
function startReaderThread({ timeoutMs, onEnd }: { readonly timeoutMs: number; readonly onEnd: () => void }): ReaderThread {
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

/** Milliseconds for one file, and for each of its pages that is recognised; a book of 20 MB takes a third. */
export const FILE_TIMEOUT_MS = 60_000;
/** Files that are read at the same time, at most: each may take the memory below, and one writer stores what they read. */
const MOST_THREADS = 4;
/** Bytes of files that are read at the same time, where more than one is: what a text needs while it is read is some ten times its size. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Bytes of a text that may wait in a thread behind others: it takes some 30 milliseconds, less than whoever stores what was read is busy at a time. */
const QUICK_BYTES = 128 * 1024;
/** Quick files in one thread: as many as it reads while a group is stored. */
const MOST_WAITING = 16;
/**
 * Threads fewer for quick files: to store them is half the work of reading them and needs a processor too, and each thread compiles the program for itself, which
 * takes as long as to read 5 MB.
 */
const LEFT_FOR_STORING = 1;

/** Turns files into documents, some at a time, each in a thread that can be ended. */
export interface FileReader {
  /** Files that are read, or wait in a thread, at the same time. */
  readonly room: number;
  /** Are pages that are pictures read too? Files are read anew when that changes. */
  readonly recognises: boolean;
  /**
   * @param file its bytes are taken: they cannot be used afterwards
   * @throws IngestError what the file's format says, `read_timeout`, `read_failed`; the reason of `signal`
   */
  read(file: FileToRead, signal: AbortSignal): Promise<readonly DocumentDraft[]>;
  /** Ends the threads. */
  close(): Promise<void>;
}

export interface FileReaderOptions {
  /** @default FILE_TIMEOUT_MS */
  readonly timeoutMs?: number;
  /** @default as many as there are processors, 4 at most; quick files are read by one fewer */
  readonly threads?: number;
}

/**
 * Reads files in threads that are kept from one to the next. A file that takes longer than its time, or more than its memory, ends its thread and is
 * reported; the next file gets a new one.
 */
export function createFileReader({ timeoutMs = FILE_TIMEOUT_MS, threads = defaultThreads() }: FileReaderOptions = {}): FileReader {
  const all = new Set<ReaderThread>();
  const turns = createTurns(threads, all, () => {
    const thread: ReaderThread = startReaderThread({ timeoutMs, onEnd: () => all.delete(thread) });
    all.add(thread);
    return thread;
  });
  return {
    room: threads * MOST_WAITING,
    recognises: findRecognition() !== null,
    async read(file, signal) {
      const size = file.bytes.length;
      const isQuick = size <= QUICK_BYTES && textExtensions.includes(extensionOf(file.path));
      for (;;) {
        signal.throwIfAborted();
        try {
          const outcome = await turns.take({ bytes: size, isQuick }, async (thread) => {
            signal.throwIfAborted();
            // A quick file keeps its bytes: where the one before it ends the thread, another thread reads it.
            const read = await thread.read(isQuick ? { ...file, bytes: new Uint8Array(file.bytes) } : file, signal);
            // A thread keeps the memory that a large file took, for as long as it lives.
            if (size > MOST_BYTES) await thread.end();
            return read;
          });
          if (outcome.type === "documents") return outcome.documents;
          throw new IngestError(outcome.code, outcome.message, outcome.data);
        } catch (error) {
          if (!(error instanceof ThreadEnded)) throw error;
        }
      }
    },
    async close() {
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

/** What is known of a file before it is read. */
interface FileSize {
  readonly bytes: number;
  readonly isQuick: boolean;
}

interface Turns {
  /** Reads a file with the thread whose turn it is. */
  take<Read>(file: FileSize, read: (thread: ReaderThread) => Promise<Read>): Promise<Read>;
}

/**
 * Gives files to threads in the order in which they came: to one that has none, quick files also behind other quick ones; beside another file, no more bytes
 * than may be read at once.
 */
function createTurns(threads: number, all: ReadonlySet<ReaderThread>, start: () => ReaderThread): Turns {
  const waiting: (FileSize & { readonly begin: (thread: ReaderThread) => Promise<void> })[] = [];
  /** Threads that read a file which is not quick: behind it another one might wait for long. */
  const taken = new Set<ReaderThread>();
  let reading = 0;
  const threadFor = ({ bytes, isQuick }: FileSize): ReaderThread | null => {
    if (reading > 0 && reading + bytes > MOST_BYTES) return null;
    const [best] = [...all].filter((thread) => !taken.has(thread)).sort((a, b) => a.waiting - b.waiting);
    if (best?.waiting === 0) return best;
    // Where every thread is taken, a quick file gets one of its own: behind the others it might wait for long.
    if (all.size < (isQuick && best !== undefined ? threads - LEFT_FOR_STORING : threads)) return start();
    return isQuick && best !== undefined && best.waiting < MOST_WAITING ? best : null;
  };
  const advance = () => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const thread = threadFor(next);
      if (thread === null) return;
      waiting.shift();
      void begin(thread, next);
    }
  };
  const begin = async (thread: ReaderThread, file: (typeof waiting)[number]) => {
    reading += file.bytes;
    if (!file.isQuick) taken.add(thread);
    await file.begin(thread);
    reading -= file.bytes;
    if (!file.isQuick) taken.delete(thread);
    advance();
  };
  return {
    take: (file, read) =>
      new Promise((resolve, reject) => {
        waiting.push({ ...file, begin: (thread) => read(thread).then(resolve, reject) });
        advance();
      }),
  };
}

function defaultThreads(): number {
  return Math.min(MOST_THREADS, availableParallelism());
}
