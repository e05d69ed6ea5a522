import { createReader } from "./create-reader.ts";
import type { Reader } from "./reader.ts";

/** What opens one reader of each kind for all who ask for it while one of them uses it; the last who closes it ends its threads. */
export function createSharing(): (open?: () => Reader, kind?: string) => Reader {
  const shared = new Map<string, { readonly reader: Reader; users: number }>();
  return (open = createReader, kind = "own") => {
    const own = shared.get(kind) ?? { reader: open(), users: 0 };
    shared.set(kind, own);
    own.users++;
    let closed = false;
    return {
      ...own.reader,
      close: async () => {
        if (closed) return;
        closed = true;
        own.users--;
        if (own.users > 0) return;
        if (shared.get(kind) === own) shared.delete(kind);
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
