import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../store/private.ts";

/** Bytes in memory or in a file that can be read and written in parts. */
export interface StoredBytes {
  readonly byteLength: number;
  /** Fills `target` with the bytes from position `at` on. */
  read(at: number, target: Uint8Array): void;
  write(at: number, bytes: Uint8Array): void;
}

/** A temporary file without a name, so only this process sees it. The system deletes it when the process ends, even by a crash. */
export class ScratchFile {
  private readonly descriptor: number;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const path = join(folder, `${randomUUID()}.scratch`);
    this.descriptor = openSync(path, "wx+", PRIVATE_FILE);
    rmSync(path);
    unused.register(this, this.descriptor);
  }

  part(start: number, byteLength: number): StoredBytes {
    return { byteLength, read: (at, target) => this.read(start + at, target), write: (at, bytes) => this.write(start + at, bytes) };
  }

  read(position: number, target: Uint8Array): void {
    // Bytes that were never written are zero, also beyond the end of the file.
    target.fill(0, readInto(this.descriptor, position, target));
  }

  write(position: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.descriptor, bytes, done, bytes.length - done, position + done);
  }
}

const unused = new FinalizationRegistry(closeSync);

/** Reads from a position of a file until the target is full or the file ends. Returns the number of bytes read. */
export function readInto(descriptor: number, position: number, target: Uint8Array): number {
  let done = 0;
  for (let count = -1; count !== 0 && done < target.length; done += count)
    count = readSync(descriptor, target, done, target.length - done, position + done);
  return done;
}

/** Returns `length` bytes from `at` on: a view of an array, or a copy of stored bytes. */
export function bytesIn(bytes: ArrayBufferView | StoredBytes, at = 0, length = bytes.byteLength - at): Uint8Array {
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset + at, length);
  const copy = new Uint8Array(length);
  bytes.read(at, copy);
  return copy;
}

/** Wraps an array as stored bytes. Calls `array` for each access, so a caller may replace the array or create it on demand. */
export function inMemory(array: () => Uint8Array, byteLength: number): StoredBytes {
  return {
    byteLength,
    read: (at, target) => target.set(array().subarray(at, at + target.length)),
    write: (at, bytes) => array().set(bytes, at),
  };
}
