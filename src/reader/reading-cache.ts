import { sha256Hex } from "../text/hash.ts";
import type { ReadingOf, ToRead } from "./reader.ts";

/** Readings by what was read; what was not asked for longest goes first when there are more bytes than allowed. */
export interface ReadingCache {
  get(key: string): ReadingOf<ToRead> | undefined;
  set(key: string, reading: ReadingOf<ToRead>): void;
  readonly bytes: number;
}

/** Of the weights' hash and what is read, so that a vector is found only for exactly the same of both. */
export function readingKey(weightsHash: string, read: ToRead): string {
  return sha256Hex(JSON.stringify([weightsHash, read]));
}

/** A key and an entry, roughly. */
const ENTRY_BYTES = 400;

function bytesOf({ vector }: ReadingOf<ToRead>): number {
  return ENTRY_BYTES + vector.byteLength;
}

export function createReadingCache(maxBytes: number): ReadingCache {
  const entries = new Map<string, ReadingOf<ToRead>>();
  let bytes = 0;
  const drop = (key: string) => {
    const known = entries.get(key);
    if (known === undefined) return;
    entries.delete(key);
    bytes -= bytesOf(known);
  };
  return {
    get(key) {
      const found = entries.get(key);
      if (found !== undefined) {
        entries.delete(key);
        entries.set(key, found);
      }
      return found;
    },
    set(key, reading) {
      drop(key);
      if (bytesOf(reading) > maxBytes) return;
      entries.set(key, reading);
      bytes += bytesOf(reading);
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    get bytes() {
      return bytes;
    },
  };
}
