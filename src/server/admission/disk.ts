import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { RequestError, systemCodeOf } from "../../errors.ts";

/** Milliseconds for which a count holds: uploads in between are added to it. */
const COUNTED_MS = 10_000;

/** @throws RequestError `disk_full` when the data folder would grow beyond its quota */
export type AssertRoom = (bytes: number) => Promise<void>;

/** @param most bytes of the whole folder; 0: any */
export function createDiskQuota(folder: string, most: number, clock: () => number = () => performance.now()): AssertRoom {
  let counted = { bytes: 0, at: Number.NEGATIVE_INFINITY };
  return async (bytes) => {
    if (most === 0) return;
    if (clock() - counted.at > COUNTED_MS) counted = { bytes: await sizeOf(folder), at: clock() };
    if (counted.bytes + bytes > most) {
      const message = "There is no room for more documents: delete some, or have `server.disk_bytes` raised.";
      throw new RequestError("disk_full", message, { limit_bytes: most });
    }
    counted = { ...counted, bytes: counted.bytes + bytes };
  };
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(nothing([]));
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(path);
    else if (entry.isFile()) bytes += (await stat(path).catch(nothing({ size: 0 }))).size;
  }
  return bytes;
}

/** What goes while it is counted counts for nothing. */
function nothing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (systemCodeOf(error) === "ENOENT") return value;
    throw error;
  };
}
