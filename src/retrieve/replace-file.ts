import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCodeOf } from "../errors.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../store/private.ts";

/** Bytes written at once: between two writes whatever else is to be done is done. */
const WRITE_BYTES = 8 * 1024 * 1024;
/** A temporary file that nobody has written to for so many milliseconds is what a crash left. */
const ABANDONED_MS = 10 * 60 * 1000;

/**
 * Puts a file in the place of another at once: whoever opens it, and whatever crashes, there is the whole old one or the whole new one.
 * @param stillWanted asked when everything is on the disk; `false` leaves the old file
 * @returns was it put in place?
 */
export async function replaceFile(path: string, pieces: readonly Uint8Array[], stillWanted: () => Promise<boolean>): Promise<boolean> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  await removeAbandoned(path);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeThrough(temporary, pieces);
    if (!(await stillWanted())) return false;
    await rename(temporary, path);
    await syncFolder(folder);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeThrough(path: string, pieces: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, "wx", PRIVATE_FILE);
  try {
    for (const piece of pieces)
      for (let at = 0; at < piece.length; ) at += (await file.write(piece, at, Math.min(WRITE_BYTES, piece.length - at))).bytesWritten;
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Temporary files of this one that a crash left. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(".tmp")) continue;
    const file = join(folder, name);
    try {
      if (Date.now() - (await stat(file)).mtimeMs > ABANDONED_MS) await rm(file, { force: true });
    } catch (error) {
      if (systemCodeOf(error) !== "ENOENT") throw error;
    }
  }
}

/** Without this a power cut could undo the renaming; where a folder cannot be opened (Windows) that is left to the system. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
