import { messageOf, systemCodeOf } from "../errors.ts";
import { replaceFile } from "./replace-file.ts";
import { type SnapshotFile, whileSnapshotFile, withSnapshotFile } from "./snapshot.ts";

/** Milliseconds without a change or a question after which a changed index is written. */
export const WRITE_QUIET_MS = 5_000;
/** Milliseconds after which it is written although questions go on. */
export const WRITE_LATEST_MS = 60_000;

/** Where a corpus keeps its snapshot. */
export interface SnapshotPlace {
  readonly path: string;
  /** Id of the store that the corpus is equal to: a snapshot of another one is not used. */
  readonly store: string;
  /** Told what is wrong with a snapshot, or why none could be written. Nothing is lost by either. */
  readonly warn: (message: string) => void;
}

/** What a keeper asks of the index that it writes. */
export interface KeptIndex {
  /** Is the file what would be written? It is left alone then. */
  equals(file: SnapshotFile): boolean;
  /** The index as it is now; `null` when there is nothing to keep. */
  capture(): Promise<CapturedIndex | null>;
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
      const captured = await this.index.capture();
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

  /** Another process may have written the same. What cannot be read is written anew. */
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
