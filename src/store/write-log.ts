import { close, fdatasync, fsync, open } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

/** Creates a first-come, first-served lock. @returns a function that takes the lock and resolves with a function to release it */
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
 * Batches syncs of a file to disk: all calls during a running sync share the next one. After a failed sync every call
 * fails, because it is unknown what is on disk.
 * @param write resolves once everything written before the call is on disk
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
    /** Resolves once everything written before the call is on disk. */
    sync(): Promise<void> {
      next ??= begin();
      return next;
    },
    /** @throws the error of the failed sync */
    assertUsable,
    /** Resolves once no sync is running. */
    idle: (): Promise<void> => (next ?? running).catch(() => undefined),
  };
}

const files = { open: promisify(open), close: promisify(close), fsync: promisify(fsync), fdatasync: promisify(fdatasync) };

/**
 * Syncs SQLite's log to disk without blocking the thread; `synchronous=FULL` would block it at every commit. SQLite
 * uses the same log file while a connection is open, so the file is opened once. SQLite places no locks on the log, so
 * closing it here drops no lock.
 * @param path of the log
 * @param describe converts an error to one with advice
 */
export function createLogSync(path: string, describe: (cause: unknown) => unknown) {
  let opened: Promise<number> | null = null;
  const openOnce = async () => {
    const log = await files.open(path, "r+");
    // Sync the folder too, so that a power cut does not lose the new file. Windows cannot open folders and needs no such sync.
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
