import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { startDeadline } from "../models/adapters/call.ts";
import type { FetchedPage, PageText, ReadPage } from "../models/web-page.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { messageOf, WebError } from "../shared/errors.ts";

/** Milliseconds for one page; a long ordinary page takes a tenth. */
const READ_TIMEOUT_MS = 4000;
/** Maximum pages read at the same time in this process; others wait. */
const WORKERS = 2;
/** Heap limit of one reader, in megabytes. The tree of a 2 MB page takes less than half. */
const HEAP_MB = 192;

const ENTRY = join(PACKAGE_ROOT, "dist", "src", "ingest", "web-page-worker.js");

/** Creates a reader that parses each page in a separate thread with limits on time and memory, against hostile pages. */
export function createPageReader(timeoutMs = READ_TIMEOUT_MS): ReadPage {
  let running = 0;
  const waiting: (() => void)[] = [];
  /** Waits for a free slot; an abort leaves the queue. */
  const turn = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.push(go);
    });
  return async (source, signal) => {
    signal.throwIfAborted();
    if (running >= WORKERS) await turn(signal);
    else running++;
    try {
      signal.throwIfAborted();
      return await readApart(source, timeoutMs, signal);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

function readApart(source: FetchedPage, timeoutMs: number, signal: AbortSignal): Promise<PageText> {
  const limits = { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 32 };
  // Discards the parser's output.
  const worker = new Worker(ENTRY, { resourceLimits: limits, env: {}, stdout: true, stderr: true });
  const deadline = startDeadline(signal, timeoutMs);
  const read = new Promise<PageText>((resolve, reject) => {
    const unreadable = (why: string) => reject(new WebError("page_unreadable", why));
    const stop = () =>
      reject(deadline.expired() ? new WebError("web_timeout", `the page could not be read within ${timeoutMs} ms`) : signal.reason);
    deadline.signal.addEventListener("abort", stop, { once: true });
    worker.once("message", ({ page, failure }: { page?: PageText; failure?: string }) =>
      page === undefined ? unreadable(failure ?? "no reason given") : resolve(page),
    );
    worker.once("error", (error) => unreadable(messageOf(error)));
    worker.once("exit", () => unreadable("the reader ended"));
  });
  worker.postMessage(source);
  return read.finally(() => worker.terminate());
}
