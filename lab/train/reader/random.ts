import { createHash } from "node:crypto";

/** Returns a pseudo-random number in [0, 1), determined by a text. */
export function drawOf(text: string): number {
  return Number.parseInt(sha1(text).slice(0, 8), 16) / 2 ** 32;
}

/** Picks an item, determined by a text. */
export function pick<T>(from: readonly T[], text: string): T {
  return from[Math.floor(drawOf(text) * from.length)] as T;
}

/** Returns the id of a source document: 12 hex digits. */
export function groupOf(source: string): string {
  return sha1(source).slice(0, 12);
}

/** Returns the split of a source document; 15 of 100 are for development. */
export function splitOf(group: string): "train" | "dev" {
  return Number(BigInt(`0x${sha1(`reader-1${group}`)}`) % 100n) < 15 ? "dev" : "train";
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
