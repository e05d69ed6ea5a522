import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { IngestError, messageOf } from "../errors.ts";
import type { DocumentDraft } from "./document-draft.ts";
import type { FileOutcome } from "./file-worker.ts";
import { findRecognition } from "./formats/pdf/recognise.ts";

/** Milliseconds for one file, and for each of its pages that is recognised; a book of 20 MB takes a third. */
export const FILE_TIMEOUT_MS = 60_000;
/** Files that are read at the same time, at most: each may take the memory below, and one writer stores what they read. */
const MOST_THREADS = 4;
/** Bytes of files that are read at the same time, where more than one is: what a text needs while it is read is some ten times its size. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Megabytes of heap of one reader: the structure of the largest text takes less than half. */
const HEAP_MB = 1_024;

const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./file-worker.ts" : "./file-worker.js", import.meta.url);

/** Turns files into documents, some at a time, each in a thread that can be ended. */
export interface FileReader {
  /** Files that are read at the same time. */
  readonly threads: number;
  /** Are pages that are pictures read too? Files are read anew when that changes. */
  readonly recognises: boolean;
  /**
   * @param file its bytes are taken: they cannot be used afterwards
   * @throws IngestError what the file's format says, `read_timeout`, `read_failed`; the reason of `signal`
   */
  read(file: { readonly path: string; readonly bytes: Uint8Array }, signal: AbortSignal): Promise<readonly DocumentDraft[]>;
  /** Ends the threads. */
  close(): Promise<void>;
}

export interface FileReaderOptions {
  /** @default FILE_TIMEOUT_MS */
  readonly timeoutMs?: number;
  /** @default as many as there are processors, 4 at most */
  readonly threads?: number;
}

/**
 * Reads files in threads that are kept from one to the next. A file that takes longer than its time, or more than its memory, ends its thread and is
 * reported; the next file gets a new one.
 */
export function createFileReader({ timeoutMs = FILE_TIMEOUT_MS, threads = defaultThreads() }: FileReaderOptions = {}): FileReader {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const turns = createTurns(threads);
  const start = (): Worker => {
    const worker = new Worker(ENTRY, {
      // What a parser prints about a file is nobody's business, and it has no use for the environment.
      ...{ stdout: true, stderr: true, env: {} },
      ...{
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
        execArgv: ENTRY.pathname.endsWith(".ts") ? ["--experimental-strip-types"] : [],
      },
      name: `documents: ${fileURLToPath(ENTRY)}`,
    });
    all.add(worker);
    return worker;
  };
  const end = (worker: Worker) => {
    all.delete(worker);
    return worker.terminate();
  };
  return {
    threads,
    recognises: findRecognition() !== null,
    async read(file, signal) {
      signal.throwIfAborted();
      const size = file.bytes.length;
      await turns.begin(size);
      try {
        signal.throwIfAborted();
        const worker = idle.pop() ?? start();
        worker.ref();
        const outcome = await readWith(worker, file, { timeoutMs, signal }).catch(async (error) => {
          await end(worker);
          throw error;
        });
        // A thread keeps the memory that a large file took, for as long as it lives.
        if (size > MOST_BYTES) await end(worker);
        else {
          // A reader that waits for files keeps no process alive.
          worker.unref();
          idle.push(worker);
        }
        if (outcome.type === "documents") return outcome.documents;
        throw new IngestError(outcome.code, outcome.message, outcome.data);
      } finally {
        turns.end(size);
      }
    },
    async close() {
      await Promise.all([...all].map(end));
    },
  };
}

/** Lets files begin in the order in which they came: as many as there are threads, and, beside another one, no more bytes than may be read at once. */
function createTurns(threads: number): { begin(bytes: number): Promise<void>; end(bytes: number): void } {
  const waiting: { readonly bytes: number; readonly start: () => void }[] = [];
  let running = 0;
  let reading = 0;
  const advance = () => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      if (running > 0 && (running >= threads || reading + next.bytes > MOST_BYTES)) return;
      waiting.shift();
      running++;
      reading += next.bytes;
      next.start();
    }
  };
  return {
    begin: (bytes) =>
      new Promise<void>((start) => {
        waiting.push({ bytes, start });
        advance();
      }),
    end: (bytes) => {
      running--;
      reading -= bytes;
      advance();
    },
  };
}

function defaultThreads(): number {
  return Math.min(MOST_THREADS, availableParallelism());
}

type FinishedFile = Exclude<FileOutcome, { type: "going-on" }>;

function readWith(
  worker: Worker,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<FinishedFile> {
  return new Promise<FinishedFile>((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
      act();
    };
    const onMessage = (outcome: FileOutcome) => {
      if (outcome.type === "going-on") timer.refresh();
      else settle(() => resolve(outcome));
    };
    const onError = (cause: unknown) => settle(() => reject(broken(path, cause)));
    const onExit = () => settle(() => reject(broken(path, new Error("the reader ended"))));
    const abort = () => settle(() => reject(signal.reason));
    const timer = setTimeout(() => settle(() => reject(tooSlow(path, timeoutMs))), timeoutMs);
    signal.addEventListener("abort", abort, { once: true });
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
    const own = ownBytes(bytes);
    worker.postMessage({ path, bytes: own }, [own.buffer]);
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
