import { close, fdatasync, fsync, open } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

/** One holder at a time, in the order of asking. @returns acquires it: resolves with what releases it */
export function createFairLock(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
}

/**
 * Joins those who wait for the disk: whoever asks while it is at work waits for its next turn, together with all others who ask meanwhile. Once the disk has
 * failed, nothing more is acknowledged: what the system says of a file after a failed write cannot be trusted.
 * @param write resolves when everything that was written before the call is on the disk
 */
export function createSharedSync(write: () => Promise<void>) {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let failure: unknown = null;
  const assertUsable = () => {
    if (failure !== null) throw failure;
  };
  const begin = async () => {
    await running.catch(() => undefined);
    running = next ?? running;
    next = null;
    assertUsable();
    try {
      await write();
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return {
    /** Resolves when everything that was written before the call is on the disk. */
    sync(): Promise<void> {
      next ??= begin();
      return next;
    },
    /** @throws what the disk failed with */
    assertUsable,
    /** Resolves when nothing is on its way to the disk. */
    idle: (): Promise<void> => (next ?? running).catch(() => undefined),
  };
}

const files = { open: promisify(open), close: promisify(close), fsync: promisify(fsync), fdatasync: promisify(fdatasync) };

/**
 * Off the thread that answers: what `synchronous=FULL` does at the end of every transaction, while that thread waits. The log is one file for as long as a
 * connection is open. No lock of SQLite lies on it (they lie on the database and its index of the log), so that to close it drops none.
 * @param path of the log
 * @param describe makes an error with what to do about it
 */
export function createLogSync(path: string, describe: (cause: unknown) => unknown) {
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
  const shared = createSharedSync(async () => {
    try {
      opened ??= openOnce();
      await files.fdatasync(await opened);
    } catch (cause) {
      throw describe(cause);
    }
  });
  return {
    ...shared,
    async close(): Promise<void> {
      await shared.idle();
      const log = await opened?.catch(() => null);
      if (log !== null && log !== undefined) await files.close(log);
    },
  };
}
