import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../package.ts";
import { IngestError, messageOf } from "../shared/errors.ts";
import type { FileOutcome, FileTask } from "./file-worker.ts";
import { extensionOf } from "./formats/format.ts";
import { textExtensions } from "./formats/formats.ts";
import { findRecognition } from "./formats/pdf/recognise.ts";
import type { DocumentDraft } from "./to-document.ts";

/** Heap limit of one reader thread, in megabytes. The data structures for the largest text take less than half. */
const HEAP_MB = 1_024;

/** Script of the reader threads: always the compiled file. Otherwise each thread would have to strip the types of the source. */
const ENTRY = join(PACKAGE_ROOT, "dist", "src", "ingest", "file-worker.js");

type FinishedFile = Exclude<FileOutcome, { type: "going-on" }>;

/** A thread that reads files one after the other, in the order in which they are sent. */
interface Thread {
  readonly worker: Worker;
  /** Number of files that this thread is reading or has waiting. */
  files: number;
  /** True if all files of this thread are quick to read. Another quick file may then wait behind them. */
  isQuick: boolean;
}

/** `ahead`: number of files that the thread reads before this one. */
type Turn = Readonly<{ thread: Thread; ahead: number }>;

/** The thread ended before it began to read the file, so another thread can read it. */
class ThreadEnded extends Error {}

/**
 * Reads a file in a thread. The file's bytes are transferred to the thread. After an error, the caller must end the thread.
 * @throws IngestError `read_timeout`, `read_failed`; `ThreadEnded`; the abort reason of `signal`
 */
