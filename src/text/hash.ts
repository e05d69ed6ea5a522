import { createHmac, hash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { normalizeQuestion } from "./normalise.ts";

/** Returns the SHA-256 of a string (as UTF-8) or of bytes, in lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/**
 * Returns the HMAC-SHA-256 (hex) of `facts`. Whoever does not know `secret` cannot recover the facts by hashing guesses.
 * @param kind purpose of the hash; equal facts with different purposes get different hashes
 */
export function keyedHash(secret: string, kind: string, ...facts: readonly unknown[]): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify([kind, ...facts]))
    .digest("hex");
}

/** Returns the hash by which records refer to a question. It serves to count equal questions, and to delete the records of a question. */
export function questionHash(secret: string, domain: string, question: string): string {
  return keyedHash(secret, "question", domain, normalizeQuestion(question));
}

/**
 * Creates a UUID of version 7 (RFC 9562): a timestamp, then 74 random bits. New ids are adjacent in a database index,
 * so inserts change few pages of the index. Fully random ids would change pages everywhere.
 */
export function timeOrderedId(at: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Longest text whose result `recent` caches, in characters. Questions are shorter. */
const MOST_CHARACTERS = 2_000;

/**
 * Caches the results of a pure function of a text. The cache keys are hashes, so the cache does not contain the texts.
 * @param most maximum number of results; the least recently used one is dropped
 */
export function recent<T extends NonNullable<unknown>>(most: number, make: (text: string) => T): (text: string) => T {
  const kept = new LRUCache<string, T, string>({ max: most, memoMethod: (_key, _stale, { context }) => make(context) });
  return (text) => (text.length > MOST_CHARACTERS ? make(text) : kept.memo(sha256Hex(text), { context: text }));
}
