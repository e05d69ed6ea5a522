import { sha256Hex } from "../text/hash.ts";
import type { Reading, ReadRequest } from "./reader.ts";

/** Readings by what was read; what was not asked for longest goes first when there are more bytes than allowed. */
export interface ReadingCache {
  get(key: string): Reading | undefined;
  set(key: string, reading: Reading): void;
  readonly bytes: number;
}

/** Of the weights' hash and the texts, so that a reading is found only for exactly the same of both. */
export function readingKey(weightsHash: string, { question, head, passage }: ReadRequest): string {
  return sha256Hex(JSON.stringify([weightsHash, question, head, passage]));
}

/** A key, an entry and a reading, roughly. */
const ENTRY_BYTES = 300;

export function createReadingCache(maxBytes: number): ReadingCache {
  const most = Math.floor(maxBytes / ENTRY_BYTES);
  const entries = new Map<string, Reading>();
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
      entries.delete(key);
      if (most > 0) entries.set(key, reading);
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
    get bytes() {
      return entries.size * ENTRY_BYTES;
    },
  };
}
