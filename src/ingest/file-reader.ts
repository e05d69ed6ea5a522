import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../package.ts";
import { IngestError, messageOf } from "../shared/errors.ts";
import type { FileOutcome } from "./file-worker.ts";
import { findRecognition } from "./formats/pdf/recognise.ts";
import type { DocumentDraft } from "./to-document.ts";

/** Heap limit of one reader thread, in megabytes. The structure of the largest text takes less than half. */
const HEAP_MB = 1_024;

/** The worker always runs from the build: from source, each thread would strip the types again. */
const ENTRY = join(PACKAGE_ROOT, "dist", "src", "ingest", "file-worker.js");

interface FileToRead {
  readonly path: string;
  readonly bytes: Uint8Array;
}

type FinishedFile = Exclude<FileOutcome, { type: "going-on" }>;

/** A thread that reads one file at a time. */
interface ReaderThread {
  /**
   * @param file its bytes are transferred
   * @throws IngestError `read_timeout`, `read_failed`; the reason of `signal`. Each error ends the thread.
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

/** @param onEnd called when the thread ends */
function startReaderThread({ timeoutMs, heapMb, hasChunks }: Required<FileReaderOptions>, onEnd: () => void): ReaderThread {
  const worker = new Worker(ENTRY, {
    // Discards the parser's output and withholds the environment, which a parser does not need.
    ...{ stdout: true, stderr: true, env: {}, workerData: { hasChunks } },
    ...{ resourceLimits: { maxOldGenerationSizeMb: heapMb }, execArgv: [] },
    name: `documents: ${ENTRY}`,
  });
  let task: Task | null = null;
  const finish = (): Task | null => {
    const finished = task;
    task = null;
    clearTimeout(finished?.timer);
    // An idle thread must not keep the process alive.
    worker.unref();
    return finished;
  };
  const broken = (path: string, cause: unknown): IngestError => {
    const isMemory = cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
    const why = isMemory ? `it needs more than ${heapMb} MB of memory` : `its reader failed (${messageOf(cause)})`;
    return new IngestError("read_failed", `${path}: ${why}. Split the file, or leave it out`, { path }, { cause });
  };
  const end = async (blame: (path: string) => unknown = (path) => broken(path, new Error("the worker process ended"))) => {
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

/** Returns the bytes in a buffer of their own, which can be transferred. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isOwn = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  return isOwn ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes);
}

function tooSlow(path: string, timeoutMs: number): IngestError {
  return new IngestError("read_timeout", `${path}: reading took longer than ${timeoutMs / 1000} seconds. Split the file, or leave it out`, {
    path,
    timeoutMs,
  });
}

/** Milliseconds for one file, and for each of its recognised pages. A book of 20 MB takes a third. */
export const FILE_TIMEOUT_MS = 60_000;
/** Maximum files read at the same time. Each may take `HEAP_MB` of memory, and one writer stores all results. */
const MOST_THREADS = 4;
/** Maximum bytes of files read concurrently. Reading a text takes about ten times its size in memory. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Files prepared ahead per thread: about the number that a thread reads while a group is stored. */
const ROOM_PER_THREAD = 16;
/** Reads files into documents concurrently, each in a thread that can be terminated. */
export interface FileReader {
  /** Number of files that are read or queued at the same time. */
  readonly room: number;
  /** Whether scanned pages are recognised (OCR). A change causes files to be read again. */
  readonly recognises: boolean;
  /**
   * @param file its bytes are transferred: they cannot be used afterwards
   * @throws IngestError the format's errors, `read_timeout`, `read_failed`; the reason of `signal`
   */
  read(file: FileToRead, signal: AbortSignal): Promise<readonly DocumentDraft[]>;
  /** Terminates the threads. */
  close(): Promise<void>;
}

export interface FileReaderOptions {
  /** @default FILE_TIMEOUT_MS */
  readonly timeoutMs?: number;
  /** @default the number of processors, at most 4 */
  readonly threads?: number;
  /** Heap limit of a thread, in megabytes. @default HEAP_MB */
  readonly heapMb?: number;
  /** Whether documents are chunked. Without chunks, each thread ends after one file. @default true */
  readonly hasChunks?: boolean;
}

/**
 * Creates a reader that reuses its threads. A file that exceeds its time or memory limit ends its thread and is reported; the next file
 * gets a new thread.
 */
export function createFileReader({
  timeoutMs = FILE_TIMEOUT_MS,
  threads = Math.min(MOST_THREADS, availableParallelism()),
  heapMb = HEAP_MB,
  hasChunks = true,
}: FileReaderOptions = {}): FileReader {
  const all = new Set<ReaderThread>();
  const idle = new Set<ReaderThread>();
  let [reading, readingBytes] = [0, 0];
  const waiting: { readonly bytes: number; readonly begin: () => void }[] = [];
  const start = () => {
    const onEnd = () => {
      all.delete(thread);
      idle.delete(thread);
    };
    const thread: ReaderThread = startReaderThread({ timeoutMs, threads, heapMb, hasChunks }, onEnd);
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
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.splice(waiting.indexOf(task), 1);
          reject(signal.reason);
        };
        const begin = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const task = { bytes, begin };
        signal.addEventListener("abort", leave, { once: true });
        waiting.push(task);
        advance();
      });
      try {
        signal.throwIfAborted();
        const [thread = start()] = idle;
        idle.delete(thread);
        const outcome = await thread.read(file, signal);
        // A thread keeps the memory that a large file took until it ends.
        if (bytes > MOST_BYTES || !hasChunks) await thread.end();
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
