import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../package.ts";
import { IngestError, messageOf } from "../shared/errors.ts";
import type { FileOutcome, FileTask } from "./file-worker.ts";
import { findRecognition } from "./formats/pdf/recognise.ts";
import type { DocumentDraft } from "./to-document.ts";

/** Heap limit of one reader thread, in megabytes. The structure of the largest text takes less than half. */
const HEAP_MB = 1_024;

/** The worker always runs the compiled file. From source, each thread would strip the types again. */
const ENTRY = join(PACKAGE_ROOT, "dist", "src", "ingest", "file-worker.js");

type FinishedFile = Exclude<FileOutcome, { type: "going-on" }>;

/**
 * Reads a file in a thread. Transfers its bytes. After an error, the thread must end.
 * @throws IngestError `read_timeout`, `read_failed`; the reason of `signal`
 */
async function readIn(
  worker: Worker,
  { path, bytes }: FileTask,
  { timeoutMs, heapMb, signal }: { readonly timeoutMs: number; readonly heapMb: number; readonly signal: AbortSignal },
): Promise<FinishedFile> {
  const done = new AbortController();
  try {
    return await new Promise<FinishedFile>((resolve, reject) => {
      const fail = (code: string, why: string, cause?: unknown) =>
        reject(new IngestError(code, `${path}: ${why}. Split the file, or leave it out`, { path, timeoutMs }, { cause }));
      const timer = setTimeout(() => fail("read_timeout", `reading took longer than ${timeoutMs / 1000} seconds`), timeoutMs);
      const onMessage = (outcome: FileOutcome) => {
        if (outcome.type === "going-on") timer.refresh();
        else resolve(outcome);
      };
      const onError = (cause: unknown) => {
        const isMemory = cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
        fail("read_failed", isMemory ? `it needs more than ${heapMb} MB of memory` : `its reader failed (${messageOf(cause)})`, cause);
      };
      const onExit = () => onError(new Error("the worker process ended"));
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
      signal.addEventListener("abort", () => reject(signal.reason), { signal: done.signal });
      done.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      });
      worker.ref();
      const own = ownBytes(bytes);
      worker.postMessage({ path, bytes: own }, [own.buffer]);
    });
  } finally {
    done.abort();
    // An idle thread must not keep the process alive.
    worker.unref();
  }
}

/** Returns the bytes in a buffer of their own, which can be transferred. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isOwn = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  return isOwn ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes);
}

/** Milliseconds for one file, and for each of its recognised pages. A book of 20 MB takes a third. */
export const FILE_TIMEOUT_MS = 60_000;
/** Maximum files read at the same time. Each may take `HEAP_MB` of memory, and one writer stores all results. */
const MOST_THREADS = 4;
/** Maximum bytes of files read concurrently. Reading a text takes about ten times its size in memory. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Number of files prepared in advance per thread, about as many as a thread reads while a group is stored. */
const ROOM_PER_THREAD = 16;
/** Reads files into documents concurrently, each in a thread that can be terminated. */
export interface FileReader {
  /** Number of files that are read or queued at the same time. */
  readonly room: number;
  /** True if scanned pages and embedded pictures are recognised (OCR). After a change, files are read again. */
  readonly recognises: boolean;
  /**
   * @param file its bytes are transferred: they cannot be used afterwards
   * @throws IngestError the format's errors, `read_timeout`, `read_failed`; the reason of `signal`
   */
  read(file: FileTask, signal: AbortSignal): Promise<readonly DocumentDraft[]>;
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
  /** True if documents are chunked. False for web pages, which may be hostile, so that each file gets a new thread. @default true */
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
  const all = new Set<Worker>();
  const idle = new Set<Worker>();
  let [reading, readingBytes] = [0, 0];
  const waiting: { readonly bytes: number; readonly begin: () => void }[] = [];
  const start = () => {
    const worker = new Worker(ENTRY, {
      // Discards the parser's output and withholds the environment, which a parser does not need.
      ...{ stdout: true, stderr: true, env: {}, workerData: { hasChunks } },
      ...{ resourceLimits: { maxOldGenerationSizeMb: heapMb }, execArgv: [] },
      name: `documents: ${ENTRY}`,
    });
    const forget = () => {
      all.delete(worker);
      idle.delete(worker);
    };
    worker.on("error", forget).on("exit", forget);
    all.add(worker);
    return worker;
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
      signal.throwIfAborted();
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
      const [worker = start()] = idle;
      idle.delete(worker);
      let isReusable = false;
      try {
        signal.throwIfAborted();
        const outcome = await readIn(worker, file, { timeoutMs, heapMb, signal });
        // Do not reuse the thread after a large file, because a thread frees that memory only when it ends.
        isReusable = bytes <= MOST_BYTES && hasChunks;
        if (outcome.type === "documents") return outcome.documents;
        throw new IngestError(outcome.code, outcome.message, outcome.data);
      } finally {
        if (isReusable) idle.add(worker);
        else await worker.terminate();
        reading--;
        readingBytes -= bytes;
        advance();
      }
    },
    async close() {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
