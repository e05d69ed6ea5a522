import { availableParallelism } from "node:os";
import { IngestError } from "../errors.ts";
import type { DocumentDraft } from "./document-draft.ts";
import { textExtensions } from "./formats/formats.ts";
import { findRecognition } from "./formats/pdf/recognise.ts";
import { extensionOf } from "./paths.ts";
import { type FileToRead, type ReaderThread, startReaderThread, ThreadEnded } from "./reader-thread.ts";

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
