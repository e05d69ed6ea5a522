import { dot } from "../cross-encoder/dot.ts";
import { memoised } from "../text/memo.ts";

/** Words whose vectors are kept. */
const REMEMBERED = 20_000;

/**
 * Likeness of two words or phrases by their vectors, from 0 to 1. Remembers vectors: words repeat.
 * @param encoder gives a unit vector of a text at once
 */
export function createLikeness(encoder: { embedSync(texts: readonly string[]): Float32Array[] }): (one: string, other: string) => number {
  const vectorOf = memoised(REMEMBERED, (text: string) => encoder.embedSync([text])[0] ?? new Float32Array());
  return (one, other) => Math.max(0, dot(vectorOf(one), vectorOf(other)));
}
