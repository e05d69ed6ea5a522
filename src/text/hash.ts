import { createHmac, hash, randomBytes } from "node:crypto";
import { normalizeQuestion } from "./normalise.ts";

/** SHA-256 of a string (as UTF-8) or of bytes, in lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** HMAC-SHA-256 (hex) of facts of one kind; without the secret of the installation nobody can try out what it stands for. */
export function keyedHash(secret: string, kind: string, ...facts: readonly unknown[]): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify([kind, ...facts]))
    .digest("hex");
}

/** What a question is counted and forgotten by. */
export function questionHash(secret: string, domain: string, question: string): string {
  return keyedHash(secret, "question", domain, normalizeQuestion(question));
}

/**
 * A UUID that begins with the time it was made at (version 7, RFC 9562), with 74 random bits. Rows of such ids lie one behind the other in an index, so that those
 * that are put in together share its pages: random ones lie all over it.
 */
export function timeOrderedId(at: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