async function readIn(
  { thread: { worker }, ahead: before }: Turn,
  { path, bytes }: FileTask,
  { timeoutMs, heapMb, signal }: { readonly timeoutMs: number; readonly heapMb: number; readonly signal: AbortSignal },
): Promise<FinishedFile> {
  const done = new AbortController();
  let ahead = before;
  try {
    return await new Promise<FinishedFile>((resolve, reject) => {
      const fail = (code: string, reason: string, cause?: unknown) => {
        const message = `${path} could not be read: ${reason}. Split the file, or leave it out`;
        reject(ahead > 0 ? new ThreadEnded() : new IngestError(code, message, { path, timeoutMs }, { cause }));
      };
      const timer = setTimeout(() => fail("read_timeout", `it took longer than ${timeoutMs / 1000} seconds`), timeoutMs);
      const onMessage = (outcome: FileOutcome) => {
        timer.refresh();
        if (outcome.type !== "going-on" && ahead-- === 0) resolve(outcome);
      };
      const onError = (cause: unknown) => {
        const isMemory = cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
        fail("read_failed", isMemory ? `it needs more than ${heapMb} MB of memory` : `its reader failed (${messageOf(cause)})`, cause);
      };
      const onExit = () => onError(new Error("it stopped unexpectedly"));
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
    // Pass a reason, because `abort()` without one creates an error object for each file.
    done.abort("done");
  }
}

/** Returns the bytes in a buffer that contains nothing else, so that the buffer can be transferred. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isOwn = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  return isOwn ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes);
}

/**
 * Maximum milliseconds for reading one file. The time starts again after each page or picture whose text is recognised
 * (OCR). A book of 20 MB takes a third of this time.
 */
export const FILE_TIMEOUT_MS = 60_000;
/** Maximum number of reader threads. Each may take `HEAP_MB` of memory, and a single writer stores all results. */
const MOST_THREADS = 4;
/**
 * Maximum total bytes of the files that are read at the same time. Reading a text takes about ten times its size in
 * memory.
 */
const MOST_BYTES = 4 * 1024 * 1024;
/**
 * Maximum bytes of a text file that counts as quick to read. Only quick files may wait behind others in a thread.
 * Reading 128 KiB takes some 30 ms.
 */
const QUICK_BYTES = 128 * 1024;
/** Maximum number of quick files that a thread reads or has waiting: about as many as it reads while a group of files is stored. */
const ROOM_PER_THREAD = 16;
/**
 * Number of processors left for storing while files are quick to read. A further thread would hardly help: it first
 * compiles the parsers, which takes as long as reading 5 MB.
 */
const LEFT_FOR_STORING = 1;
type FileSize = Readonly<{ bytes: number; isQuick: boolean }>;

/** Reads files into documents concurrently, each in a thread that can be terminated. */
export interface FileReader {
  /** Number of files that may be read or wait at the same time. */
  readonly room: number;
  /**
   * True if the text of scanned pages and embedded pictures is recognised (OCR). If this changes between two ingests, files are read again.
   */
  readonly recognises: boolean;
  /**
   * @param file its bytes are transferred, so the caller cannot use them afterwards
   * @throws IngestError the codes of the format, `read_timeout`, `read_failed`; the abort reason of `signal`
   */
  read(file: FileTask, signal: AbortSignal): Promise<readonly DocumentDraft[]>;
  /** Terminates the threads. */
  close(): Promise<void>;
}

export interface FileReaderOptions {
  /** @default FILE_TIMEOUT_MS */
  readonly timeoutMs?: number;
  /** @default the number of processors, at most 4. Quick files (`QUICK_BYTES`) use one thread less, but at least one */
  readonly threads?: number;
  /** Heap limit of a thread, in megabytes. @default HEAP_MB */
  readonly heapMb?: number;
  /**
   * Whether to chunk documents. If false, each file is read in a new thread: the files are web pages, which may be hostile. @default true
   */
  readonly hasChunks?: boolean;
}

/**
 * Creates a reader that reuses its threads. If a file exceeds its time or memory limit, its thread is terminated and
 * the file is reported as failed. The next file is read in a new thread.
 */
export function createFileReader({
  timeoutMs = FILE_TIMEOUT_MS,
  threads = Math.min(MOST_THREADS, availableParallelism()),
  heapMb = HEAP_MB,
  hasChunks = true,
}: FileReaderOptions = {}): FileReader {
  const all = new Set<Thread>();
  let [reading, readingBytes] = [0, 0];
  const waiting: { readonly file: FileSize; readonly begin: (turn: Turn) => void }[] = [];
  const start = (): Thread => {
    const worker = new Worker(ENTRY, {
      // Discard what a parser prints, and pass no environment variables, because no parser needs any.
      ...{ stdout: true, stderr: true, env: {}, workerData: { hasChunks } },
      ...{ resourceLimits: { maxOldGenerationSizeMb: heapMb }, execArgv: [] },
      name: `documents: ${ENTRY}`,
    });
    // Each waiting file adds listeners, so switch off the limit above which Node.js warns.
    worker.setMaxListeners(0);
    const thread = { worker, files: 0, isQuick: true };
    const forget = () => all.delete(thread);
    worker.on("error", forget).on("exit", forget);
    all.add(thread);
    return thread;
  };
  const threadFor = ({ bytes, isQuick }: FileSize): Thread | null => {
    if (reading > 0 && readingBytes + bytes > MOST_BYTES) return null;
    const [best] = [...all].filter((thread) => thread.isQuick || thread.files === 0).sort((a, b) => a.files - b.files);
    if (best?.files === 0) return best;
    const mayWait = isQuick && best !== undefined;
    if (all.size < threads - (mayWait ? LEFT_FOR_STORING : 0)) return start();
    return mayWait && best.files < ROOM_PER_THREAD ? best : null;
  };
  const advance = () => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const thread = threadFor(next.file);
      if (thread === null) return;
      waiting.shift();
      thread.isQuick = next.file.isQuick;
      reading++;
      readingBytes += next.file.bytes;
      next.begin({ thread, ahead: thread.files++ });
    }
  };
  /** Waits until a thread can take the file. Requests are served in order. */
  const takeTurn = (file: FileSize, signal: AbortSignal) =>
    new Promise<Turn>((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(task), 1);
        reject(signal.reason);
      };
      const begin = (turn: Turn) => {
        signal.removeEventListener("abort", leave);
        resolve(turn);
      };
      const task = { file, begin };
      signal.addEventListener("abort", leave, { once: true });
      waiting.push(task);
      advance();
    });
  const readOnce = async (file: FileTask, size: FileSize, signal: AbortSignal): Promise<FinishedFile> => {
    const turn = await takeTurn(size, signal);
    const { thread } = turn;
    let isReusable = false;
    try {
      signal.throwIfAborted();
      const outcome = await readIn(turn, file, { timeoutMs, heapMb, signal });
      // Do not reuse the thread after a large file: a thread releases memory only when it ends.
      isReusable = size.bytes <= MOST_BYTES && hasChunks;
      return outcome;
    } finally {
      thread.files--;
      // An idle thread must not keep the process alive.
      if (thread.files === 0) thread.worker.unref();
      if (!isReusable) {
        all.delete(thread);
        await thread.worker.terminate();
      }
      reading--;
      readingBytes -= size.bytes;
      advance();
    }
  };
  return {
    room: threads * ROOM_PER_THREAD,
    recognises: findRecognition() !== null,
    async read(file, signal) {
      const bytes = file.bytes.length;
      const isQuick = hasChunks && bytes <= QUICK_BYTES && textExtensions.includes(extensionOf(file.path));
      for (;;) {
        signal.throwIfAborted();
        try {
          // Copy the bytes of a quick file, which the thread takes over: if this thread ends, another thread can read the file.
          const outcome = await readOnce(isQuick ? { ...file, bytes: new Uint8Array(file.bytes) } : file, { bytes, isQuick }, signal);
          if (outcome.type === "documents") return outcome.documents;
          throw new IngestError(outcome.code, outcome.message, outcome.data);
        } catch (error) {
          if (!(error instanceof ThreadEnded)) throw error;
        }
      }
    },
    async close() {
      await Promise.all([...all].map(({ worker }) => worker.terminate()));
    },
  };
}
