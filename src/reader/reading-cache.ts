import { sha256Hex } from "../text/hash.ts";

/** Vectors by what was read; what was not asked for longest goes first when there are more bytes than allowed. */
export interface ReadingCache {
  get(key: string): Float32Array | undefined;
  set(key: string, vector: Float32Array): void;
  readonly bytes: number;
}

/** Of the weights' hash and the text, so that a vector is found only for exactly the same of both. */
export function readingKey(weightsHash: string, text: string): string {
  return sha256Hex(JSON.stringify([weightsHash, text]));
}

/** A key, an entry and a vector of 384 numbers, roughly. */
const ENTRY_BYTES = 1_900;

export function createReadingCache(maxBytes: number): ReadingCache {
  const most = Math.floor(maxBytes / ENTRY_BYTES);
  const entries = new Map<string, Float32Array>();
  return {
    get(key) {
      const found = entries.get(key);
      if (found !== undefined) {
        entries.delete(key);
        entries.set(key, found);
      }
      return found;
    },
    set(key, vector) {
      entries.delete(key);
      if (most > 0) entries.set(key, vector);
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
    get bytes() {
      return entries.size * ENTRY_BYTES;
    },
  };
}
