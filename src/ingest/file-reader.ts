import { availableParallelism } from "node:os";
import { IngestError } from "../errors.ts";
import type { DocumentDraft } from "./document-draft.ts";
import { findRecognition } from "./formats/pdf/recognise.ts";
import { type FileToRead, type ReaderThread, startReaderThread, ThreadEnded } from "./reader-thread.ts";

/** Milliseconds for one file, and for each of its pages that is recognised; a book of 20 MB takes a third. */
export const FILE_TIMEOUT_MS = 60_000;
/** Files that are read at the same time, at most: each may take the memory below, and one writer stores what they read. */
const MOST_THREADS = 4;
/** Bytes of files that are read at the same time, where more than one is: what a text needs while it is read is some ten times its size. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Bytes of a file that may wait in a thread behind others: it takes some ten milliseconds, less than whoever stores what was read is busy at a time. */
const SMALL_BYTES = 32 * 1024;
/** Small files in one thread: as many as it reads while a group is stored. */
const MOST_WAITING = 16;

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
  /** @default as many as there are processors, 4 at most */
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
      for (;;) {
        signal.throwIfAborted();
        try {
          const outcome = await turns.take(size, async (thread) => {
            signal.throwIfAborted();
            // A small file keeps its bytes: where the one before it ends the thread, another thread reads it.
            const read = await thread.read(size > SMALL_BYTES ? file : { ...file, bytes: new Uint8Array(file.bytes) }, signal);
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

interface Turns {
  /** Reads a file of so many bytes with the thread whose turn it is. */
  take<Read>(bytes: number, read: (thread: ReaderThread) => Promise<Read>): Promise<Read>;
}

/**
 * Gives files to threads in the order in which they came: to one that has none, small files also behind other small ones; beside another file, no more bytes
 * than may be read at once.
 */
function createTurns(threads: number, all: ReadonlySet<ReaderThread>, start: () => ReaderThread): Turns {
  const waiting: { readonly bytes: number; readonly begin: (thread: ReaderThread) => Promise<void> }[] = [];
  /** Threads that read a large file: behind it another one might wait for long. */
  const taken = new Set<ReaderThread>();
  let reading = 0;
  const threadFor = (bytes: number): ReaderThread | null => {
    if (reading > 0 && reading + bytes > MOST_BYTES) return null;
    const [best] = [...all].filter((thread) => !taken.has(thread)).sort((a, b) => a.waiting - b.waiting);
    if (best?.waiting === 0) return best;
    if (all.size < threads) return start();
    return bytes <= SMALL_BYTES && best !== undefined && best.waiting < MOST_WAITING ? best : null;
  };
  const advance = () => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const thread = threadFor(next.bytes);
      if (thread === null) return;
      waiting.shift();
      void begin(thread, next);
    }
  };
  const begin = async (thread: ReaderThread, file: (typeof waiting)[number]) => {
    reading += file.bytes;
    if (file.bytes > SMALL_BYTES) taken.add(thread);
    await file.begin(thread);
    reading -= file.bytes;
    if (file.bytes > SMALL_BYTES) taken.delete(thread);
    advance();
  };
  return {
    take: (bytes, read) =>
      new Promise((resolve, reject) => {
        waiting.push({ bytes, begin: (thread) => read(thread).then(resolve, reject) });
        advance();
      }),
  };
}

function defaultThreads(): number {
  return Math.min(MOST_THREADS, availableParallelism());
}
