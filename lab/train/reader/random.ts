import { createHash } from "node:crypto";

/** A fraction in [0, 1) that is as good as drawn, and always the same for the same text. */
export function drawOf(text: string): number {
  return Number.parseInt(sha1(text).slice(0, 8), 16) / 2 ** 32;
}

/** One of several, drawn by a text. */
export function pick<T>(from: readonly T[], text: string): T {
  return from[Math.floor(drawOf(text) * from.length)] as T;
}

/** Name of a source document, as the pack names them: 12 hex digits. */
export function groupOf(source: string): string {
  return sha1(source).slice(0, 12);
}

/** The split of the pack: by source document, 15 of 100 are kept for development. */
export function splitOf(group: string): "train" | "dev" {
  return Number(BigInt(`0x${sha1(`reader-1${group}`)}`) % 100n) < 15 ? "dev" : "train";
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
