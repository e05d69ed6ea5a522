import { close, fdatasync, fsync, open } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

/** Puts the log of a database on the disk. */
export interface LogSync {
  /** Resolves when everything that was written before the call is on the disk. */
  readonly sync: () => Promise<void>;
  close(): Promise<void>;
}

const files = { open: promisify(open), close: promisify(close), fsync: promisify(fsync), fdatasync: promisify(fdatasync) };

/**
 * Off the thread that answers: what `synchronous=FULL` does at the end of every transaction, while that thread waits. The log is one file for as long as a
 * connection is open. No lock of SQLite lies on it (they lie on the database and its index of the log), so that to close it drops none.
 * @param path of the log
 */
export function createLogSync(path: string): LogSync {
  let opened: Promise<number> | null = null;
  const openOnce = async () => {
    const log = await files.open(path, "r+");
    // That the file is there must be on the disk, too. Windows opens no folders, and needs none.
    const folder = await files.open(dirname(path), "r").catch(() => null);
    if (folder === null) return log;
    await files.fsync(folder).catch(() => undefined);
    await files.close(folder);
    return log;
  };
  return {
    async sync() {
      opened ??= openOnce();
      await files.fdatasync(await opened);
    },
    async close() {
      const log = await opened?.catch(() => null);
      if (log !== null && log !== undefined) await files.close(log);
    },
  };
}
