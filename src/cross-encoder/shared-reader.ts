import { type Adapter, createReader } from "./create-reader.ts";
import type { Reader } from "./reader.ts";

/** Returns a function that opens one reader for all users; the last user who closes it ends its threads. */
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

const shared = {
  none: createSharing(),
  questions: createSharing(),
};

/**
 * Opens the embedded cross-encoder, shared by all engines of the process, or one of its adapters.
 * @throws {ModelError} `reader_missing` | `reader_unreadable` | `reader_corrupt` | `reader_unsupported`
 */
export function openSharedReader(adapter: Adapter | null = null): Reader {
  return shared[adapter ?? "none"](() => createReader({ adapter }));
}
