import { randomBytes } from "node:crypto";

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
