import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf, systemCodeOf } from "../shared/errors.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../store/private.ts";
import { bytesIn } from "./scratch-file.ts";
import { type Piece, type SnapshotFile, withSnapshotFile } from "./snapshot.ts";

/** Number of bytes per write. Other work runs between two writes. */
const WRITE_BYTES = 8 * 1024 * 1024;
/** Age in milliseconds from which a temporary file is assumed to be left by a crash. */
const ABANDONED_MS = 10 * 60 * 1000;

/**
 * Replaces a file atomically: a crash or a reader finds either the complete old file or the complete new one.
 * @param stillWanted called when the new file is on disk; `false` keeps the old file
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

/** Syncs a folder, so that a power failure cannot undo the rename. Skipped on Windows, which cannot open folders. */
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

/** Where the snapshot of a corpus is stored, and the store that it mirrors. */
export interface SnapshotPlace {
  readonly path: string;
  /** Id of the store. A snapshot of another store is not used. */
  readonly store: string;
  /** Returns the revision of the domain in the store. */
  readonly revision: () => Promise<number>;
  /** Reports that the snapshot is damaged or could not be written. Neither loses data. */
  readonly warn: (message: string) => void;
}

/** The functions of an index that `SnapshotKeeper` needs. */
export interface KeptIndex {
  /** Returns whether the file already equals the index, so that nothing need be written. */
  equals(file: SnapshotFile): boolean;
  /**
   * Serialises the current index; `null`: there is nothing to write. `isCurrent` checks whether the captured index still
   * equals the store. If it does not, the index will change and be written again.
   */
  capture(): { readonly pieces: readonly Piece[]; readonly isCurrent: () => Promise<boolean> } | null;
}

/** Reads the snapshot of an index, and writes it after changes when the index is idle. */
export class SnapshotKeeper {
  private readonly place: SnapshotPlace;
  private readonly index: KeptIndex;
  private changed = false;
  /** True if the file could not be loaded. It is then overwritten even if its header matches. */
  private unusable = false;
  private since = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private readonly warned = new Set<string>();

  constructor(place: SnapshotPlace, index: KeptIndex) {
    this.place = place;
    this.index = index;
  }

  /**
   * Calls `load` with the snapshot and returns the result. Returns `null` if there is no snapshot. Warns and returns
   * `null` if it is unusable.
   */
  read<T>(load: (file: SnapshotFile) => T): T | null {
    try {
      return withSnapshotFile(this.place.path, load);
    } catch (cause) {
      // Without a snapshot, these are the codes for a missing file or folder.
      if (["ENOENT", "ENOTDIR"].includes(systemCodeOf(cause) ?? "")) return null;
      const message = `The stored search index ${this.place.path} cannot be used, so the index is now built again from the database; nothing is lost. Reason: ${messageOf(cause)}`;
      this.place.warn(message);
      this.unusable = true;
      this.markChanged();
      return null;
    }
  }

  /** Records that the index differs from the file, and schedules a write. */
  markChanged(): void {
    if (!this.changed) this.since = Date.now();
    this.changed = true;
    this.arm();
  }

  /** Delays a scheduled write because of a question, up to `WRITE_LATEST_MS` after the first change. */
  postpone(): void {
    if (this.timer !== undefined) this.arm();
  }

  /** Writes pending changes; resolves when writing has ended. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  private arm(): void {
    clearTimeout(this.timer);
    const left = Math.max(0, this.since + WRITE_LATEST_MS - Date.now());
    this.timer = setTimeout(() => void this.flush(), Math.min(WRITE_QUIET_MS, left)).unref();
  }

  private async write(): Promise<void> {
    if (!this.changed) return;
    this.changed = false;
    const { path } = this.place;
    try {
      if (!this.unusable && this.isWritten()) return;
      const captured = this.index.capture();
      if (captured !== null && (await replaceFile(path, captured.pieces, captured.isCurrent))) this.unusable = false;
    } catch (cause) {
      const code = systemCodeOf(cause) ?? messageOf(cause);
      if (this.warned.has(code)) return;
      this.warned.add(code);
      const message = `The search index could not be stored in ${path} (${messageOf(cause)}). The next start builds it again from the database, which takes longer.`;
      this.place.warn(message);
    }
  }

  /** Returns whether the file equals the index, e.g. because another process wrote it; `false` if it is unreadable. */
  private isWritten(): boolean {
    try {
      return withSnapshotFile(this.place.path, (file) => this.index.equals(file));
    } catch {
      return false;
    }
  }
}
