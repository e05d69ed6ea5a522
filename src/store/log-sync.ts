import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";

/** Puts the log of a database on the disk. */
export interface LogSync {
  /** Resolves when everything that was written before the call is on the disk. */
  readonly sync: () => Promise<void>;
  close(): Promise<void>;
}

/**
 * Off the thread that answers: what `synchronous=FULL` does at the end of every transaction, while that thread waits. The log is one file for as long as a
 * connection is open.
 * @param path of the log
 */
export function createLogSync(path: string): LogSync {
  let opened: Promise<FileHandle> | null = null;
  const openOnce = async () => {
    const file = await open(path, "r+");
    // That the file is there must be on the disk, too. Windows opens no folders, and needs none.
    const folder = await open(dirname(path), "r").catch(() => null);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
    return file;
  };
  return {
    async sync() {
      opened ??= openOnce();
      await (await opened).datasync();
    },
    async close() {
      await (await opened?.catch(() => null))?.close();
    },
  };
}
