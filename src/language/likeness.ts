import { dot } from "../cross-encoder/dot.ts";
import { memoised } from "../text/memo.ts";

/** Maximum number of cached word vectors. */
const REMEMBERED = 20_000;

/**
 * Returns a function that compares two words or phrases: cosine similarity of their vectors, from 0 to 1. Vectors are
 * cached because words repeat.
 * @param encoder returns unit vectors synchronously
 */
export function createLikeness(encoder: { embedSync(texts: readonly string[]): Float32Array[] }): (one: string, other: string) => number {
  const vectorOf = memoised(REMEMBERED, (text: string) => encoder.embedSync([text])[0] ?? new Float32Array());
  return (one, other) => Math.max(0, dot(vectorOf(one), vectorOf(other)));
}
