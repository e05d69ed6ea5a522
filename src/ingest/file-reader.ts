import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../package.ts";
import { IngestError, messageOf } from "../shared/errors.ts";
import type { FileOutcome } from "./file-worker.ts";
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

/** A thread that reads one file at a time. */
interface ReaderThread {
  /**
   * @param file its bytes are taken
   * @throws IngestError `read_timeout`, `read_failed`; the reason of `signal`: the thread ends with each
   */
  read(file: FileToRead, signal: AbortSignal): Promise<FinishedFile>;
  end(): Promise<void>;
}

interface Task {
  readonly path: string;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (outcome: FinishedFile) => void;
  readonly reject: (cause: unknown) => void;
}

/** @param onEnd called once the thread takes no more files */
function startReaderThread({ timeoutMs, onEnd }: { readonly timeoutMs: number; readonly onEnd: () => void }): ReaderThread {
  const worker = startWorker();
  let task: Task | null = null;
  const finish = (): Task | null => {
    const finished = task;
    task = null;
    clearTimeout(finished?.timer);
    // A reader that waits for files keeps no process alive.
    worker.unref();
    return finished;
  };
  const end = async (blame: (path: string) => unknown = (path) => broken(path, new Error("the reader ended"))) => {
    onEnd();
    const ended = finish();
    ended?.reject(blame(ended.path));
    await worker.terminate();
  };
  worker.on("message", (outcome: FileOutcome) => {
    if (outcome.type === "going-on") task?.timer.refresh();
    else finish()?.resolve(outcome);
  });
  worker.on("error", (cause) => void end((path) => broken(path, cause)));
  worker.on("exit", () => void end());
  return {
    async read({ path, bytes }, signal) {
      const abort = () => void end(() => signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      try {
        return await new Promise<FinishedFile>((resolve, reject) => {
          const timer = setTimeout(() => void end(() => tooSlow(path, timeoutMs)), timeoutMs);
          task = { path, timer, resolve, reject };
          worker.ref();
          const own = ownBytes(bytes);
          worker.postMessage({ path, bytes: own }, [own.buffer]);
        });
      } finally {
        signal.removeEventListener("abort", abort);
      }
    },
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
/** Files begun for each thread, as many as it reads while a group is stored. */
const ROOM_PER_THREAD = 16;
/** Turns files into documents, some at a time, each in a thread that can be ended. */
export interface FileReader {
  /** Files that are read, or wait for it, at the same time. */
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
  /** @default one fewer than there are processors, as storing takes one, and 4 at most */
  readonly threads?: number;
}

/**
 * Reads files in threads that are kept from one to the next. A file that takes longer than its time, or more than its memory, ends its thread and is
 * reported; the next file gets a new one.
 */
export function createFileReader({ timeoutMs = FILE_TIMEOUT_MS, threads = defaultThreads() }: FileReaderOptions = {}): FileReader {
  const all = new Set<ReaderThread>();
  const idle = new Set<ReaderThread>();
  let [reading, readingBytes] = [0, 0];
  const waiting: { readonly bytes: number; readonly begin: () => void }[] = [];
  const start = () => {
    const onEnd = () => {
      all.delete(thread);
      idle.delete(thread);
    };
    const thread: ReaderThread = startReaderThread({ timeoutMs, onEnd });
    all.add(thread);
    return thread;
  };
  const advance = () => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      if (reading > 0 && (reading >= threads || readingBytes + next.bytes > MOST_BYTES)) return;
      waiting.shift();
      reading++;
      readingBytes += next.bytes;
      next.begin();
    }
  };
  return {
    room: threads * ROOM_PER_THREAD,
    recognises: findRecognition() !== null,
    async read(file, signal) {
      const bytes = file.bytes.length;
      await new Promise<void>((begin) => {
        waiting.push({ bytes, begin });
        advance();
      });
      try {
        signal.throwIfAborted();
        const [thread = start()] = idle;
        idle.delete(thread);
        const outcome = await thread.read(file, signal);
        // A thread keeps the memory that a large file took, for as long as it lives.
        if (bytes > MOST_BYTES) await thread.end();
        else idle.add(thread);
        if (outcome.type === "documents") return outcome.documents;
        throw new IngestError(outcome.code, outcome.message, outcome.data);
      } finally {
        reading--;
        readingBytes -= bytes;
        advance();
      }
    },
    async close() {
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

function defaultThreads(): number {
  return Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1));
}
