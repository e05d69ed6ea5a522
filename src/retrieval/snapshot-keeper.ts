import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf, systemCodeOf } from "../shared/errors.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../store/private.ts";
import { type SnapshotFile, whileSnapshotFile, withSnapshotFile } from "./snapshot.ts";

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

/** Milliseconds without a change or a question after which a changed index is written. */
export const WRITE_QUIET_MS = 5_000;
/** Milliseconds after which it is written although questions go on. */
export const WRITE_LATEST_MS = 60_000;

/** Where a corpus keeps its snapshot. */
export interface SnapshotPlace {
  readonly path: string;
  /** Id of the store that the corpus is equal to: a snapshot of another one is not used. */
  readonly store: string;
  /** Revision of the domain in the store. */
  readonly revision: () => Promise<number>;
  /** Told what is wrong with a snapshot, or why none could be written. Nothing is lost by either. */
  readonly warn: (message: string) => void;
}

/** What a keeper asks of the index that it writes. */
export interface KeptIndex {
  /** Is the file what would be written? It is left alone then. */
  equals(file: SnapshotFile): boolean;
  /** The index as it is now; `null` when there is nothing to keep. */
  capture(): CapturedIndex | null;
}

export interface CapturedIndex {
  readonly pieces: readonly Uint8Array[];
  /** Does it still equal the store? If not, who takes in the change writes it. */
  isCurrent(): Promise<boolean>;
}

/** Reads the snapshot of an index once and writes it when the index has changed and is left in peace. */
export class SnapshotKeeper {
  private readonly place: SnapshotPlace;
  private readonly index: KeptIndex;
  private changed = false;
  /** Is the file known to be unusable, whatever its head says? */
  private unusable = false;
  private since = 0;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();
  private readonly warned = new Set<string>();

  constructor(place: SnapshotPlace, index: KeptIndex) {
    this.place = place;
    this.index = index;
  }

  /** What `load` makes of the snapshot; `null` when there is none, or after a warning when it cannot be used. */
  async read<T>(load: (file: SnapshotFile) => Promise<T>): Promise<T | null> {
    try {
      return await whileSnapshotFile(this.place.path, load);
    } catch (cause) {
      if (isAbsent(cause)) return null;
      this.place.warn(`${this.place.path}: ${messageOf(cause)} It is built again now, from the database: nothing is lost.`);
      this.unusable = true;
      this.markChanged();
      return null;
    }
  }

  /** The index is not any more what the file holds. */
  markChanged(): void {
    if (!this.changed) this.since = Date.now();
    this.changed = true;
    this.arm(WRITE_QUIET_MS);
  }

  /** Somebody asks: writing waits, but not for ever. */
  postpone(): void {
    if (this.timer !== null) this.arm(WRITE_QUIET_MS);
  }

  /** Writes what has changed, and resolves when nothing is being written. */
  flush(): Promise<void> {
    this.disarm();
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  private arm(quietMs: number): void {
    this.disarm();
    const left = Math.max(0, this.since + WRITE_LATEST_MS - Date.now());
    this.timer = setTimeout(() => void this.flush(), Math.min(quietMs, left));
    this.timer.unref();
  }

  private disarm(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private async write(): Promise<void> {
    if (!this.changed) return;
    this.changed = false;
    const { path } = this.place;
    try {
      if (!this.unusable && this.isWritten()) return;
      const captured = this.index.capture();
      if (captured !== null && (await replaceFile(path, captured.pieces, () => captured.isCurrent()))) this.unusable = false;
    } catch (cause) {
      const code = systemCodeOf(cause) ?? messageOf(cause);
      if (this.warned.has(code)) return;
      this.warned.add(code);
      this.place.warn(
        `${path} could not be written (${messageOf(cause)}): the next start builds the index from the database, which takes longer.`,
      );
    }
  }

  /** Another process may have written the same. What cannot be read is written again. */
  private isWritten(): boolean {
    try {
      return withSnapshotFile(this.place.path, (file) => this.index.equals(file));
    } catch {
      return false;
    }
  }
}

function isAbsent(cause: unknown): boolean {
  const code = systemCodeOf(cause);
  return code === "ENOENT" || code === "ENOTDIR";
}
