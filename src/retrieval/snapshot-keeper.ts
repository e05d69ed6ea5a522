import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf, systemCodeOf } from "../shared/errors.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../store/private.ts";
import { bytesIn } from "./scratch-file.ts";
import { type Piece, type SnapshotFile, withSnapshotFile } from "./snapshot.ts";

/** Number of bytes per write. Other work runs between two writes. */
const WRITE_BYTES = 8 * 1024 * 1024;
/** Minimum age in milliseconds at which a temporary file counts as left by a crash. */
const ABANDONED_MS = 10 * 60 * 1000;

/**
 * Replaces a file atomically: readers and crashes find either the whole old file or the whole new one.
 * @param stillWanted called when everything is on the disk; `false` keeps the old file
 * @returns true if the file was replaced
 */
export async function replaceFile(path: string, pieces: readonly Piece[], stillWanted: () => Promise<boolean>): Promise<boolean> {
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

async function writeThrough(path: string, pieces: readonly Piece[]): Promise<void> {
  const file = await open(path, "wx", PRIVATE_FILE);
  try {
    for (const piece of pieces)
      for (let at = 0; at < piece.byteLength; )
        at += (await file.write(bytesIn(piece, at, Math.min(WRITE_BYTES, piece.byteLength - at)))).bytesWritten;
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes temporary files that a crash left for this file. */
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

/** Syncs a folder, because otherwise a power failure could undo the rename. Windows cannot open folders, so it is skipped there. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Milliseconds without a change or a question before a changed index is written. */
export const WRITE_QUIET_MS = 5_000;
/** Milliseconds after which a changed index is written even if questions continue. */
export const WRITE_LATEST_MS = 60_000;

/** Location of a corpus snapshot. */
export interface SnapshotPlace {
  readonly path: string;
  /** Id of the store that the corpus mirrors. A snapshot of another store is not used. */
  readonly store: string;
  /** Returns the revision of the domain in the store. */
  readonly revision: () => Promise<number>;
  /** Reports a damaged snapshot, or why none could be written. Neither loses data. */
  readonly warn: (message: string) => void;
}

/** Functions of the index that its keeper needs. */
export interface KeptIndex {
  /** Checks whether the file already has the current content and need not be written. */
  equals(file: SnapshotFile): boolean;
  /** Returns the current index, or `null` if there is nothing to write. */
  capture(): CapturedIndex | null;
}

export interface CapturedIndex {
  readonly pieces: readonly Piece[];
  /** Checks whether the captured index still equals the store. If not, the index will change and then be written again. */
  isCurrent(): Promise<boolean>;
}

/** Reads the snapshot of an index once, and writes it after changes when the index is idle. */
export class SnapshotKeeper {
  private readonly place: SnapshotPlace;
  private readonly index: KeptIndex;
  private changed = false;
  /** True if the file is known to be unusable, whatever its header says. */
  private unusable = false;
  private since = 0;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();
  private readonly warned = new Set<string>();

  constructor(place: SnapshotPlace, index: KeptIndex) {
    this.place = place;
    this.index = index;
  }

  /**
   * Returns the result of `load` on the snapshot. Returns `null` if there is none or, after a warning, if it is
   * unusable.
   */
  read<T>(load: (file: SnapshotFile) => T): T | null {
    try {
      return withSnapshotFile(this.place.path, load);
    } catch (cause) {
      if (isAbsent(cause)) return null;
      this.place.warn(`${this.place.path} (${messageOf(cause)}): the index is now built again from the database; nothing is lost.`);
      this.unusable = true;
      this.markChanged();
      return null;
    }
  }

  /** Notes that the index differs from the file. */
  markChanged(): void {
    if (!this.changed) this.since = Date.now();
    this.changed = true;
    this.arm(WRITE_QUIET_MS);
  }

  /** Delays writing because of a question, up to a limit. */
  postpone(): void {
    if (this.timer !== null) this.arm(WRITE_QUIET_MS);
  }

  /** Writes pending changes and resolves when writing has ended. */
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
        `${path} could not be written (${messageOf(cause)}). The next start rebuilds the index from the database, which takes longer.`,
      );
    }
  }

  /** Returns whether the file has the current content, perhaps written by another process; `false` if it is unreadable. */
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
