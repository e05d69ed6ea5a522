import { createReader } from "./create-reader.ts";
import type { Reader } from "./reader.ts";

/** What opens one reader for all who ask for it while one of them uses it; the last who closes it ends its threads. */
export function createSharing(): (open?: () => Reader) => Reader {
  let shared: { readonly reader: Reader; users: number } | null = null;
  return (open = createReader) => {
    shared ??= { reader: open(), users: 0 };
    const own = shared;
    own.users++;
    let closed = false;
    return {
      ...own.reader,
      close: async () => {
        if (closed) return;
        closed = true;
        own.users--;
        if (own.users > 0) return;
        if (shared === own) shared = null;
        await own.reader.close();
      },
    };
  };
}

/**
 * The reader that ships, one for all engines of the process: weights and threads are the same for each. The last who closes it ends its threads.
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt`
 */
export const openSharedReader = createSharing();
