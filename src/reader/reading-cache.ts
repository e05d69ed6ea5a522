import { sha256Hex } from "../text/hash.ts";
import type { Reading, ReadRequest } from "./reader.ts";

/** Readings by what was read; what was not asked for longest goes first when there are more bytes than allowed. */
export interface ReadingCache {
  get(key: string): Reading | undefined;
  set(key: string, reading: Reading): void;
  readonly bytes: number;
}

/** Of the weights' hash and the texts, so that a reading is found only for exactly the same of both. */
export function readingKey(weightsHash: string, request: ReadRequest): string {
  const texts =
    request.task === "answers"
      ? [request.question, request.head, request.passage]
      : request.task === "claims"
        ? [request.claim, request.head ?? "", request.evidence]
        : [request.a, request.b];
  return sha256Hex(JSON.stringify([weightsHash, request.task, ...texts]));
}

/** A key, an entry and an object without token arrays, roughly. */
const ENTRY_BYTES = 300;
/** Five arrays of four bytes. */
const TOKEN_BYTES = 20;

export function createReadingCache(maxBytes: number): ReadingCache {
  const entries = new Map<string, Reading>();
  let bytes = 0;
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
      const before = entries.get(key);
      if (before !== undefined) bytes -= sizeOf(before);
      entries.delete(key);
      const size = sizeOf(reading);
      if (size > maxBytes) return;
      entries.set(key, reading);
      bytes += size;
      for (const [oldest, { size: freed }] of sized()) {
        if (bytes <= maxBytes) break;
        entries.delete(oldest);
        bytes -= freed;
      }
    },
    get bytes() {
      return bytes;
    },
  };

  function* sized(): Generator<[string, { size: number }]> {
    for (const [key, reading] of entries) yield [key, { size: sizeOf(reading) }];
  }
}

function sizeOf(reading: Reading): number {
  return ENTRY_BYTES + (reading.task === "answers" ? reading.tokens.starts.length * TOKEN_BYTES : 0);
}
